# usmx_set_python_rpath(<target> DESTINATION <folder below site-packages>)
#
# Gives <target>, a library that will be installed into site-packages/<folder> ("." for a top-level
# module; the same words as in install(... DESTINATION)), run paths by which the loader finds
#   libusmx.so                     in  site-packages/usmx/lib
#   libsycl, oneMKL and the like   in  <prefix>/lib, where their wheels put them
# They are relative to the installed file, so they hold in a virtual environment, with --user and with
# --prefix. An absolute run path into the build tree comes from CMake by itself until installation.
function(usmx_set_python_rpath target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESTINATION" "")
  if(NOT DEFINED arg_DESTINATION)
    message(FATAL_ERROR "usmx_set_python_rpath(${target}): expected DESTINATION <folder below site-packages>")
  endif()

  set(root "/site-packages")
  cmake_path(SET here NORMALIZE "${root}/${arg_DESTINATION}")
  cmake_path(RELATIVE_PATH root BASE_DIRECTORY "${here}" OUTPUT_VARIABLE up)
  set(site_packages "$ORIGIN/${up}")

  set_property(
    TARGET ${target}
    APPEND
    PROPERTY INSTALL_RPATH
             "${site_packages}/usmx/lib"
             # site-packages is <prefix>/lib/pythonX.Y/site-packages, or below lib64, while the
             # runtime's wheels always use lib: hence up to <prefix> and down again.
             "${site_packages}/../../../lib"
             # uv pip install --target (pip's own --target drops the runtime's libraries)
             "${site_packages}/lib")
  # DT_RPATH, not DT_RUNPATH: with RUNPATH a foreign LD_LIBRARY_PATH would replace libsycl, and the
  # libraries that libsycl itself needs would not be searched for here. dpctl does the same.
  target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
endfunction()
