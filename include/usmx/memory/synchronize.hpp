// Waiting for everything at once, and for events.
#pragma once

#include <vector>

#include <sycl/event.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Waits until everything submitted to usmx's own queues, and everything that usmx enqueued or was
/// told of, has finished, and lets go of all memory that waited for it. The waiting happens by
/// itself at exit.
USMX_API void synchronize();

/// Waits for events, and lets go of what waited for them, such as the host memory of a copy.
USMX_API void wait_for_events(const std::vector<sycl::event>&);

}  // namespace usmx::inline v1
