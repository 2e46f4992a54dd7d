include(UsmxOneMKL)

# usmx_add_onemkl_group(<domain>): builds libusmx_onemkl_<domain>.so, and adds its target to USMX_ONEMKL_GROUPS. The
# library has no code. It names oneMKL's SYCL library of that domain and all that this needs, so that the loader loads
# them together, and each finds its functions in the others. Empty libraries of these names stand in for them when it is
# linked: a build needs no oneMKL.
function(usmx_add_onemkl_group domain)
  set(source "${PROJECT_BINARY_DIR}/no_code.cpp")
  set(stand_ins "${PROJECT_BINARY_DIR}/stand_ins")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  set(group usmx_onemkl_${domain})
  add_library(${group} SHARED "${source}")
  usmx_onemkl_libraries(${domain} names)
  foreach(name IN LISTS names)
    if(NOT TARGET ${name})
      add_library(${name} SHARED "${source}")
      set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "" LIBRARY_OUTPUT_DIRECTORY "${stand_ins}")
      target_link_options(${name} PRIVATE -nostdlib)
    endif()
    add_dependencies(${group} ${name})
    # By name: with the target, CMake would add the folder of the stand-ins to the run paths.
    target_link_libraries(${group} PRIVATE "-l:${name}")
  endforeach()
  target_link_options(${group} PRIVATE -nostdlib LINKER:--no-as-needed "-L${stand_ins}")
  set_target_properties(${group} PROPERTIES BUILD_RPATH "${SYCLRuntime_LIBRARY_DIR}"
                                            LIBRARY_OUTPUT_DIRECTORY "$<TARGET_FILE_DIR:usmx>")
  usmx_set_python_rpath(${group} DESTINATION usmx/lib)
  add_dependencies(usmx ${group})
  list(APPEND USMX_ONEMKL_GROUPS ${group})
  set(USMX_ONEMKL_GROUPS "${USMX_ONEMKL_GROUPS}" PARENT_SCOPE)
endfunction()
