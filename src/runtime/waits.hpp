// Waiting for the runtime: a queue's lock, waits that a signal ends, events that are known to be
// complete, and waiting for events and queues. Private to the library.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include <sycl/backend_types.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

// Waits that the calling thread may give up, because a helper thread does them: so the Python
// module lets Ctrl-C end them.

/// The exception of a wait that was given up. The work goes on, and its memory lives until it is
/// done.
class USMX_API interrupted_wait : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A function that says whether to give up a wait. A waiting thread calls it every 50 ms, and holds
/// no lock of usmx's.
using interrupt_check = bool (*)();

/// Sets the check that gives up the calling thread's waits for *earlier* work from now on; with
/// null, no wait is given up. Returns the check that was set before. A wait for work that the
/// waiting function itself has submitted is never given up, since the function may own memory that
/// the work uses.
USMX_API interrupt_check set_interrupt_check(interrupt_check) noexcept;

/// Does as usmx::wait_for_queue, for earlier work. Throws interrupted_wait if the wait was given
/// up.
USMX_API void wait_interruptibly(const sycl::queue&);

/// The back end that has the event. None if the event is complete from the start, or is that of a
/// host task or of a command that waits for one. `event.get_backend()` crashes for the event of a
/// host task, whether it runs or is complete (libsycl 2026.2; docs/decisions.md, 20).
USMX_API std::optional<sycl::backend> backend_of(const sycl::event&);

// All waiting inside a driver, refusing it, and observing it. The Python module uses this, too: no
// thread may wait while it holds the interpreter lock.

/// The exception in place of a wait that no_waiting refuses.
struct would_wait {};

/// Makes anything on this thread that would have to wait throw would_wait, as long as this object
/// lives. Functions of arrays that wait for earlier work throw before they change anything. A
/// thread has one such object at a time.
class USMX_API no_waiting {
 public:
  no_waiting() noexcept;
  no_waiting(const no_waiting&) = delete;
  no_waiting& operator=(const no_waiting&) = delete;
  ~no_waiting();
};

/// Sets a function that is called before every wait in a driver, or for a lock that is held in a
/// driver. For tests. Null turns it off.
USMX_API void tell_of_waits(void (*told)() noexcept) noexcept;

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

struct used_queue;
using queue_mutex = ranked_mutex<lock_rank::queue>;

/// The lock of a queue during each call that submits to it. The queue is remembered from then on.
/// No thread holds two such locks. Only out-of-order queues are really locked (docs/decisions.md,
/// 17): while one thread waits for such a queue, the SYCL runtime hides commands from other threads
/// that wait. If another one submits to it, OpenCL's CPU driver crashes, and CUDA's adapter loses
/// commands. But a submission to any queue may wait inside of the runtime (docs/decisions.md, 189),
/// so no thread submits with the interpreter lock.
class queue_lock {
 public:
  queue_lock(std::shared_ptr<used_queue> of, std::unique_lock<queue_mutex> lock) noexcept;

  /// Waits until everything that was submitted to the queue before is complete.
  void wait(sycl::queue) const;

 private:
  std::shared_ptr<used_queue> of_;  // outlives the lock
  std::unique_lock<queue_mutex> lock_;
};

queue_lock lock_queue(const sycl::queue&);

/// Calls `command(queue)`, which submits a command, under the lock, and returns its result.
template <class Command>
auto submit_to(sycl::queue queue, const Command& command) {
  const queue_lock lock = lock_queue(queue);
  return command(queue);
}

/// Submits a barrier, which comes after everything that was submitted to an in-order queue. On an
/// out-of-order queue a barrier may miss commands (docs/decisions.md, 19).
inline sycl::event submit_barrier(const sycl::queue& in_order) {
  return submit_to(in_order, [](sycl::queue& to) { return to.ext_oneapi_submit_barrier(); });
}

/// The number of an in-order queue, which no other queue ever has; 0 for one that is out of order.
/// Work of one such number runs in the order in which it was submitted.
std::uint64_t stream_number(const sycl::queue&);

/// A mark of how far usmx had waited for a queue when this object was made. It holds no queue.
class queue_mark {
 public:
  explicit queue_mark(const sycl::queue&);
  /// Whether usmx has since waited for everything that was submitted before.
  bool was_waited_for() const noexcept;
  std::uint64_t stream_number() const noexcept;

 private:
  friend class queue_moment;

  std::shared_ptr<used_queue> of_;
  std::uint64_t waits_begun_;
};

/// A moment in the life of a queue: the one at which this object was made.
class queue_moment {
 public:
  explicit queue_moment(const sycl::queue&);
  const sycl::queue& queue() const noexcept { return queue_; }
  /// Whether everything that was submitted before is complete, as far as can be told without
  /// waiting: usmx has waited for the queue since, or the queue is empty now. Asks the runtime, if
  /// the back end's queues can tell (docs/decisions.md, 18).
  bool is_past() const;

 private:
  sycl::queue queue_;
  queue_mark mark_;
};

/// The queues that have been locked and that some code still holds.
std::vector<sycl::queue> used_queues();

/// Whether the calling thread may give up waits for earlier work.
bool may_be_interrupted() noexcept;

/// Whether the calling thread should give up its wait. It asks every check_interval, and holds no
/// lock, since the check may run Python code.
bool should_give_up();
inline constexpr auto check_interval = std::chrono::milliseconds(50);

/// Runs `wait` on another thread, because a wait inside the driver cannot be interrupted. Throws
/// what `wait` throws, or interrupted_wait if the caller gave up. `wait` then goes on, so it must
/// own what it uses. The caller holds no lock, since the check may run Python code.
void wait_on_helper(std::function<void()> wait);

/// Waits for all these events, which are those of earlier work. The wait may be given up.
void wait_interruptibly_for_all(std::vector<sycl::event>);

/// Whether an event is complete. Callers ask once, and do not poll: polling an event's status slows
/// the work down.
bool is_complete(const sycl::event&);

/// Whether all work that was submitted to an in-order queue is known to be finished. False for
/// OpenCL, which is not asked, because it crashes if another thread submits (docs/decisions.md,
/// 18). Callers ask once, and do not poll: polling has been seen to livelock.
bool is_known_empty(const sycl::queue&);

/// Throws internal::would_wait if the thread must not wait. Called before every wait, and before
/// taking a lock that is held during one.
void about_to_wait();
using driver_mutex = ranked_mutex<lock_rank::driver_wait>;

/// Keeps a thread that waits inside the driver apart. If the driver hangs when several threads wait
/// at once (backend_traits; docs/decisions.md, 21), one thread waits at a time; with other drivers
/// nothing is locked. This is the last lock that a thread takes.
class driver_wait {
 public:
  explicit driver_wait(bool alone);

 private:
  std::unique_lock<driver_mutex> lock_;
};

/// Wait for events; all waits for events go through these two. The first one allocates nothing, so
/// that it cannot fail for lack of memory while a command is still running.
void wait_for(sycl::event);
void wait_for_all(const std::vector<sycl::event>&);

/// Registers an exit handler that waits for all work: work that is unfinished when the runtime's
/// own exit handlers run aborts the process. Called when a queue exists: exit handlers run in
/// reverse order, and this one has to run before those that the runtime registered while it made
/// its first queue.
void wait_at_exit();

/// Adds a wait of a layer above, at most 4 in all. They are called in the order in which they were
/// added, before the queues are waited for.
void add_exit_wait(void (*wait)());

}  // namespace usmx::inline v1::detail
