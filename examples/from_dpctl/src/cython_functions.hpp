// C++ of the Cython module: dpctl's examples/cython/use_dpctl_sycl and sycl_buffer.
#pragma once

#include <stdexcept>
#include <string>
#include <sycl/device.hpp>
#include <usmx/exchange/c_arrays.hpp>
#include <usmx/generated_kernels/generated_kernels.hpp>

inline std::string device_name(const void* device) {
  return static_cast<const sycl::device*>(device)->get_info<sycl::info::device::name>();
}

inline std::string driver_version(const void* device) {
  return static_cast<const sycl::device*>(device)->get_info<sycl::info::device::driver_version>();
}

/// The sums of the columns of a matrix, on its queue.
inline usmx_owner* columnwise_total(const usmx_owner* matrix) {
  static const usmx::reduction_kernel sum(
      "T x", "T y", {.map = "x", .reduce = "a + b", .post_map = "y = a", .identity = "0"}, {"sum"});
  const usmx::array& a = usmx::exchange::array_of(matrix);
  if (a.ndim() != 2) throw std::invalid_argument("expected a matrix");
  return usmx::exchange::new_owner(sum.along({.axes = {{0}}}, a));
}
