# usmx_sanitize_environment(<test>...)
#
# Gives tests of CTest (add_test), which run programs that are built with -fsanitize=address, undefined
# or thread, the environment in which usmx finds its devices:
#   LD_LIBRARY_PATH   has the folder of the SYCL runtime. A sanitizer's dlopen runs in the sanitizer's own
#                     library, whose run paths are searched instead of libsycl's and the OpenCL loader's;
#                     so the drivers are found in no other way.
#   LSAN_OPTIONS      leaves out leaks of the OpenCL loader and driver (lsan.txt, which names them)
#   TSAN_OPTIONS      leaves out what happens inside of libraries that are not instrumented
# What the caller's environment has already stays, in front. Without a sanitizer nothing changes but
# LD_LIBRARY_PATH. docs/how-to/wrong-number.md (Sanitizers) has the whole story.
function(usmx_sanitize_environment)
  if(NOT ARGN)
    message(FATAL_ERROR "usmx_sanitize_environment(): expected the names of tests")
  endif()
  foreach(test IN LISTS ARGN)
    if(NOT TEST ${test})
      message(FATAL_ERROR "usmx_sanitize_environment(): there is no test ${test} in this folder")
    endif()
  endforeach()
  set(suppressions "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/lsan.txt")
  set_property(
    TEST ${ARGN}
    APPEND
    PROPERTY ENVIRONMENT_MODIFICATION
             "LD_LIBRARY_PATH=path_list_prepend:${SYCLRuntime_LIBRARY_DIR}"
             "LSAN_OPTIONS=string_append::print_suppressions=0:suppressions='${suppressions}'"
             "TSAN_OPTIONS=string_append::ignore_noninstrumented_modules=1")
endfunction()
