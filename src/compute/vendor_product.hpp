// Products of matrices by the vendor's library, where it is installed. Not installed.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Starts z = x y for each of the matrices of three arrays of three dimensions, in the order of
/// work on their memory, by oneMKL's BLAS for SYCL, or by cuBLAS on CUDA. Returns false, and has
/// done nothing, where that is not installed, or does not have the element type or the back end.
///
/// All arrays are on one queue and of one type; `z` is in C order; nothing is empty.
USMX_API bool start_vendor_product(const array& x, const array& y, const array& z);

}  // namespace usmx::inline v1::internal
