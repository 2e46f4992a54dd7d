// Questions about submitted work, which are answered without waiting, and without crashing. Not
// installed.
#pragma once

#include <optional>

#include <sycl/backend_types.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::detail {

/// Ask once, and do not poll: polling an event's status slows the work down.
bool is_complete(const sycl::event&);

/// Whether all work that was submitted to an in-order queue is known to be finished. False for
/// OpenCL, which is not asked, because it crashes if another thread submits (docs/decisions.md,
/// 18). Ask once, and do not poll: polling has been seen to livelock.
bool is_known_empty(const sycl::queue&);

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

/// The back end that has the event, or none: the event is complete from the start, or it is that of
/// a host task or of a command that waits for one. `event.get_backend()` crashes for the event of a
/// host task, whether it runs or is complete (libsycl 2026.2; docs/decisions.md, 20).
USMX_API std::optional<sycl::backend> backend_of(const sycl::event&);

}  // namespace usmx::inline v1::internal
