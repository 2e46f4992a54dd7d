// usmx's own queues, one for each context and device, and waiting for all work on any queue. Next:
// memory/.
#pragma once

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The queue that usmx keeps for a context and one of its devices, or a sub-device of one. It is
/// out of order: consumers such as dpnp dead-lock on in-order queues (docs/decisions.md). The same
/// pair gives the same queue for as long as somebody holds it. Throws value_error when the device
/// is not of the context, and where the back end (OpenCL) has no queues for sub-devices in their
/// parent's context: those need a context made of the sub-device. From then on usmx expects work on
/// its queues that it has not submitted, and waits for it where it must not miss it.
USMX_API sycl::queue cached_queue(const sycl::context&, const sycl::device&);
/// In the platform's default context.
USMX_API sycl::queue cached_queue(const sycl::device&);
/// On the default device.
USMX_API sycl::queue default_queue();

/// Waits until everything submitted to the queue has finished, also while other threads wait for it
/// by this function or usmx submits to it. sycl::queue::wait() does not where the queue is out of
/// order: on the OpenCL CPU driver (2026.2) clFinish comes back too early, or crashes, when other
/// threads use the queue at the same time. So this locks the queue, and usmx's own submissions
/// to that queue wait for this. What others submit at the same time is as unsafe as it is anywhere.
USMX_API void wait_for_queue(const sycl::queue& queue);

}  // namespace usmx::inline v1
