#include "pool/block_cache.hpp"

#include <algorithm>
#include <functional>
#include <new>

namespace usmx::inline v1::detail {

std::byte* block_cache::allocate(std::size_t size, std::size_t alignment) {
  const block_type type = type_for(size, alignment);
  std::byte* const known = take(type);
  give_back_surplus();
  return known != nullptr ? known : acquire(type);
}

std::byte* block_cache::take(block_type type) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto at = types_.lower_bound(type);
       at != types_.end() && at->first.alignment == type.alignment &&
       at->first.size - type.size <= type.size / 4;
       ++at) {
    blocks_of_type& of = at->second;
    if (!of.free.empty()) {
      of.last_use = ++clock_;
      std::byte* const block = of.free.back();
      of.free.pop_back();
      count_free(-at->first.size);
      return block;
    }
  }
  return nullptr;
}

std::byte* block_cache::acquire(block_type type) {
  std::byte* const block = supply_.acquire(type.size, type.alignment);
  try {
    add(block, type);
  } catch (...) {
    give_back(block, type);
    throw;
  }
  return block;
}

/// Adds a new block, with room in the list of free blocks for its release.
void block_cache::add(std::byte* block, block_type type) {
  const std::lock_guard lock(mutex_);
  blocks_of_type& of = types_[type];
  if (of.free.capacity() == of.count) {
    of.free.reserve(2 * of.count + 1);
  }
  type_of_.emplace(block, type);
  ++of.count;
}

void block_cache::deallocate(std::byte* block) noexcept {
  const std::lock_guard lock(mutex_);
  const block_type type = type_of_.find(block)->second;
  blocks_of_type& of = types_.find(type)->second;
  of.last_use = ++clock_;
  of.free.push_back(block);
  count_free(type.size);
}

void block_cache::give_back(std::byte* block, block_type type) noexcept {
  supply_.give_back(block, type.size, type.alignment);
}

void block_cache::shrink(std::size_t limit) noexcept {
  free_block taken{};
  while (take_oldest(limit, taken)) {
    give_back(taken.block, taken.type);
  }
}

void block_cache::trim() noexcept {
  std::vector<free_block> taken;
  try {
    taken.reserve(1024);
  } catch (const std::bad_alloc&) {
    return shrink(0);  // without memory: one by one, looking at all types each time
  }
  do {
    taken.clear();
    take_some(taken);
    // The last address first, because it is nearest to the end of the list of all pools' ranges.
    std::ranges::sort(taken, std::greater<>(), &free_block::block);
    for (const free_block& each : taken) {
      give_back(each.block, each.type);
    }
  } while (!taken.empty());
}

/// Takes as many blocks as there is room for.
void block_cache::take_some(std::vector<free_block>& taken) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [type, of] : types_) {
    while (!of.free.empty() && taken.size() < taken.capacity()) {
      taken.push_back({of.free.back(), type});
      type_of_.erase(of.free.back());
      of.free.pop_back();
      --of.count;
      count_free(-type.size);
    }
  }
}

bool block_cache::take_oldest(std::size_t limit, free_block& taken) noexcept {
  const std::lock_guard lock(mutex_);
  if (free_nbytes_.load(std::memory_order_relaxed) <= limit) {
    return false;
  }
  auto oldest = types_.end();
  for (auto at = types_.begin(); at != types_.end(); ++at) {
    if (!at->second.free.empty() &&
        (oldest == types_.end() || at->second.last_use < oldest->second.last_use)) {
      oldest = at;
    }
  }
  auto& [type, of] = *oldest;
  taken = {of.free.back(), type};
  of.free.pop_back();
  --of.count;
  count_free(-type.size);
  type_of_.erase(taken.block);
  return true;
}

/// Adds to the number of free bytes; under the mutex.
void block_cache::count_free(std::size_t nbytes) noexcept {
  free_nbytes_.store(free_nbytes_.load(std::memory_order_relaxed) + nbytes,
                     std::memory_order_relaxed);
}

}  // namespace usmx::inline v1::detail
