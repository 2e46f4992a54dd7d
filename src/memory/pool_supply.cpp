#include "memory/pool_supply.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "memory/observer.hpp"
#include "memory/registry.hpp"
#include "memory/slab_pool.hpp"
#include "usmx/base/error.hpp"

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

namespace {

/// The most that may be wasted to align a block: a large page.
constexpr std::size_t largest_forced_alignment = std::size_t{2} << 20;

std::byte* aligned(std::byte* block, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return block + (round_up(address, alignment) - address);
}

}  // namespace

class pool_supply::counted {
 public:
  counted(pool_supply& supply, std::size_t nbytes) : supply_(supply), nbytes_(nbytes) {
    supply.count_in(nbytes);
  }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { supply_.count_out(nbytes_); }

  void keep() noexcept { nbytes_ = 0; }

 private:
  pool_supply& supply_;
  std::size_t nbytes_;
};

pool_supply::pool_supply(any_resource upstream, const sycl::queue& queue)
    : upstream_(std::move(upstream)),
      queue_(queue.get_context(), queue.get_device()),
      limit_(std::numeric_limits<std::size_t>::max()) {}

std::byte* pool_supply::acquire(std::size_t nbytes, std::size_t alignment) {
  const acquired made = acquire_untold(nbytes, alignment);
  tell(made);
  return made.first;
}

pool_supply::acquired pool_supply::acquire_untold(std::size_t nbytes, std::size_t alignment) {
  counted bytes(*this, nbytes);
  std::byte* const block = acquire_counted(nbytes, alignment);
  bytes.keep();
  raise_to(peak_, nbytes_.load(std::memory_order_relaxed));
  return {block, nbytes, std::chrono::steady_clock::now()};
}

void pool_supply::tell(const acquired& made) const noexcept {
  if (memory_is_observed()) [[unlikely]] {
    tell_memory_observer({memory_action::allocate, memory_source::pool, kind(), made.nbytes,
                          made.first, queue_, made.since});
  }
}

void pool_supply::give_back(std::byte* block, std::size_t nbytes, std::size_t alignment) noexcept {
  if (memory_is_observed()) [[unlikely]] {
    tell_memory_observer({memory_action::free, memory_source::pool, kind(), nbytes, block, queue_});
  }
  pooled_ranges::remove(block);
  return_upstream(block, nbytes, alignment);
  count_out(nbytes);
}

void pool_supply::count_in(std::size_t nbytes) {
  std::size_t before = nbytes_.load(std::memory_order_relaxed);
  do {
    const std::size_t most = limit();
    if (before > most || nbytes > most - before) {
      throw allocation_error(
          refusal(nbytes, kind(), queue_,
                  message("the pool has ", before, " bytes, its limit is ", most, " bytes")));
    }
  } while (!nbytes_.compare_exchange_weak(before, before + nbytes, std::memory_order_relaxed));
}

void pool_supply::count_out(std::size_t nbytes) noexcept {
  nbytes_.fetch_sub(nbytes, std::memory_order_relaxed);
}

std::byte* pool_supply::acquire_counted(std::size_t nbytes, std::size_t alignment) {
  require_no_lock_but({lock_rank::pool_growth}, "a pool asks the resource below it for memory");
  std::byte* block = nullptr;
  try {
    block = upstream_.allocate(nbytes, alignment, queue_);
  } catch (const allocation_error&) {
    if (alignment > block_granule && alignment <= largest_forced_alignment) {
      block = try_to_acquire_larger(nbytes, alignment);
    }
    if (block == nullptr) {
      throw;
    }
  }
  try {
    pooled_ranges::add(block, nbytes);
  } catch (...) {
    return_upstream(block, nbytes, alignment);
    throw;
  }
  return block;
}

/// Null if there is no such memory either.
std::byte* pool_supply::try_to_acquire_larger(std::size_t nbytes, std::size_t alignment) {
  const std::size_t larger = nbytes + alignment;
  if (larger < nbytes) {
    return nullptr;
  }
  std::optional<counted> more;
  std::byte* base = nullptr;
  try {
    more.emplace(*this, alignment);
    base = upstream_.allocate(larger, 0, queue_);
  } catch (const allocation_error&) {
    return nullptr;
  }
  std::byte* const block = aligned(base, alignment);
  try {
    const std::lock_guard lock(larger_mutex_);
    larger_.emplace(block, larger_block{base, larger});
  } catch (...) {
    upstream_.deallocate(base, larger, 0, queue_);
    throw;
  }
  more->keep();
  return block;
}

void pool_supply::return_upstream(std::byte* block, std::size_t nbytes,
                                  std::size_t alignment) noexcept {
  require_no_lock_but({lock_rank::pool_growth}, "a pool returns memory to the resource below it");
  {
    const std::lock_guard lock(larger_mutex_);
    if (const auto found = larger_.find(block); found != larger_.end()) {
      block = found->second.base;
      count_out(found->second.nbytes - nbytes);
      nbytes = found->second.nbytes;
      alignment = 0;
      larger_.erase(found);
    }
  }
  upstream_.deallocate(block, nbytes, alignment, queue_);
}

}  // namespace usmx::inline v1::detail
