# usmx_find_onemkl(<domain>): makes the target usmx::onemkl_<domain>, oneMKL's SYCL routines of a domain (blas,
# lapack, dft, rng, sparse, stats, vm, data_fitting); usmx_onemkl_<domain>_FOUND says whether they are there.
#
# PyPI's wheels (onemkl-sycl-include, onemkl-sycl-<domain>) put them beside the SYCL runtime, without links,
# hence the full names; a oneAPI installation has them in MKLROOT and TBBROOT.
function(usmx_find_onemkl domain)
  find_path(include oneapi/mkl/types.hpp HINTS "${SYCLRuntime_INCLUDE_DIR}" "$ENV{MKLROOT}/include" NO_CACHE)
  set(libraries)
  # oneMKL's SYCL libraries leave it to the program to link the others.
  foreach(name mkl_sycl_${domain}.so.6 mkl_intel_ilp64.so.3 mkl_tbb_thread.so.3 mkl_core.so.3 tbb.so.12)
    unset(library)
    find_library(library lib${name} HINTS "${include}/../lib" "$ENV{MKLROOT}/lib" "$ENV{TBBROOT}/lib" NO_CACHE)
    list(APPEND libraries "${library}")
  endforeach()
  if("${include};${libraries}" MATCHES "NOTFOUND")
    set(usmx_onemkl_${domain}_FOUND FALSE PARENT_SCOPE)
    return()
  endif()
  set(usmx_onemkl_${domain}_FOUND TRUE PARENT_SCOPE)
  if(NOT TARGET usmx::onemkl_${domain})
    add_library(usmx::onemkl_${domain} INTERFACE IMPORTED)
    target_include_directories(usmx::onemkl_${domain} INTERFACE "${include}")
    target_compile_definitions(usmx::onemkl_${domain} INTERFACE MKL_ILP64)
    target_link_libraries(usmx::onemkl_${domain} INTERFACE usmx::usmx ${libraries})
    # A module calls only the first of them; a linker that drops the others leaves it without.
    target_link_options(usmx::onemkl_${domain} INTERFACE LINKER:--no-as-needed)
  endif()
endfunction()
