// Waiting for all work of usmx, and for events.
#pragma once

#include <vector>

#include <sycl/event.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Waits until all work has finished that anybody submitted to cached queues (and to those that
/// others see in their place), that usmx enqueued, or that usmx was told of, and frees all memory
/// that waited for it. At exit usmx waits by itself. Throws fork_error in a forked child.
USMX_API void synchronize();

/// Waits for events, and frees what waited for them, such as the host memory of a copy. Throws
/// fork_error in a forked child.
USMX_API void wait_for_events(const std::vector<sycl::event>&);

}  // namespace usmx::inline v1
