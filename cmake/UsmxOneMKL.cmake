# usmx_onemkl_libraries(<domain> <result>): the names of oneMKL's SYCL library of a domain and of those that it needs,
# but does not name: it leaves it to programs to link them. The domain host has only the latter, which are the
# functions that the host calls.
function(usmx_onemkl_libraries domain result)
  set(names libmkl_intel_ilp64.so.3 libmkl_tbb_thread.so.3 libmkl_core.so.3 libtbb.so.12)
  if(NOT domain STREQUAL host)
    list(PREPEND names libmkl_sycl_${domain}.so.6)
  endif()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# usmx_find_onemkl(<domain>): makes the target usmx::onemkl_<domain>, oneMKL's SYCL routines of a domain (blas,
# lapack, dft, rng, sparse, stats, vm, data_fitting) or the host's; usmx_onemkl_<domain>_FOUND says whether they are there.
#
# PyPI's wheels (onemkl-sycl-include, onemkl-sycl-<domain>) put them beside the SYCL runtime, without links,
# hence the full names; a oneAPI installation has them in MKLROOT and TBBROOT.
function(usmx_find_onemkl domain)
  find_path(include oneapi/mkl/types.hpp HINTS "${SYCLRuntime_INCLUDE_DIR}" "$ENV{MKLROOT}/include" NO_CACHE)
  set(libraries)
  usmx_onemkl_libraries(${domain} names)
  foreach(name IN LISTS names)
    unset(library)
    find_library(library ${name} HINTS "${include}/../lib" "$ENV{MKLROOT}/lib" "$ENV{TBBROOT}/lib" NO_CACHE)
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
