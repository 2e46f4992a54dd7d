# Compiles the device kernels of src/kernels/device, by the SYCL runtime's own compiler, into one object for
# each group, which become part of libusmx.so together with their sources: src/kernels/files.hpp.

set(kernel_folder "${PROJECT_SOURCE_DIR}/src/kernels/device")
file(GLOB kernel_sources CONFIGURE_DEPENDS "${kernel_folder}/*.cpp" "${kernel_folder}/*.hpp")
set(kernel_objects)
foreach(shape "" _wide)
  foreach(group copy fill cast cast_double cast_integer_double)
    list(APPEND kernel_objects "${PROJECT_BINARY_DIR}/kernels/${group}${shape}.syclbin")
  endforeach()
endforeach()

add_executable(usmx_compile_kernels tools/compile_kernels.cpp src/kernels/compiler.cpp src/kernels/groups.cpp
                                    src/kernels/sources.cpp)
target_compile_options(usmx_compile_kernels PRIVATE ${USMX_WARNINGS} -O0)
if(USMX_SANITIZE) # a sanitizer would look into the runtime's compiler, and find no device
  target_compile_options(usmx_compile_kernels PRIVATE -fno-sanitize=all)
  target_link_options(usmx_compile_kernels PRIVATE -fno-sanitize=all)
endif()
target_include_directories(usmx_compile_kernels PRIVATE include src)
target_link_libraries(usmx_compile_kernels PRIVATE SYCLRuntime::sycl)
target_link_options(usmx_compile_kernels PRIVATE LINKER:--disable-new-dtags)

# The CPU device is all it takes. In a fresh Python environment, as in an isolated build, nothing
# registers its driver, and a selection of the user's may leave it out.
set(kernel_environment --unset=ONEAPI_DEVICE_SELECTOR)
if(EXISTS "${SYCLRuntime_LIBRARY_DIR}/libintelocl.so")
  list(APPEND kernel_environment "OCL_ICD_FILENAMES=${SYCLRuntime_LIBRARY_DIR}/libintelocl.so")
endif()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/kernels")
add_custom_command(
  OUTPUT ${kernel_objects}
  DEPENDS usmx_compile_kernels ${kernel_sources}
  COMMAND "${CMAKE_COMMAND}" -E env ${kernel_environment} "$<TARGET_FILE:usmx_compile_kernels>"
          "${PROJECT_BINARY_DIR}/kernels"
  COMMENT "Compiling the device kernels"
  VERBATIM)

set_source_files_properties(
  src/kernels/sources.cpp PROPERTIES COMPILE_DEFINITIONS "USMX_KERNEL_SOURCES=\"${kernel_folder}\"" OBJECT_DEPENDS
                                                                                                  "${kernel_sources}")
set_source_files_properties(
  src/kernels/objects.cpp PROPERTIES COMPILE_DEFINITIONS "USMX_KERNEL_OBJECTS=\"${PROJECT_BINARY_DIR}/kernels\""
                                    OBJECT_DEPENDS "${kernel_objects}")
