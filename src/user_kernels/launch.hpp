// The launch of a kernel in the order of all work on its arrays. Private to the library.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "array/submission.hpp"
#include "user_kernels/arguments.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// An array that a command reads, or writes as well.
struct array_use {
  const array* used;
  access made;
};

/// Puts a command into a handler, which depends on the events already.
using ordered_command = std::function<void(sycl::handler&, const std::vector<sycl::event>& before)>;

/// Where work runs, and what it comes after beside the work on its arrays.
struct launch_order {
  const sycl::queue& queue;
  std::span<const sycl::event> after;
  overtaking by_others = overtaking::prevented;
};

/// Submits a command to a queue, in the order of all work on the arrays (array/submission.hpp).
sycl::event submit_in_order(const launch_order&, std::span<const array_use>,
                            const ordered_command& command);

/// The fast_group_size of the kernel's launch_limits.
std::size_t fast_group_size(const kernel&) noexcept;

/// Runs a kernel with arguments that are known to suit, one for each parameter and none in local
/// memory, on a queue of its context and device. Throws value_error for sizes that do not suit.
sycl::event launch_checked(const kernel&, const launch_sizes&, std::span<const argument_bytes>,
                           std::span<const array_use>, const sycl::queue&,
                           std::span<const sycl::event> after);

}  // namespace usmx::inline v1::detail
