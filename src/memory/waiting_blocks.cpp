#include "memory/waiting_blocks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <tuple>
#include <utility>

#include "base/ranked_mutex.hpp"
#include "memory/pending_work.hpp"
#include "memory/slab_pool.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The work that one allocation or free does for waiting blocks: it gives back at most
/// `most_returned`, and stops after `most_unfinished` with unfinished work. So the cost does not
/// depend on how many wait, and a block that waits for long does not keep others from being found.
constexpr std::size_t most_returned = 64;
constexpr std::size_t most_unfinished = 1;

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

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

/// If the runtime cannot tell, or there is no memory to ask, the block goes on waiting.
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

class waiting_list {
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
    // Other classes may share the bucket, so the search is bounded. A request that finds no block
    // gets new memory.
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
  /// Returns whether it has gone, here or elsewhere.
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

  /// The next block, which nobody takes until end_look(); null if none is left.
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

  /// The block of that age, which nobody takes until end_look(); null if it has gone. Waits until
  /// no other thread looks at it.
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

  /// Under the mutex, as the next one.
  void look_at(owned_block& block) noexcept {
    block.is_looked_at = true;
    buckets_[block.bucket].erase(block);
  }

  /// Null if none is younger than `age`.
  owned_block* first_after(std::uint64_t age) const noexcept {
    owned_block* at = by_age_.front();
    while (at != nullptr && at->age <= age) {
      at = chain<&owned_block::by_age>::after(*at);
    }
    return at;
  }

  /// Returns the block if it is finished; else it goes on waiting.
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

  /// Removes a block that is out of its bucket already. Under the mutex.
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
  ranked_mutex<lock_rank::waiting_blocks>
      mutex_;  // guards what follows, and the blocks' links; nothing is called under it
  chain<&owned_block::by_age> by_age_;  // ages ascend
  std::array<bucket, bucket_count> buckets_;
  owned_block* next_ = nullptr;  // where the next look begins; null: at the oldest
};

/// Never destroyed: memory may be released after main. Made without an allocation, because
/// releasing memory needs none.
waiting_list& waiting() noexcept {
  alignas(waiting_list) static std::byte place[sizeof(waiting_list)];
  static waiting_list& all = *new (place) waiting_list;
  return all;
}

}  // namespace

void keep_waiting(std::unique_ptr<owned_block> block) noexcept { waiting().add(std::move(block)); }

std::unique_ptr<owned_block> take_waiting(const any_resource& pool, std::size_t nbytes,
                                          std::size_t alignment,
                                          const sycl::queue& queue) noexcept {
  return waiting().take(block_class(pool, nbytes, alignment, queue));
}

void return_some_waiting() noexcept { waiting().return_finished(most_returned, most_unfinished); }

void return_finished_waiting() noexcept {
  waiting().start_at_oldest();
  waiting().return_finished(everything, everything);
}

std::optional<oldest_waiting> find_oldest_waiting() noexcept { return waiting().oldest_after(0); }

bool wait_for_waiting(const oldest_waiting& block) {
  wait_for_pending_work(block.range, access::write);
  return waiting().return_of_age(block.age);
}

void return_all_waiting() {
  const std::uint64_t now = next_age();
  for (auto next = waiting().oldest_after(0); next && next->age < now;
       next = waiting().oldest_after(next->age)) {
    wait_for_waiting(*next);
  }
}

std::size_t waiting_nbytes() noexcept { return waiting().nbytes(); }

std::uint64_t next_age() noexcept {
  static std::atomic<std::uint64_t> count = 0;
  return ++count;
}

}  // namespace usmx::inline v1::detail
