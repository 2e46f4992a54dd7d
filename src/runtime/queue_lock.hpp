// The queues that usmx has submitted work to, a lock for each, and its waits for each. Private to
// the library.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"

namespace usmx::inline v1::detail {

struct used_queue;
using queue_mutex = ranked_mutex<lock_rank::queue>;

/// Held during each call that submits to a queue. The queue is remembered from then on. No thread
/// holds two such locks. Only out-of-order queues are really locked (docs/decisions.md, 17): while
/// one thread waits for such a queue, the SYCL runtime hides commands from other threads that wait.
/// If another one submits to it, OpenCL's CPU driver crashes, and CUDA's adapter loses commands.
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

/// Calls `command(queue)`, which submits a command, under the lock, and returns what it returns.
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

/// A moment in the life of a queue: the one at which this object was made.
class queue_moment {
 public:
  explicit queue_moment(const sycl::queue&);
  const sycl::queue& queue() const noexcept { return queue_; }
  /// Whether everything that was submitted before is complete, as far as can be told without
  /// waiting: usmx has waited for the queue since, or the queue is empty now. The runtime is asked,
  /// where the back end's queues can tell (docs/decisions.md, 18).
  bool is_past() const;

 private:
  bool was_waited_for() const noexcept;

  sycl::queue queue_;
  std::shared_ptr<used_queue> of_;
  std::uint64_t waits_begun_;
};

/// The queues that have been locked and that somebody still holds.
std::vector<sycl::queue> used_queues();

}  // namespace usmx::inline v1::detail
