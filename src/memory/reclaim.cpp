#include "memory/reclaim.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "memory/pool.hpp"
#include "runtime/contexts.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "runtime/waits.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::detail {
namespace {

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

/// The age number of memory that begins to wait now. The numbers grow.
std::uint64_t next_age() noexcept {
  static std::atomic<std::uint64_t> count = 0;
  return ++count;
}

// ---- reusable blocks

/// The work that one allocation or free does for waiting blocks: it gives back at most
/// `most_returned_blocks`, and stops after `most_unfinished_blocks` with unfinished work. So the
/// cost does not depend on how many wait, and a block that waits for long does not keep others from
/// being found.
constexpr std::size_t most_returned_blocks = 64;
constexpr std::size_t most_unfinished_blocks = 1;

/// An intrusive doubly linked list: adding a block allocates nothing.
template <chain_links owned_block::* links>
class chain {
 public:
  owned_block* front() const noexcept { return front_; }
  owned_block* back() const noexcept { return back_; }
  static owned_block* after(const owned_block& block) noexcept { return (block.*links).after; }
  static owned_block* before(const owned_block& block) noexcept { return (block.*links).before; }

  void push_back(owned_block& block) noexcept {
    (block.*links) = {back_, nullptr};
    (back_ == nullptr ? front_ : (back_->*links).after) = &block;
    back_ = &block;
  }
  void erase(owned_block& block) noexcept {
    const auto [before, after] = block.*links;
    (before == nullptr ? front_ : (before->*links).after) = after;
    (after == nullptr ? back_ : (after->*links).before) = before;
  }

 private:
  owned_block* front_ = nullptr;
  owned_block* back_ = nullptr;
};

byte_range bytes_of(const owned_block& block) noexcept {
  return range_of(block.first, block.nbytes);
}

std::size_t size_of(const owned_block& block) noexcept {
  return pooled_size(block.nbytes, block.alignment);
}

/// Blocks of one class serve the same requests.
struct block_class {
  const void* pool;
  std::size_t size;
  std::size_t alignment;
  std::size_t queue;

  block_class(const any_resource& of, std::size_t nbytes, std::size_t wanted_alignment,
              const sycl::queue& on) noexcept
      : pool(of.identity()),
        size(pooled_size(nbytes, wanted_alignment)),
        alignment(std::max(wanted_alignment, largest_pool_alignment)),
        queue(std::hash<sycl::queue>()(on)) {}
  explicit block_class(const owned_block& block) noexcept
      : block_class(block.resource, block.nbytes, block.alignment, block.queue) {}

  bool operator==(const block_class&) const = default;

  std::size_t bucket(std::size_t count) const noexcept {
    const std::size_t mixed =
        (std::hash<const void*>()(pool) ^ (queue >> 4) ^ (size >> 6)) * 0x9e3779b97f4a7c15;
    return (mixed >> 32) % count;
  }
};

/// Whether the block's work is finished. If the runtime cannot tell, or there is no memory to ask,
/// it is not: the block goes on waiting.
bool is_finished(const owned_block& block) noexcept {
  try {
    return is_work_finished(bytes_of(block));
  } catch (...) {
    return false;
  }
}

void give_back(std::unique_ptr<owned_block> block) noexcept {
  block->resource.deallocate(block->first, block->nbytes, block->alignment, block->queue);
}

struct oldest_waiting {
  byte_range range;
  std::uint64_t age;
};

class reusable_blocks {
 public:
  void add(std::unique_ptr<owned_block> block) noexcept {
    const block_class of(*block);
    const std::lock_guard lock(mutex_);
    block->age = next_age();
    block->bucket = of.bucket(bucket_count);
    by_age_.push_back(*block);
    buckets_[block->bucket].push_back(*block);
    count(1, of.size);
    std::ignore = block.release();
  }

  std::unique_ptr<owned_block> take(const block_class& wanted) noexcept {
    if (count_.load(std::memory_order_relaxed) == 0) {
      return nullptr;
    }
    const std::lock_guard lock(mutex_);
    const bucket& in = buckets_[wanted.bucket(bucket_count)];
    owned_block* at = in.back();
    // The search is bounded because other classes may share the bucket. A request that finds no
    // block gets new memory.
    for (int looks = 0; at != nullptr && looks < 16; ++looks) {
      if (block_class(*at) == wanted) {
        buckets_[at->bucket].erase(*at);
        return remove(*at);
      }
      at = bucket::before(*at);
    }
    return nullptr;
  }

  /// Looks at blocks in turn, beginning where the last look ended.
  void return_finished(std::size_t returns, std::size_t unfinished) noexcept {
    std::size_t left = count_.load(std::memory_order_relaxed);
    for (; left > 0 && returns > 0 && unfinished > 0; --left) {
      owned_block* const block = begin_look();
      if (block == nullptr) {
        return;
      }
      if (std::unique_ptr<owned_block> finished = end_look(*block, is_finished(*block))) {
        give_back(std::move(finished));
        --returns;
      } else {
        --unfinished;
      }
    }
  }

  void start_at_oldest() noexcept {
    const std::lock_guard lock(mutex_);
    next_ = by_age_.front();
  }

  /// The oldest block that is younger than `age`.
  std::optional<oldest_waiting> oldest_after(std::uint64_t age) noexcept {
    const std::lock_guard lock(mutex_);
    const owned_block* const first = first_after(age);
    return first == nullptr ? std::nullopt
                            : std::optional(oldest_waiting{bytes_of(*first), first->age});
  }

  /// Gives the block of that age back if it is finished. Waits until no other thread looks at it.
  /// Returns whether the block has gone, by this call or by another thread.
  bool return_of_age(std::uint64_t age) {
    owned_block* const block = begin_look_at(age);
    if (block == nullptr) {
      return true;
    }
    std::unique_ptr<owned_block> finished = end_look(*block, is_finished(*block));
    if (finished == nullptr) {
      return false;
    }
    give_back(std::move(finished));
    return true;
  }

  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t bucket_count = 1024;
  using bucket = chain<&owned_block::by_size>;

  /// The next block, which no other thread takes until end_look(); null if none is left.
  owned_block* begin_look() noexcept {
    const std::lock_guard lock(mutex_);
    owned_block* const first = next_ != nullptr ? next_ : by_age_.front();
    owned_block* at = first;
    while (at != nullptr && at->is_looked_at) {
      at = chain<&owned_block::by_age>::after(*at);
      at = at != nullptr ? at : by_age_.front();
      if (at == first) {
        return nullptr;
      }
    }
    if (at != nullptr) {
      look_at(*at);
      next_ = chain<&owned_block::by_age>::after(*at);
    }
    return at;
  }

  /// The block of that age, which no other thread takes until end_look(); null if it has gone.
  /// Waits until no other thread looks at it.
  owned_block* begin_look_at(std::uint64_t age) {
    while (true) {
      const std::uint32_t ended = looks_ended_.load();
      {
        const std::lock_guard lock(mutex_);
        owned_block* const at = first_after(age - 1);
        if (at == nullptr || at->age != age) {
          return nullptr;
        }
        if (!at->is_looked_at) {
          look_at(*at);
          return at;
        }
      }
      looks_ended_.wait(ended);
    }
  }

  /// Marks a block that a thread looks at, and takes it out of its bucket. Called under the mutex.
  void look_at(owned_block& block) noexcept {
    block.is_looked_at = true;
    buckets_[block.bucket].erase(block);
  }

  /// The oldest block that is younger than `age`; null if there is none. Called under the mutex.
  owned_block* first_after(std::uint64_t age) const noexcept {
    owned_block* at = by_age_.front();
    while (at != nullptr && at->age <= age) {
      at = chain<&owned_block::by_age>::after(*at);
    }
    return at;
  }

  /// Returns the block if it is finished; otherwise the block goes on waiting.
  std::unique_ptr<owned_block> end_look(owned_block& block, bool finished) noexcept {
    const std::lock_guard lock(mutex_);
    block.is_looked_at = false;
    ++looks_ended_;
    looks_ended_.notify_all();
    if (finished) {
      return remove(block);
    }
    buckets_[block.bucket].push_back(block);
    return nullptr;
  }

  /// Removes a block that is out of its bucket already. Called under the mutex.
  std::unique_ptr<owned_block> remove(owned_block& block) noexcept {
    if (next_ == &block) {
      next_ = chain<&owned_block::by_age>::after(block);
    }
    by_age_.erase(block);
    count(-1, -size_of(block));
    return std::unique_ptr<owned_block>(&block);
  }

  void count(std::size_t blocks, std::size_t nbytes) noexcept {
    count_.fetch_add(blocks, std::memory_order_relaxed);
    nbytes_.fetch_add(nbytes, std::memory_order_relaxed);
  }

  std::atomic<std::size_t> count_ = 0;
  std::atomic<std::size_t> nbytes_ = 0;
  std::atomic<std::uint32_t> looks_ended_ = 0;  // no condition, which may allocate
  ranked_mutex<lock_rank::reusable_blocks>
      mutex_;  // guards what follows, and the blocks' links; nothing is called under it
  chain<&owned_block::by_age> by_age_;  // ages ascend
  std::array<bucket, bucket_count> buckets_;
  owned_block* next_ = nullptr;  // where the next look begins; null: at the oldest
};

/// The object is never destroyed, since memory may be released after main. It is made without an
/// allocation, because releasing memory needs none.
reusable_blocks& reusable() noexcept {
  alignas(reusable_blocks) static std::byte place[sizeof(reusable_blocks)];
  static reusable_blocks& all = *new (place) reusable_blocks;
  return all;
}

/// Waits for the work on that block, and gives the block back to its pool. Waits for a thread that
/// looks at the block, too. Returns false if the block stays, since the runtime cannot tell whether
/// its work is finished.
bool wait_for_reusable(const oldest_waiting& block) {
  wait_for_pending_work(block.range, access::write);
  return reusable().return_of_age(block.age);
}

/// Waits for all blocks that wait now, and gives them back to their pools. Blocks whose work the
/// runtime cannot tell to be finished stay.
void return_all_reusable() {
  const std::uint64_t now = next_age();
  for (auto next = reusable().oldest_after(0); next && next->age < now;
       next = reusable().oldest_after(next->age)) {
    wait_for_reusable(*next);
  }
}

// ---- deferred releases

/// The most blocks that may wait for queues of others before a new allocation waits for the oldest.
constexpr std::size_t most_deferred = 1024;

/// A look at the list stops after this many batches with unfinished work. The next look goes on
/// behind them.
constexpr std::size_t most_unfinished_batches = 2;

/// The work that deferred blocks wait for.
struct awaited_work {
  std::vector<sycl::event> work;
  /// Out-of-order queues of others. No event is sure to come after all their work
  /// (docs/decisions.md, 32), so the blocks wait until such a queue was idle.
  std::vector<queue_moment> queues;
};

/// Blocks that arrived together.
struct batch : awaited_work {
  std::vector<release_action> releases;
  std::size_t nbytes = 0;
  std::uint64_t age = 0;

  /// Polls events in order and stops at the first incomplete one. Polls no event again that was
  /// complete.
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

class deferred_batches {
 public:
  deferred_batches() { arrivals_.reserve(most_deferred); }

  void add(deferred_release block) noexcept {
    const std::size_t nbytes = block.range.nbytes();
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
  void release_finished(std::size_t unfinished, look how) {
    // The list is destroyed last, without the lock: the release actions may release other memory,
    // or run Python.
    std::list<batch> finished;
    const std::unique_lock working(work_mutex_, std::try_to_lock);
    if (!working.owns_lock()) {
      return;  // another thread looks at the list
    }
    batch_arrivals(how);
    const std::exception_ptr failure = take_finished(batches_, next_, unfinished, finished);
    count_out(finished);
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  void limit_blocks() {
    if (block_count_ <= most_deferred) {
      return;
    }
    for (const sycl::queue& queue : unique(awaited_queues())) {
      internal::wait_interruptibly(queue);
    }
    release_finished(everything, look::submits);
  }

  std::optional<std::uint64_t> oldest_age() {
    const std::lock_guard working(work_mutex_);
    batch_arrivals(look::submits);
    return batches_.empty() ? std::nullopt : std::optional(batches_.front().age);
  }

  /// Waits for the work of the oldest batch, outside of the lock.
  void wait_for_oldest() {
    std::vector<awaited_work> copy;
    {
      const std::lock_guard working(work_mutex_);
      if (batches_.empty()) {
        return;
      }
      copy.push_back(batches_.front());
      next_ = batches_.begin();
    }
    wait_interruptibly_for(copy);
    release_finished(most_unfinished_batches, look::submits);
  }

  void wait_for_all() {
    std::vector<awaited_work> copies;
    {
      const std::lock_guard working(work_mutex_);
      batch_arrivals(look::submits);
      copies.assign(batches_.begin(), batches_.end());
    }
    wait_interruptibly_for(copies);
  }

  /// Waits for all batches and releases them. If a signal interrupts the wait, all blocks stay.
  void release_all() {
    if (may_be_interrupted()) {
      wait_for_all();
    }
    std::list<batch> all;
    {
      const std::lock_guard working(work_mutex_);
      batch_arrivals(look::submits);
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

  /// Makes one batch of all arrivals of each queue. A look that only asks leaves those that may
  /// need a barrier. If this throws, the rest waits for the next time.
  void batch_arrivals(look how) {
    take_arrivals();
    auto rest = how == look::submits
                    ? unbatched_.begin()
                    : std::partition(unbatched_.begin(), unbatched_.end(), may_need_barrier);
    while (rest != unbatched_.end()) {
      const sycl::queue queue = rest->queue;
      const auto others = std::partition(
          rest, unbatched_.end(), [&](const deferred_release& b) { return b.queue == queue; });
      batch_of({rest, others});
      rest = unbatched_.erase(rest, others);
    }
  }

  /// Whether a batch with this block may need a barrier: work that was started on a stream has no
  /// event until a barrier makes one.
  static bool may_need_barrier(const deferred_release& block) {
    return traits_of(block.queue.get_backend()).in_order_queues_are_streams ||
           std::ranges::any_of(block.other_queues,
                               [](const sycl::queue& each) { return each.is_in_order(); });
  }

  /// Makes a batch of these blocks. If this throws, nothing was done.
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
      made.nbytes += block.range.nbytes();
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

  static void wait_interruptibly_for(const std::vector<awaited_work>& all) {
    for (const awaited_work& each : all) {
      wait_interruptibly_for_all(each.work);
      for (const queue_moment& since : each.queues) {
        internal::wait_interruptibly(since.queue());
      }
    }
  }

  /// Waits for all work, whichever part of it fails, before anything is released.
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
  // The mutex guards the arrivals. The runtime is not called under it.
  ranked_mutex<lock_rank::deferred_arrivals> arrivals_mutex_;
  std::vector<deferred_release> arrivals_;
  ranked_mutex<lock_rank::deferred_work> work_mutex_;  // guards what follows
  std::vector<deferred_release> unbatched_;
  std::list<batch> batches_;                          // the oldest first
  std::list<batch>::iterator next_ = batches_.end();  // where the next look begins
};

void wait_for_deferred();

/// The object is never destroyed: memory may be released after main.
deferred_batches& deferred() {
  static auto* instance = [] {
    add_exit_wait(wait_for_deferred);
    return new deferred_batches;
  }();
  return *instance;
}

/// Waits at exit for the work of all batches, which must not go on. Releases nothing, because
/// deleters may need objects that are gone.
void wait_for_deferred() { deferred().wait_for_all(); }

/// Waits for the block or batch that has waited for longest. Returns whether one was released: none
/// may be left, or the runtime cannot tell of the oldest.
bool wait_for_oldest() {
  const std::optional<oldest_waiting> block = reusable().oldest_after(0);
  const std::optional<std::uint64_t> age = deferred().oldest_age();
  if (!block && !age) {
    return false;
  }
  if (block && (!age || block->age < *age)) {
    return wait_for_reusable(*block);
  }
  deferred().wait_for_oldest();
  return true;
}

void release(std::size_t unfinished, look how) noexcept {
  if (!deferred().any()) {
    return;
  }
  try {
    deferred().release_finished(unfinished, how);
  } catch (...) {
    // The runtime cannot tell now, or there is no memory for the look: a later look tries again.
  }
}

}  // namespace

void keep_waiting(std::unique_ptr<owned_block> block) noexcept { reusable().add(std::move(block)); }

std::unique_ptr<owned_block> take_waiting(const any_resource& pool, std::size_t nbytes,
                                          std::size_t alignment,
                                          const sycl::queue& queue) noexcept {
  return reusable().take(block_class(pool, nbytes, alignment, queue));
}

release_action holding(std::shared_ptr<const void> kept) {
  using owner = std::shared_ptr<const void>;
  return {[](void* state) noexcept { delete static_cast<owner*>(state); },
          new owner(std::move(kept))};
}

void release_later(deferred_release block) noexcept { deferred().add(std::move(block)); }

void release_finished(look how) noexcept {
  if (!is_forked_child()) {
    reusable().return_finished(most_returned_blocks, most_unfinished_blocks);
    release(most_unfinished_batches, how);
  }
}

void release_all_finished() noexcept {
  if (!is_forked_child()) {
    reusable().start_at_oldest();
    reusable().return_finished(everything, everything);
    release(everything, look::submits);
  }
}

void limit_deferred() {
  if (deferred().any()) {
    deferred().limit_blocks();
  }
  while (deferred_nbytes() > pending_limit() && wait_for_oldest()) {
  }
}

void release_all() {
  deferred().release_all();
  return_all_reusable();
}

std::size_t deferred_nbytes() noexcept { return deferred().nbytes() + reusable().nbytes(); }

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
