// Queues inside the library: those that are kept, and those that Python's `with` blocks choose. Not
// installed.
#pragma once

#include <optional>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

// The two faces of a cached queue. Inside, usmx works on queues that nobody else has. As soon as
// the queues are known that the peers (dpctl, dpnp) keep for the same context and device, code
// outside usmx sees these instead, so default arrays of all packages are on one queue. own_queue()
// translates a queue that comes in, and handed_out() one that goes out (docs/decisions.md, 14 and
// 15).

namespace usmx::inline v1::internal {

/// These do as the functions of usmx/runtime/queues.hpp, for usmx's own work: no other code gets
/// these queues.
USMX_API sycl::queue cached_queue(const sycl::context&, const sycl::device&);
USMX_API sycl::queue cached_queue(const sycl::device&);
USMX_API sycl::queue default_queue();

USMX_API std::vector<sycl::queue> all_cached_queues();

/// Makes a queue known as the one that the peers keep for its device and context. If one is known
/// already, that stays.
USMX_API void add_peers_queue(const sycl::queue&);
/// Whether any queue of the peers is known. Until then, queues have one face.
USMX_API bool peers_are_known() noexcept;
/// The peers' queue for the device and the context of a queue; none if it is not known.
USMX_API std::optional<sycl::queue> peers_queue_beside(const sycl::queue&);
USMX_API bool is_cached_queue(const sycl::queue&);

/// usmx's own queue for a queue of the peers; any other queue itself.
USMX_API sycl::queue own_queue(const sycl::queue&);
/// The peers' queue for a cached queue, if it is known; any other queue itself. What it refers to
/// lives as long as the queue that was given.
USMX_API const sycl::queue& presented_queue(const sycl::queue&);
/// The queue that code outside usmx gets for a queue, as presented_queue(). If that is a cached
/// queue itself, usmx expects from now on that the cached queues have work that usmx has not
/// submitted.
USMX_API const sycl::queue& handed_out(const sycl::queue&);
USMX_API bool cached_queues_exposed() noexcept;

/// Waits for a queue, and for the one that others see instead. A signal may interrupt the wait.
USMX_API void wait_for_both(const sycl::queue&);

// Scopes: the choices of Python's `with` blocks for the running thread or asynchronous task, which
// are the queue of new arrays (queues.cpp) and the resource of new memory
// (memory/current_resource.hpp). The Python module knows which blocks hold where. The library asks
// it only while there is a scope.

/// A scope that is counted as long as it lives.
class USMX_API counted_scope {
 public:
  counted_scope() noexcept;
  counted_scope(const counted_scope&) = delete;
  counted_scope& operator=(const counted_scope&) = delete;
  ~counted_scope();
};

/// Whether there is a scope, of any thread.
USMX_API bool scopes_live() noexcept;

/// The queue of the innermost scope that holds for the calling thread. If a using_queue of the
/// thread is given, only scopes count that were begun inside it. None if there is no such scope.
/// Callers may hold any lock.
using scoped_queue_function = std::optional<sycl::queue> (*)(const sycl::queue* innermost);
/// Sets the function that default_queue() asks while there are scopes.
USMX_API void set_scoped_queue_function(scoped_queue_function) noexcept;
/// The queue of the innermost using_queue of the calling thread; null if there is none.
USMX_API const sycl::queue* queue_of_thread() noexcept;

// The bridge to a partner that orders its work by events: dpnp, whose order manager is dpctl's
// (dpctl.utils.SequentialOrderManager). The Python module, which alone can reach the manager, sets
// the functions; in a program without it no partner is asked or told.

/// The functions of the bridge. They are called with no lock of the library held. They take the
/// interpreter lock only if the thread has it, or usmx's own Python module let it go.
struct partner_bridge {
  /// The partner's unfinished work on the queue. None if the partner cannot be asked: the caller
  /// that comes after its work then waits for the queue.
  std::optional<std::vector<sycl::event>> (*unfinished_work)(const sycl::queue&);
  /// Makes the partner's later work on the queue come after the event. Waits for the event if the
  /// partner is there and cannot be told. `is_own` says that usmx has submitted the work, and knows
  /// all bytes that it uses, so unfinished_work() need not give it back.
  void (*tell)(const sycl::queue&, const sycl::event&, bool is_own);
  /// Waits for an event, without the interpreter lock.
  void (*wait)(const sycl::event&);
};

/// Sets the bridge, whose functions must stay valid for ever. Null takes it away.
USMX_API void set_partner_bridge(const partner_bridge*) noexcept;

/// Waits for work that the calling function, one of the bridge's, has submitted, and does not give
/// up (runtime/waits.hpp).
USMX_API void wait_for_submitted(const sycl::event&);

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

std::optional<std::vector<sycl::event>> unfinished_work_of_partner(const sycl::queue&);
void tell_partner(const sycl::queue&, const sycl::event&, bool is_own);
/// Waits for an event in calls that may have the interpreter lock.
void wait_unlocked(const sycl::event&);

}  // namespace usmx::inline v1::detail
