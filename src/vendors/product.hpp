// Products of matrices by the vendor's library (docs/decisions.md, 136). Not installed.
#pragma once

#include <string>

#include <sycl/device.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Starts z = x y for each of the matrices of three arrays of three dimensions, in the order of
/// work on their memory, by oneMKL's BLAS for SYCL, or by cuBLAS on CUDA. Returns false, and has
/// done nothing, where that cannot be used, or does not have the element type or the back end.
///
/// All arrays are on one queue and of one type; `z` is in C order; nothing is empty.
USMX_API bool start_vendor_product(const array& x, const array& y, const array& z);

/// A library that computes products, as people are told of it.
struct vendor_library {
  std::string name;  ///< empty if none is known for the device
  bool is_found;
  std::string text;          ///< its file, or why it cannot be used
  std::string install = {};  ///< how it comes, if that is known
};

/// Looks for the library that start_vendor_product() calls on a device, and loads it.
USMX_API vendor_library find_product_library(const sycl::device& device);

/// Look for the libraries that compute Fourier transforms and linear algebra on a device. CUDA's
/// devices have both, and Level Zero's the latter.
USMX_API vendor_library find_transform_library(const sycl::device& device);
USMX_API vendor_library find_solver_library(const sycl::device& device);

/// Looks for oneMKL's LAPACK and Fourier transforms of the host, and loads them.
USMX_API vendor_library find_host_library();

}  // namespace usmx::inline v1::internal
