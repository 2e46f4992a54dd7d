// Whether work has finished, asked without waiting. Private to the library.
#pragma once

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

namespace usmx::inline v1::detail {

/// Asked once at a time: polling an event's status slows the work down.
bool is_complete(const sycl::event&);

/// Whether nothing that was submitted to an in-order queue is unfinished; false where that cannot
/// be told: OpenCL is not asked, which crashes when another thread submits (docs/decisions.md, 18).
/// Asked once at a time: polling it has been seen to livelock.
bool is_known_empty(const sycl::queue&);

}  // namespace usmx::inline v1::detail
