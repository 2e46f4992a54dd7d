# usmx_one_library(LIBRARY MODULE...): a library of all sources is these modules, too. Each compiled by itself would read
# the headers again, and have all of the binding library's functions.
function(usmx_one_library library)
  target_include_directories(${library} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../cpp") # support/gate.hpp
  target_link_libraries(${library} PRIVATE usmx::usmx)
  foreach(module IN LISTS ARGN)
    add_custom_command(
      TARGET ${library}
      POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E create_symlink "$<TARGET_FILE_NAME:${library}>"
              "${module}$<TARGET_FILE_SUFFIX:${library}>")
  endforeach()
endfunction()
