#include "memory/block_cache.hpp"

#include <algorithm>

#include "memory/size_classes.hpp"

namespace usmx::detail {

std::byte* block_cache::allocate(std::size_t size) {
  std::byte* const known = take(size);
  return known != nullptr ? known : acquire(size);
}

std::byte* block_cache::take(std::size_t size) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto at = sizes_.lower_bound(size); at != sizes_.end() && at->first - size <= size / 4;
       ++at) {
    blocks_of_size& of = at->second;
    if (!of.free.empty()) {
      of.last_use = ++clock_;
      std::byte* const block = of.free.back();
      of.free.pop_back();
      free_nbytes_ -= at->first;
      return block;
    }
  }
  return nullptr;
}

std::byte* block_cache::acquire(std::size_t size) {
  std::byte* const block = supply_.acquire(size, largest_pool_alignment);
  try {
    add(block, size);
  } catch (...) {
    supply_.give_back(block, size, largest_pool_alignment);
    throw;
  }
  return block;
}

/// With room to let it go.
void block_cache::add(std::byte* block, std::size_t size) {
  const std::lock_guard lock(mutex_);
  blocks_of_size& of = sizes_[size];
  if (of.free.capacity() == of.count) {
    of.free.reserve(2 * of.count + 1);
  }
  size_of_.emplace(block, size);
  ++of.count;
}

void block_cache::deallocate(std::byte* block) noexcept {
  std::size_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto known = size_of_.find(block);
    size = known->second;
    blocks_of_size& of = sizes_.find(size)->second;
    if (size <= limit_) {
      of.last_use = ++clock_;
      of.free.push_back(block);
      free_nbytes_ += size;
    } else {
      --of.count;
      size_of_.erase(known);
    }
  }
  if (size > limit_) {
    supply_.give_back(block, size, largest_pool_alignment);
  } else {
    shrink(limit_);
  }
}

void block_cache::shrink(std::size_t limit) noexcept {
  free_block taken{};
  while (take_oldest(limit, taken)) {
    supply_.give_back(taken.block, taken.size, largest_pool_alignment);
  }
}

bool block_cache::take_oldest(std::size_t limit, free_block& taken) noexcept {
  const std::lock_guard lock(mutex_);
  if (free_nbytes_ <= limit) {
    return false;
  }
  auto oldest = sizes_.end();
  for (auto at = sizes_.begin(); at != sizes_.end(); ++at) {
    if (!at->second.free.empty() &&
        (oldest == sizes_.end() || at->second.last_use < oldest->second.last_use)) {
      oldest = at;
    }
  }
  auto& [size, of] = *oldest;
  taken = {of.free.back(), size};
  of.free.pop_back();
  --of.count;
  free_nbytes_ -= size;
  size_of_.erase(taken.block);
  return true;
}

}  // namespace usmx::detail
