// Large blocks, each an allocation of its own, which are kept when they are free. Beyond a limit,
// the blocks of the least recently used size are given back. The next allocation does that, because
// giving back may wait, and freeing never waits. A request gets a free block that is less than a
// quarter larger, if there is one. Private to the library.
#pragma once

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/ranked_mutex.hpp"
#include "pool/pool_supply.hpp"
#include "pool/size_classes.hpp"

namespace usmx::inline v1::detail {

class block_cache {
 public:
  block_cache(pool_supply& supply, std::size_t limit) noexcept : supply_(supply), limit_(limit) {}
  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  /// No block may be in use.
  ~block_cache() { trim(); }

  /// `size` from block_size; any alignment.
  std::byte* allocate(std::size_t size, std::size_t alignment);
  /// The same, but null if no free block fits. Does not call the runtime.
  std::byte* try_to_allocate(std::size_t size, std::size_t alignment) noexcept {
    // The common case of a pool whose free blocks all wait for work takes no lock.
    return free_nbytes_.load(std::memory_order_relaxed) < size ? nullptr
                                                               : take(type_for(size, alignment));
  }
  /// Calls nothing of the runtime.
  void deallocate(std::byte* block) noexcept;
  /// Whether more is free than the limit allows.
  bool has_surplus() const noexcept {
    return free_nbytes_.load(std::memory_order_relaxed) > limit();
  }
  /// Gives back what is free beyond the limit.
  void give_back_surplus() noexcept {
    if (has_surplus()) {
      shrink(limit());
    }
  }
  /// Gives back all that is free.
  void trim() noexcept;
  /// How many bytes may be free.
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

}  // namespace usmx::inline v1::detail
