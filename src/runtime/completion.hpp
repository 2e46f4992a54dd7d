// Whether work has finished, asked without waiting. Private to the library.
#pragma once

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

namespace usmx::inline v1::detail {

/// Ask once, and do not poll: polling an event's status slows the work down.
bool is_complete(const sycl::event&);

/// Whether all work that was submitted to an in-order queue is known to be finished. False for
/// OpenCL, which is not asked, because it crashes if another thread submits (docs/decisions.md,
/// 18). Ask once, and do not poll: polling has been seen to livelock.
bool is_known_empty(const sycl::queue&);

}  // namespace usmx::inline v1::detail
