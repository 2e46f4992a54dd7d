# Finds the SYCL runtime: headers and libsycl, without a SYCL compiler.
#
# Looked for in this order:
#   1. SYCLRuntime_ROOT, a CMake or environment variable: what the user says
#   2. the prefix of the Python environment that this file is installed in
#   3. the Python environment that runs the build (also that of an isolated build)
#   4. CMPLR_ROOT: an active oneAPI installation
#   5. CMake's own paths
#
# Sets SYCLRuntime_FOUND, SYCLRuntime_VERSION (libsycl's, also _MAJOR and _MINOR),
# SYCLRuntime_INCLUDE_DIR, SYCLRuntime_LIBRARY, SYCLRuntime_LIBRARY_DIR, and the imported target SYCLRuntime::sycl.
# Nothing is cached: a persistent build folder must not remember an environment that has gone.

set(_SYCLRuntime_hints)
# Installed, this file is <prefix>/lib/python3.x/site-packages/usmx/lib/cmake/usmx/FindSYCLRuntime.cmake.
cmake_path(SET _SYCLRuntime_prefix NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../../../../..")
if(EXISTS "${_SYCLRuntime_prefix}/include/sycl/sycl.hpp")
  list(APPEND _SYCLRuntime_hints "${_SYCLRuntime_prefix}")
endif()

if(Python_EXECUTABLE)
  set(_SYCLRuntime_python "${Python_EXECUTABLE}")
else() # the first on PATH is that of an active virtual environment
  find_program(_SYCLRuntime_python NAMES python3 python NO_CACHE)
endif()
if(_SYCLRuntime_python)
  execute_process(
    COMMAND "${_SYCLRuntime_python}" "${CMAKE_CURRENT_LIST_DIR}/sycl_root.py"
    OUTPUT_VARIABLE _SYCLRuntime_python_root
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND _SYCLRuntime_hints ${_SYCLRuntime_python_root})
endif()

find_path(
  SYCLRuntime_INCLUDE_DIR sycl/sycl.hpp
  HINTS ${_SYCLRuntime_hints} ENV CMPLR_ROOT
  PATH_SUFFIXES include
  NO_CACHE)
# Only beside the headers: headers of one release with the library of another would build, and crash.
find_library(
  SYCLRuntime_LIBRARY sycl
  PATHS "${SYCLRuntime_INCLUDE_DIR}/../lib" "${SYCLRuntime_INCLUDE_DIR}/../lib64"
        "${SYCLRuntime_INCLUDE_DIR}/../lib/${CMAKE_LIBRARY_ARCHITECTURE}"
  NO_DEFAULT_PATH NO_CACHE)

if(SYCLRuntime_INCLUDE_DIR)
  foreach(part MAJOR MINOR)
    file(STRINGS "${SYCLRuntime_INCLUDE_DIR}/sycl/version.hpp" _SYCLRuntime_line
         REGEX "define __LIBSYCL_${part}_VERSION ")
    string(REGEX MATCH "[0-9]+$" SYCLRuntime_VERSION_${part} "${_SYCLRuntime_line}")
  endforeach()
  set(SYCLRuntime_VERSION "${SYCLRuntime_VERSION_MAJOR}.${SYCLRuntime_VERSION_MINOR}")
endif()
if(SYCLRuntime_LIBRARY)
  cmake_path(GET SYCLRuntime_LIBRARY PARENT_PATH SYCLRuntime_LIBRARY_DIR)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SYCLRuntime
  REQUIRED_VARS SYCLRuntime_LIBRARY SYCLRuntime_INCLUDE_DIR
  VERSION_VAR SYCLRuntime_VERSION
  REASON_FAILURE_MESSAGE
    "Either install intel-sycl-rt and intel-opencl-rt with pip into the Python environment of this build (${_SYCLRuntime_python}), or activate oneAPI, or set SYCLRuntime_ROOT."
)

if(SYCLRuntime_FOUND AND NOT TARGET SYCLRuntime::sycl)
  add_library(SYCLRuntime::sycl SHARED IMPORTED) # imported: its headers are SYSTEM, their warnings silent
  set_target_properties(
    SYCLRuntime::sycl PROPERTIES IMPORTED_LOCATION "${SYCLRuntime_LIBRARY}"
                                 INTERFACE_INCLUDE_DIRECTORIES "${SYCLRuntime_INCLUDE_DIR}")
endif()
