// oneMKL's libraries for SYCL, of which usmx calls functions by the names that they export: neither
// a build nor a run of usmx needs oneMKL. Private to the library.
#pragma once

#include "vendors/library.hpp"

namespace usmx::inline v1::detail {

/// Loads oneMKL's functions of matrices and vectors, with all that they need.
library_search find_onemkl_blas();

/// The handle of what find_onemkl_blas() has found; null if it cannot be used. Warns once if oneMKL
/// is installed beside the SYCL runtime and cannot be used.
void* onemkl_blas();

/// Loads oneMKL's LAPACK for GPUs, with all that it needs.
library_search find_onemkl_lapack();

/// The search and the handle of oneMKL's functions of the host: LAPACK and Fourier transforms.
library_search find_onemkl_host();
void* onemkl_host();

}  // namespace usmx::inline v1::detail
