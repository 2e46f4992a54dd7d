// Small blocks, cut from slabs. Each thread works on one of 16 shards, whose magazines hold some
// free blocks of each size; a depot for each size has the others. The lists of free blocks are
// outside of the memory, which the host may not be able to touch. Private to the library.
//
// Beside the rounding of sizes, it wastes at most one slab more than the peak needed for each size
// in use, and what the magazines of other threads hold. A slab is no larger than what the size had
// already, or 8 blocks, or 64 KiB. A magazine holds 32 blocks of a size or 64 KiB in each shard,
// whichever is less.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include "base/ranked_mutex.hpp"
#include "memory/pool_supply.hpp"

namespace usmx::inline v1::detail {

class slab_pool {
 public:
  explicit slab_pool(pool_supply& supply) noexcept : supply_(supply) {}
  slab_pool(const slab_pool&) = delete;
  slab_pool& operator=(const slab_pool&) = delete;
  /// Gives every slab back. No block may be in use.
  ~slab_pool();

  /// `size` from block_size, at most largest_slab_block.
  std::byte* allocate(std::size_t size);
  /// The same, but null if it would need a slab.
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
    // Held by the thread that gets a slab, and room for its blocks. Taken before the other mutex.
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

}  // namespace usmx::inline v1::detail
