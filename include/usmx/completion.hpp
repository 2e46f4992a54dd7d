// Waiting for all work on a queue. What usmx's own memory waits for by itself: buffer.hpp.
#pragma once

#include <sycl/queue.hpp>

#include "usmx/detail/api.hpp"

namespace usmx {

/// Waits until everything submitted to the queue has finished, also while other threads wait for it
/// by this function or usmx submits to it. sycl::queue::wait() does not where the queue is out of
/// order: on the OpenCL CPU driver (2026.2) clFinish comes back too early, or crashes, when other
/// threads use the queue at the same time. So this waits for its turn, and usmx's own submissions
/// to that queue wait for this. What others submit at the same time is as unsafe as it is anywhere.
USMX_API void wait_for_queue(const sycl::queue& queue);

}  // namespace usmx
