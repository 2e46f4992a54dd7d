// The queues that usmx keeps, one for each context and device, and waiting for the work of any
// queue. Next: memory/.
#pragma once

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The queue that usmx keeps for a context and one of its devices, or a sub-device of one. The same
/// pair gives the same queue as long as somebody holds it. The queue is out of order, because
/// consumers such as dpnp dead-lock on in-order queues (docs/decisions.md). Once a program has one
/// of these queues, usmx expects work on them that it has not submitted itself, and waits for that
/// work where it must not miss it. Throws value_error when the device does not belong to the
/// context, and for a sub-device in its parent's context if the back end (OpenCL) has no such
/// queues: then the context must be made of the sub-device. Throws fork_error in a forked child.
USMX_API sycl::queue cached_queue(const sycl::context&, const sycl::device&);
/// The queue that usmx keeps for the device and the default context of its platform. Throws
/// value_error for a sub-device of a back end (OpenCL) that has no queues for sub-devices in their
/// parent's context, and fork_error in a forked child.
USMX_API sycl::queue cached_queue(const sycl::device&);
/// The queue that usmx keeps for the default device and the default context of its platform. Throws
/// device_error when there is no device, and fork_error in a forked child.
USMX_API sycl::queue default_queue();

/// Waits until all work that was submitted to the queue has finished. Other threads may call this
/// function, and usmx may submit work, at the same time: usmx locks the queue meanwhile.
/// sycl::queue::wait() is not safe for an out-of-order queue that several threads use: with the
/// OpenCL CPU driver (2026.2), clFinish then returns too early or crashes. This function cannot
/// protect against code outside of usmx that submits work to the queue at the same time. Throws
/// fork_error in a forked child.
USMX_API void wait_for_queue(const sycl::queue& queue);

}  // namespace usmx::inline v1
