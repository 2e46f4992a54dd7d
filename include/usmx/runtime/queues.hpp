// The default contexts, the queues that usmx keeps, one for each context and device, and waiting
// for the work of any queue. Next: memory/.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/host_compiler.hpp"

namespace usmx::inline v1 {

/// The default context of the device's platform, which all users of the platform share. It holds
/// all root devices of the platform. Throws fork_error in a forked child.
USMX_API sycl::context default_context(const sycl::device&);

/// Describes a context for messages: "context 0x55d0... of 1 device (...)".
USMX_API std::string describe(const sycl::context&);

/// The queue that usmx keeps for a context and one of its devices, or a sub-device of one. The same
/// pair gives the same queue as long as somebody holds it. The queue of a GPU (CUDA, Level Zero) is
/// in order, that of any other device out of order, as dpctl's are (docs/decisions.md, 16 and 169).
/// In a Python process that has loaded dpctl, it is the queue that dpctl and dpnp keep for the
/// device, which is out of order, so that arrays of all packages are on one queue. Once a program
/// has one of these queues, usmx expects work on it that it has not submitted itself, and waits for
/// that work where it must not miss it. Throws value_error when the device does not belong to the
/// context, and for a sub-device in its parent's context if the back end (OpenCL) has no such
/// queues: then the context must be made of the sub-device. Throws fork_error in a forked child.
USMX_API sycl::queue cached_queue(const sycl::context&, const sycl::device&);
/// The queue that usmx keeps for the device and the default context of its platform. Throws
/// value_error for a sub-device of a back end (OpenCL) that has no queues for sub-devices in their
/// parent's context, and fork_error in a forked child.
USMX_API sycl::queue cached_queue(const sycl::device&);
/// The queue of new arrays for which no queue is named: the calling thread's (using_queue), else
/// what set_default_queue() has set, else the queue that usmx keeps for the default device and the
/// default context of its platform. Throws device_error when there is no device, and fork_error in
/// a forked child.
USMX_API sycl::queue default_queue();
/// Sets the default queue of all threads; none stands for the queue of the default device. Returns
/// what was set before, or none. Arrays that exist stay where they are. Throws fork_error in a
/// forked child.
USMX_API std::optional<sycl::queue> set_default_queue(std::optional<sycl::queue>);

/// Makes a queue the default queue of the calling thread, as long as this object lives. To be
/// destroyed on the same thread, in reverse order.
class USMX_API [[nodiscard]] using_queue {
 public:
  /// Throws fork_error in a forked child.
  explicit using_queue(const sycl::queue&);
  using_queue(const using_queue&) = delete;
  using_queue& operator=(const using_queue&) = delete;
  /// Brings the default queue from before back.
  ~using_queue();

 private:
  std::unique_ptr<const sycl::queue> before_;
};

/// Waits until all work that was submitted to the queue has finished. Other threads may call this
/// function, and usmx may submit work, at the same time: usmx locks the queue meanwhile.
/// sycl::queue::wait() is not safe for an out-of-order queue that several threads use: with the
/// OpenCL CPU driver (2026.2), clFinish then returns too early or crashes. This function cannot
/// protect against code outside of usmx that submits work to the queue at the same time. Throws
/// fork_error in a forked child.
USMX_API void wait_for_queue(const sycl::queue& queue);

}  // namespace usmx::inline v1
