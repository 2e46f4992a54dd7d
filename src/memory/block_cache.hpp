// Large blocks, each an allocation of its own, kept when they are free: up to a limit, beyond which
// those of the size that was not used for the longest time go back. A request gets a free block
// that is less than a quarter larger, if there is one. Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "memory/pool_supply.hpp"

namespace usmx::detail {

class block_cache {
 public:
  block_cache(pool_supply& supply, std::size_t limit) noexcept : supply_(supply), limit_(limit) {}
  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  /// No block may be in use.
  ~block_cache() { trim(); }

  /// `size` from block_size.
  std::byte* allocate(std::size_t size);
  void deallocate(std::byte* block) noexcept;
  /// Gives back all that is free.
  void trim() noexcept { shrink(0); }

 private:
  struct blocks_of_size {
    std::vector<std::byte*> free;  // with room for all blocks of the size
    std::size_t count = 0;         // of all those
    std::uint64_t last_use = 0;
  };
  struct free_block {
    std::byte* block;
    std::size_t size;
  };

  std::byte* take(std::size_t size) noexcept;
  std::byte* acquire(std::size_t size);
  void add(std::byte* block, std::size_t size);
  void shrink(std::size_t limit) noexcept;
  bool take_oldest(std::size_t limit, free_block& taken) noexcept;

  pool_supply& supply_;
  const std::size_t limit_;
  std::mutex mutex_;  // of what follows
  std::map<std::size_t, blocks_of_size> sizes_;
  std::unordered_map<std::byte*, std::size_t> size_of_;  // of all blocks, in use or not
  std::size_t free_nbytes_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace usmx::detail
