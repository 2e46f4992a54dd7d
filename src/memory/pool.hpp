// The parts of a pool: the sizes of its blocks, its supply of memory from the resource below, the
// cache of large blocks, and small blocks, cut from slabs; and the list of all pools that live.
// Private to the library.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

// The sizes that a pool's blocks have: multiples of 64 bytes, then a fixed number of steps for each
// power of two.
//
// Rounding wastes less than 64 bytes of a block of up to 256, less than a quarter of a request of
// up to 64 KiB (4 steps), and less than a sixteenth of a larger one (16 steps).

/// The smallest block, and the alignment of all blocks.
inline constexpr std::size_t block_granule = 64;
/// Larger blocks are not cut from slabs.
inline constexpr std::size_t largest_slab_block = std::size_t{64} << 10;
/// The largest alignment for which a pool does not ask for more than a block's size.
inline constexpr std::size_t largest_pool_alignment = 4096;

/// `value` rounded up to a multiple of a power of two; `value` itself where that overflows.
constexpr std::size_t round_up(std::size_t value, std::size_t step) noexcept {
  const std::size_t rounded = (value + (step - 1)) & ~(step - 1);
  return rounded < value ? value : rounded;
}

/// The size of the block for a request with nbytes > 0 and an alignment of at most
/// largest_pool_alignment. It is a multiple of the alignment.
constexpr std::size_t block_size(std::size_t nbytes, std::size_t alignment) noexcept {
  const std::size_t steps = nbytes <= largest_slab_block ? 4 : 16;
  const std::size_t step = std::max(block_granule, std::bit_floor(nbytes - 1) / steps);
  const std::size_t size = round_up(nbytes, step);
  const std::size_t aligned = round_up(size, std::max(alignment, block_granule));
  // If a multiple of the alignment is no size of the steps, the next size is a multiple of both.
  return aligned == size ? size
                         : round_up(aligned, std::max(step, std::bit_floor(aligned) / steps));
}

/// The size of a pool's block for a request with any alignment: one beyond largest_pool_alignment
/// does not make the size larger.
constexpr std::size_t pooled_size(std::size_t nbytes, std::size_t alignment) noexcept {
  return block_size(nbytes, std::min(alignment, largest_pool_alignment));
}

/// The index of a slab block's size among all sizes, from 0.
constexpr std::size_t class_index(std::size_t size) noexcept {
  constexpr std::size_t quarter = 4 * block_granule;
  if (size <= quarter) {
    return size / block_granule - 1;
  }
  const auto doublings = static_cast<std::size_t>(std::bit_width((size - 1) / quarter));
  const std::size_t step = (quarter << (doublings - 1)) / 4;
  return 4 * doublings + (size - (quarter << (doublings - 1))) / step - 1;
}

inline constexpr std::size_t slab_class_count = class_index(largest_slab_block) + 1;

constexpr std::size_t size_of_class(std::size_t index) noexcept {
  if (index < 4) {
    return (index + 1) * block_granule;
  }
  return (block_granule << (index / 4 - 1)) * (index % 4 + 5);
}

// The memory that a pool gets from the resource below it. Counts it, keeps it within the pool's
// limit, and notes its ranges as a pool's (memory/registry.hpp). Thread-safe. Private to the
// library.

class pool_supply {
 public:
  struct acquired {
    std::byte* first = nullptr;
    std::size_t nbytes = 0;
    std::chrono::steady_clock::time_point since{};
  };

  /// Makes a supply of memory of the queue's context and device.
  pool_supply(any_resource upstream, const sycl::queue& queue);

  /// Gets memory from the resource below, and asks it for more bytes if it does not keep an
  /// alignment. Throws allocation_error if the limit or the resource below refuses.
  std::byte* acquire(std::size_t nbytes, std::size_t alignment);
  /// Acquires memory as acquire() does, for a caller that holds a lock, and that tells the observer
  /// after it has released the lock.
  acquired acquire_untold(std::size_t nbytes, std::size_t alignment);
  void tell(const acquired&) const noexcept;
  /// Gives back a block of acquire(), with the same arguments. The caller holds no lock.
  void give_back(std::byte* block, std::size_t nbytes, std::size_t alignment) noexcept;

  usm_kind kind() const noexcept { return upstream_.kind(); }
  const any_resource& upstream() const noexcept { return upstream_; }
  const sycl::queue& queue() const noexcept { return queue_; }
  /// The bytes that the pool has, without those that alignment costs.
  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }
  std::size_t peak_nbytes() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void reset_peak() noexcept { peak_.store(nbytes(), std::memory_order_relaxed); }
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  /// Sets the limit. The pool keeps what it has already.
  void set_limit(std::size_t nbytes) noexcept { limit_.store(nbytes, std::memory_order_relaxed); }

 private:
  /// A block that was asked for to get an aligned one inside it.
  struct larger_block {
    std::byte* base;
    std::size_t nbytes;
  };

  /// A number of bytes that count as the pool's until this object is destroyed, and for good once
  /// it is told to keep them.
  class counted;

  void count_in(std::size_t nbytes);
  void count_out(std::size_t nbytes) noexcept;
  std::byte* acquire_counted(std::size_t nbytes, std::size_t alignment);
  std::byte* try_to_acquire_larger(std::size_t nbytes, std::size_t alignment);
  void return_upstream(std::byte* block, std::size_t nbytes, std::size_t alignment) noexcept;

  any_resource upstream_;
  // A queue of the pool's own: a copy of usmx's cached queue would keep that queue in use for ever.
  sycl::queue queue_;
  std::atomic<std::size_t> nbytes_ = 0;
  std::atomic<std::size_t> peak_ = 0;
  std::atomic<std::size_t> limit_;
  ranked_mutex<lock_rank::larger_blocks> larger_mutex_;
  std::map<std::byte*, larger_block> larger_;
};

/// Sets the peak to the value if that is greater.
inline void raise_to(std::atomic<std::size_t>& peak, std::size_t value) noexcept {
  std::size_t known = peak.load(std::memory_order_relaxed);
  while (known < value && !peak.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

// The large blocks of a pool. Each is an allocation of its own, and is kept when it is free. Beyond
// a limit, the blocks of the least recently used size are given back. The next allocation does
// that, because giving back may wait, and freeing never waits. A request gets a free block that is
// less than a quarter larger, if there is one.

class block_cache {
 public:
  block_cache(pool_supply& supply, std::size_t limit) noexcept : supply_(supply), limit_(limit) {}
  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  /// Gives back all free blocks. No block may be in use.
  ~block_cache() { trim(); }

  /// Gives a block of that `size`, which is from block_size, with any alignment.
  std::byte* allocate(std::size_t size, std::size_t alignment);
  /// Gives a free block of that size; null if none fits. Does not call the runtime.
  std::byte* try_to_allocate(std::size_t size, std::size_t alignment) noexcept {
    // A pool whose free blocks all wait for work, the common case, takes no lock.
    return free_nbytes_.load(std::memory_order_relaxed) < size ? nullptr
                                                               : take(type_for(size, alignment));
  }
  /// Takes a block back. Does not call the runtime.
  void deallocate(std::byte* block) noexcept;
  bool has_surplus() const noexcept {
    return free_nbytes_.load(std::memory_order_relaxed) > limit();
  }
  void give_back_surplus() noexcept {
    if (has_surplus()) {
      shrink(limit());
    }
  }
  /// Gives back all free blocks.
  void trim() noexcept;
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  void set_limit(std::size_t nbytes) noexcept {
    limit_.store(nbytes, std::memory_order_relaxed);
    give_back_surplus();
  }

 private:
  /// A block serves requests of its alignment only.
  struct block_type {
    std::size_t alignment;
    std::size_t size;
    auto operator<=>(const block_type&) const = default;
  };
  struct blocks_of_type {
    std::vector<std::byte*> free;  // has capacity for all blocks of the type
    std::size_t count = 0;         // number of all blocks of the type
    std::uint64_t last_use = 0;
  };
  struct free_block {
    std::byte* block;
    block_type type;
  };

  static block_type type_for(std::size_t size, std::size_t alignment) noexcept {
    return {std::max(alignment, largest_pool_alignment), size};
  }

  std::byte* take(block_type type) noexcept;
  std::byte* acquire(block_type type);
  void add(std::byte* block, block_type type);
  void give_back(std::byte* block, block_type type) noexcept;
  void shrink(std::size_t limit) noexcept;
  void take_some(std::vector<free_block>& taken) noexcept;
  bool take_oldest(std::size_t limit, free_block& taken) noexcept;
  void count_free(std::size_t nbytes) noexcept;

  pool_supply& supply_;
  std::atomic<std::size_t> limit_;
  ranked_mutex<lock_rank::block_cache> mutex_;  // guards what follows
  std::map<block_type, blocks_of_type> types_;
  std::unordered_map<std::byte*, block_type> type_of_;  // all blocks, in use or not
  std::atomic<std::size_t> free_nbytes_ = 0;            // read without the mutex, too
  std::uint64_t clock_ = 0;
};

// Small blocks, cut from slabs. Each thread works on one of 16 shards, whose magazines hold some
// free blocks of each size; a depot for each size has the others. The lists of free blocks are
// outside of the memory, which the host may not be able to touch.
//
// The waste, beside the rounding of sizes, is at most one slab more than the peak needed for each
// size in use, and what the magazines of other threads hold. A slab is no larger than what the size
// had already, or 8 blocks, or 64 KiB. A magazine holds 32 blocks of a size or 64 KiB in each
// shard, whichever is less.

class slab_pool {
 public:
  explicit slab_pool(pool_supply& supply) noexcept : supply_(supply) {}
  slab_pool(const slab_pool&) = delete;
  slab_pool& operator=(const slab_pool&) = delete;
  /// Gives every slab back. No block may be in use.
  ~slab_pool();

  /// Gives a block of that `size`, which is from block_size and at most largest_slab_block.
  std::byte* allocate(std::size_t size);
  /// Gives a block of a slab that there is; null if a new slab would be needed.
  std::byte* try_to_allocate(std::size_t size) noexcept;
  void deallocate(std::byte* block, std::size_t size) noexcept;
  /// Gives back the slabs without a block in use.
  void trim() noexcept;

 private:
  static constexpr std::size_t shard_count = 16;
  static constexpr std::size_t magazine_blocks = 32;
  static constexpr std::size_t magazine_nbytes = std::size_t{64} << 10;

  struct magazine {
    std::array<std::byte*, magazine_blocks> blocks;
    std::size_t count = 0;
  };
  struct alignas(64) shard {
    ranked_mutex<lock_rank::pool_shard> mutex;
    std::array<magazine, slab_class_count> magazines;
  };
  struct slab {
    std::byte* first;
    std::size_t nbytes;
  };
  struct depot {
    // The mutex is held by a thread that gets a slab, and room for its blocks. It is taken before
    // the other one.
    ranked_mutex<lock_rank::pool_growth> growth_mutex;
    ranked_mutex<lock_rank::pool_depot> mutex;  // guards what follows
    std::vector<std::byte*> free;               // has capacity for all blocks
    std::vector<slab> slabs;
    std::size_t nbytes = 0;
  };

  static std::size_t capacity_for(std::size_t size) noexcept;
  shard& shard_of_thread();
  std::byte* take(shard&, std::size_t index, std::size_t size) noexcept;
  static bool refill(magazine&, depot&, std::size_t size) noexcept;
  static void empty(magazine&, depot&, std::size_t left) noexcept;
  void grow(depot&, std::size_t size);
  pool_supply::acquired add_slab(depot&, std::size_t size);
  void drain_magazines() noexcept;
  void trim(depot&, std::size_t size) noexcept;
  class slab_counts;
  static std::vector<slab> take_unused_slabs(depot&, std::size_t size);
  static std::vector<slab> unused_slabs(depot&, std::size_t size);
  static void take_blocks(depot&, slab_counts&, std::vector<std::byte*>& taken) noexcept;

  pool_supply& supply_;
  ranked_mutex<lock_rank::pool_trim>
      trim_mutex_;  // held by the thread that trims; taken before the others
  std::array<std::atomic<shard*>, shard_count> shards_{};
  std::array<depot, slab_class_count> depots_;
};

/// The base of a pool's parts. A part is listed from enter_living_pools() until it is destroyed.
class living_pool {
 public:
  virtual ~living_pool() = default;

  /// Gives unused memory back to the resource below.
  virtual void trim() noexcept = 0;
  virtual void give_back_surplus() noexcept = 0;

 private:
};

void enter_living_pools(const std::shared_ptr<living_pool>& pool);

/// All pools that live, the latest first: then a pool below, which was made earlier, also gives
/// back what the pools above gave back to it.
std::vector<std::shared_ptr<living_pool>> living_pools();

}  // namespace usmx::inline v1::detail
