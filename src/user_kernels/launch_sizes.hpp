// How many work items a kernel is launched with, checked. Private to the library.
#pragma once

#include <array>
#include <cstddef>

#include <sycl/device.hpp>
#include <sycl/kernel.hpp>

#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// The limits of a launch, by the device and the kernel. Sizes are in the order of launch_sizes.
struct launch_limits {
  std::size_t group_size;
  std::array<std::size_t, 3> group_sizes;
  std::size_t local_nbytes;
  /// The size of a group that the kernel was compiled for; zeros if it takes any.
  std::array<std::size_t, 3> required;
  /// The most groups along one dimension, which is the innermost of three and any of two, and along
  /// each of the others.
  std::size_t groups_along_one;
  std::size_t groups_along_others;
  /// The size of a group in which kernels that only pass through memory are fastest.
  std::size_t fast_group_size;
};

launch_limits limits_of(const sycl::kernel&, const sycl::device&, int dimensions);

/// Throws value_error unless the kernel can run with these sizes. Those that were left open are
/// chosen.
launch_sizes checked_sizes(const kernel_signature&, const launch_sizes&, const launch_limits&);

}  // namespace usmx::inline v1::detail
