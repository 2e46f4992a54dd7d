// How many work items a kernel is launched with, checked, and its launch in the order of all work
// on its arrays. Private to the library.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel.hpp>
#include <sycl/queue.hpp>

#include "tracking/pending_work.hpp"
#include "user_kernels/arguments.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// What a device and a kernel allow. Sizes are in the order of launch_sizes.
struct launch_limits {
  std::size_t group_size;
  std::array<std::size_t, 3> group_sizes;
  std::size_t local_nbytes;
  /// The size of a group that the kernel was compiled for; zeros if it takes any.
  std::array<std::size_t, 3> required;
};

launch_limits limits_of(const sycl::kernel&, const sycl::device&, int dimensions);

/// Throws value_error unless the kernel can run with these sizes. Those that were left open are
/// chosen.
launch_sizes checked_sizes(const kernel_signature&, const launch_sizes&, const launch_limits&);

/// An array that a command reads, or writes as well.
struct array_use {
  const array* used;
  access made;
};

/// Submits a command to a queue, in the order of all work on the arrays (array/submission.hpp).
sycl::event submit_in_order(const sycl::queue&, std::span<const array_use>,
                            std::span<const sycl::event> after,
                            const std::function<void(sycl::handler&)>& command);

/// Runs a kernel with arguments that are known to suit, one for each parameter and none in local
/// memory, on a queue of its context and device. Throws value_error for sizes that do not suit.
sycl::event launch_checked(const kernel&, const launch_sizes&, std::span<const argument_bytes>,
                           std::span<const array_use>, const sycl::queue&,
                           std::span<const sycl::event> after);

}  // namespace usmx::inline v1::detail
