// The bridge to a partner who orders his work by events: dpnp, whose order manager is dpctl's
// (dpctl.utils.SequentialOrderManager). The Python module, which alone can reach the manager, sets
// the functions; in a program without it nobody is asked, and nobody told. Not installed.
#pragma once

#include <optional>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Called with no lock of the library held. The functions take the interpreter lock only where the
/// thread has it, or where usmx's own Python module let it go.
struct partner_bridge {
  /// The partner's unfinished work on the queue. None where the partner cannot be asked: whoever
  /// comes after his work then waits for the queue.
  std::optional<std::vector<sycl::event>> (*unfinished_work)(const sycl::queue&);
  /// Makes the partner's later work on the queue come after the event. Waits for the event where
  /// the partner is there and cannot be told. `is_own`: usmx has submitted the work, and knows all
  /// bytes that it uses, so unfinished_work() need not give it back.
  void (*tell)(const sycl::queue&, const sycl::event&, bool is_own);
  /// Waits for an event, without the interpreter lock.
  void (*wait)(const sycl::event&);
};

/// The functions must stay valid for ever. Null takes them away.
USMX_API void set_partner_bridge(const partner_bridge*) noexcept;

/// For the functions: waits for work that the calling function has submitted, which is not given up
/// (runtime/waits.hpp).
USMX_API void wait_for_submitted(const sycl::event&);

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

std::optional<std::vector<sycl::event>> unfinished_work_of_partner(const sycl::queue&);
void tell_partner(const sycl::queue&, const sycl::event&, bool is_own);
/// For waits of calls that may have the interpreter lock.
void wait_unlocked(const sycl::event&);

}  // namespace usmx::inline v1::detail
