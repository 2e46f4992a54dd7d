#include "memory/deferred_release.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "memory/pending_work.hpp"
#include "memory/waiting_blocks.hpp"
#include "runtime/contexts.hpp"
#include "runtime/exit.hpp"
#include "runtime/waits.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/synchronize.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The most blocks that may wait for queues of others before a new allocation waits for the oldest.
constexpr std::size_t most_blocks = 1024;

/// A look at the list stops after this many batches with unfinished work. The next look goes on
/// behind them.
constexpr std::size_t most_unfinished = 2;
constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

/// Blocks that arrived together, and the work that they wait for.
struct batch {
  std::vector<sycl::event> work;
  /// Out-of-order queues of others. No event is sure to come after all their work
  /// (docs/decisions.md, 32), so the blocks wait until such a queue was idle.
  std::vector<queue_moment> queues;
  std::vector<release_action> releases;
  std::size_t nbytes = 0;
  std::uint64_t age = 0;

  /// Asks one event after the other, up to the first that is not complete. Asks no event again that
  /// was complete.
  bool is_finished() {
    std::erase_if(queues, [](const queue_moment& since) { return since.is_past(); });
    if (!queues.empty()) {
      return false;
    }
    while (!work.empty() && is_complete(work.back())) {
      work.pop_back();
    }
    return work.empty();
  }
};

std::size_t nbytes_of(const deferred_release& block) { return block.range.nbytes(); }

class deferred_list {
 public:
  deferred_list() { arrivals_.reserve(most_blocks); }

  void add(deferred_release block) noexcept {
    const std::size_t nbytes = nbytes_of(block);
    const std::lock_guard lock(arrivals_mutex_);
    try {
      arrivals_.push_back(std::move(block));
      nbytes_ += nbytes;
      any_.store(true, std::memory_order_release);
    } catch (const std::bad_alloc&) {
      block.release.forget();
    }
  }

  /// Looks at batches in turn, beginning where the last look ended.
  void release_finished(std::size_t unfinished) {
    // Destroyed last, without the lock: the release actions may release other memory, or run
    // Python.
    std::list<batch> finished;
    const std::unique_lock working(work_mutex_, std::try_to_lock);
    if (!working.owns_lock()) {
      return;  // another thread looks at the list
    }
    batch_arrivals();
    const std::exception_ptr failure = take_finished(batches_, next_, unfinished, finished);
    count_out(finished);
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  void limit_blocks() {
    if (block_count_ <= most_blocks) {
      return;
    }
    for (const sycl::queue& queue : unique(awaited_queues())) {
      internal::wait_interruptibly(queue);
    }
    release_finished(everything);
  }

  std::optional<std::uint64_t> oldest_age() {
    const std::lock_guard working(work_mutex_);
    batch_arrivals();
    return batches_.empty() ? std::nullopt : std::optional(batches_.front().age);
  }

  /// Waits for the work of the oldest batch, outside of the lock.
  void wait_for_oldest() {
    std::list<batch> copy;
    {
      const std::lock_guard working(work_mutex_);
      if (batches_.empty()) {
        return;
      }
      const batch& oldest = batches_.front();
      copy.emplace_back().work = oldest.work;
      copy.front().queues = oldest.queues;
      next_ = batches_.begin();
    }
    wait_interruptibly_for(copy);
    release_finished(most_unfinished);
  }

  void wait_for_all() {
    std::list<batch> copies;
    {
      const std::lock_guard working(work_mutex_);
      batch_arrivals();
      for (const batch& each : batches_) {
        copies.emplace_back().work = each.work;
        copies.back().queues = each.queues;
      }
    }
    wait_interruptibly_for(copies);
  }

  /// If a signal interrupts it, all blocks stay where they are.
  void release_all() {
    if (may_be_interrupted()) {
      wait_for_all();
    }
    std::list<batch> all;
    {
      const std::lock_guard working(work_mutex_);
      batch_arrivals();
      all.splice(all.end(), batches_);
      next_ = batches_.end();
      count_out(all);
    }
    wait_for(all);
  }

  bool any() const noexcept { return any_.load(std::memory_order_acquire); }
  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }

 private:
  void take_arrivals() {
    const std::lock_guard lock(arrivals_mutex_);
    unbatched_.reserve(unbatched_.size() + arrivals_.size());
    std::ranges::move(arrivals_, std::back_inserter(unbatched_));
    arrivals_.clear();
  }

  std::vector<sycl::queue> awaited_queues() {
    std::vector<sycl::queue> found;
    const std::lock_guard working(work_mutex_);
    for (const batch& each : batches_) {
      for (const queue_moment& since : each.queues) {
        found.push_back(since.queue());
      }
    }
    return found;
  }

  void count_out(const std::list<batch>& gone) {
    for (const batch& each : gone) {
      nbytes_ -= each.nbytes;
      block_count_ -= each.releases.size();
    }
    const std::lock_guard lock(arrivals_mutex_);
    any_.store(!batches_.empty() || !unbatched_.empty() || !arrivals_.empty(),
               std::memory_order_release);
  }

  /// All arrivals of one queue become one batch. If this throws, the rest waits for the next time.
  void batch_arrivals() {
    take_arrivals();
    while (!unbatched_.empty()) {
      const sycl::queue queue = unbatched_.front().queue;
      const auto others =
          std::partition(unbatched_.begin(), unbatched_.end(),
                         [&](const deferred_release& b) { return b.queue == queue; });
      batch_of({unbatched_.begin(), others});
      unbatched_.erase(unbatched_.begin(), others);
    }
  }

  /// If this throws, nothing was done.
  void batch_of(std::span<deferred_release> blocks) {
    std::list<batch> one(1);
    batch& made = one.front();
    std::vector<sycl::queue> queues;
    for (const deferred_release& block : blocks) {
      append(made.work, pending_work_before(block.range, access::write).events);
      append(queues, block.other_queues);
    }
    for (const sycl::queue& each : unique(std::move(queues))) {
      if (!each.is_in_order()) {
        made.queues.emplace_back(each);
      } else if (!is_known_empty(each)) {
        made.work.push_back(submit_barrier(each));
      }
    }
    made.releases.reserve(blocks.size());  // the last that may throw
    for (deferred_release& block : blocks) {
      if (block.memory_ends) {
        forget_pending_work(block.range);
      }
      made.nbytes += nbytes_of(block);
      made.releases.push_back(std::move(block.release));
    }
    block_count_ += blocks.size();
    made.age = next_age();
    batches_.splice(batches_.end(), one);
  }

  static std::vector<sycl::queue> unique(std::vector<sycl::queue> all) {
    std::vector<sycl::queue> once;
    for (sycl::queue& each : all) {
      if (std::ranges::find(once, each) == once.end()) {
        once.push_back(std::move(each));
      }
    }
    return once;
  }

  template <class Item>
  static void append(std::vector<Item>& to, const std::vector<Item>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  /// Takes copies of batches that stay in the list.
  static void wait_interruptibly_for(const std::list<batch>& copies) {
    for (const batch& each : copies) {
      wait_interruptibly_for_all(each.work);
      for (const queue_moment& since : each.queues) {
        internal::wait_interruptibly(since.queue());
      }
    }
  }

  /// Waits for all work, whatever fails, before anything is released.
  static void wait_for(const std::list<batch>& batches) {
    std::exception_ptr failure;
    const auto try_to_wait = [&](const auto& wait) {
      try {
        wait();
      } catch (...) {
        failure = std::current_exception();
      }
    };
    for (const batch& each : batches) {
      try_to_wait([&] { detail::wait_for_all(each.work); });
      for (const queue_moment& since : each.queues) {
        try_to_wait([&] { wait_for_queue(since.queue()); });
      }
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  std::atomic<bool> any_ = false;
  std::atomic<std::size_t> nbytes_ = 0;
  std::atomic<std::size_t> block_count_ = 0;  // number of blocks in batches
  // Guards the arrivals. No call of the runtime under it.
  ranked_mutex<lock_rank::deferred_arrivals> arrivals_mutex_;
  std::vector<deferred_release> arrivals_;
  ranked_mutex<lock_rank::deferred_work> work_mutex_;  // guards what follows
  std::vector<deferred_release> unbatched_;
  std::list<batch> batches_;                          // the oldest first
  std::list<batch>::iterator next_ = batches_.end();  // where the next look begins
};

void wait_for_deferred();

/// Never destroyed: memory may be released after main.
deferred_list& list() {
  static auto* instance = [] {
    add_exit_wait(wait_for_deferred);
    return new deferred_list;
  }();
  return *instance;
}

/// At exit nothing is released, because deleters may need what is gone. But the work must not go
/// on.
void wait_for_deferred() { list().wait_for_all(); }

/// Returns whether one was released: none may be left, or the runtime cannot tell of the oldest.
bool wait_for_oldest() {
  const std::optional<oldest_waiting> block = find_oldest_waiting();
  const std::optional<std::uint64_t> age = list().oldest_age();
  if (!block && !age) {
    return false;
  }
  if (block && (!age || block->age < *age)) {
    return wait_for_waiting(*block);
  }
  list().wait_for_oldest();
  return true;
}

void release(std::size_t unfinished) noexcept {
  if (!list().any()) {
    return;
  }
  try {
    list().release_finished(unfinished);
  } catch (...) {
    // The runtime cannot tell now, or there is no memory for the look. A later look tries again.
  }
}

}  // namespace

release_action holding(std::shared_ptr<const void> kept) {
  using owner = std::shared_ptr<const void>;
  return {[](void* state) noexcept { delete static_cast<owner*>(state); },
          new owner(std::move(kept))};
}

void release_later(deferred_release block) noexcept { list().add(std::move(block)); }

void release_finished() noexcept {
  if (!is_forked_child()) {
    return_some_waiting();
    release(most_unfinished);
  }
}

void release_all_finished() noexcept {
  if (!is_forked_child()) {
    return_finished_waiting();
    release(everything);
  }
}

void limit_deferred() {
  if (list().any()) {
    list().limit_blocks();
  }
  while (deferred_nbytes() > pending_limit() && wait_for_oldest()) {
  }
}

void release_all() {
  list().release_all();
  return_all_waiting();
}

std::size_t deferred_nbytes() noexcept { return list().nbytes() + waiting_nbytes(); }

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {

void synchronize() {
  const detail::runtime_call call;
  detail::wait_for_cached_queues();
  detail::wait_for_all_pending_work();
  detail::release_all();
}

void wait_for_events(const std::vector<sycl::event>& events) {
  const detail::runtime_call call;
  detail::wait_interruptibly_for_all(events);
  detail::release_finished();
}

}  // namespace usmx::inline v1
