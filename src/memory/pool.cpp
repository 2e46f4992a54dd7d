#include "memory/pool.hpp"

#include <functional>
#include <limits>
#include <new>
#include <utility>

#include "base/process.hpp"
#include "memory/current_resource.hpp"
#include "memory/observer.hpp"
#include "memory/registry.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

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
    // Blocks of the last addresses go first, because they are nearest to the end of the list of all
    // pools' ranges.
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

/// The most bytes that may be wasted to align a block: a large page.
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

/// Acquires a larger block, which has an aligned one inside it; null if there is no such memory
/// either.
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

namespace {

using listed_pools = living_objects<living_pool, ranked_mutex<lock_rank::living_pools>>;

}  // namespace

void enter_living_pools(const std::shared_ptr<living_pool>& pool) {
  immortal<listed_pools>().add(pool);
}

std::vector<std::shared_ptr<living_pool>> living_pools() {
  std::vector<std::shared_ptr<living_pool>> found = immortal<listed_pools>().all();
  std::ranges::reverse(found);
  return found;
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

std::size_t default_keep_limit(const sycl::device& device) {
  constexpr std::size_t least = std::size_t{64} << 20;
  return std::max<std::size_t>(least, device.get_info<sycl::info::device::global_mem_size>() / 16);
}

}  // namespace

struct [[gnu::visibility("hidden")]] pool_resource::parts final : detail::living_pool {
  parts(any_resource upstream, const sycl::queue& queue, std::size_t keep_limit)
      : supply(std::move(upstream), queue), slabs(supply), cache(supply, keep_limit) {}

  static bool is_of_slab(std::size_t size, std::size_t alignment) noexcept {
    return size <= detail::largest_slab_block && alignment <= detail::largest_pool_alignment;
  }
  std::byte* take(std::size_t size, std::size_t alignment) {
    if (!is_of_slab(size, alignment)) {
      return cache.allocate(size, alignment);
    }
    cache.give_back_surplus();
    return slabs.allocate(size);
  }
  /// Takes a free block; returns null if there is none, or if surplus has to be given back first.
  std::byte* try_to_take(std::size_t size, std::size_t alignment) noexcept {
    if (cache.has_surplus()) {
      return nullptr;
    }
    return is_of_slab(size, alignment) ? slabs.try_to_allocate(size)
                                       : cache.try_to_allocate(size, alignment);
  }
  void count_in(std::size_t size) noexcept {
    const std::size_t now = used.fetch_add(size, std::memory_order_relaxed) + size;
    if (now > peak_used.load(std::memory_order_relaxed)) {
      detail::raise_to(peak_used, now);
    }
  }
  void put_back(std::byte* block, std::size_t size, std::size_t alignment) noexcept {
    if (is_of_slab(size, alignment)) {
      slabs.deallocate(block, size);
    } else {
      cache.deallocate(block);
    }
  }

  void trim() noexcept override {
    if (detail::is_forked_child()) {
      return;
    }
    slabs.trim();
    cache.trim();
  }

  void give_back_surplus() noexcept override { cache.give_back_surplus(); }

  detail::pool_supply supply;
  detail::slab_pool slabs;
  detail::block_cache cache;
  alignas(64) std::atomic<std::size_t> used = 0;
  std::atomic<std::size_t> peak_used = 0;
};

pool_resource::pool_resource(any_resource upstream, const sycl::queue& queue,
                             std::optional<std::size_t> keep_limit)
    : parts_(std::make_shared<parts>(
          detail::as_upstream(std::move(upstream)), queue,
          keep_limit ? *keep_limit : default_keep_limit(queue.get_device()))) {
  parts_->supply.upstream().require_place(queue);
  detail::enter_living_pools(parts_);
}

pool_resource::~pool_resource() {
  if (detail::is_forked_child()) {
    std::ignore = new std::shared_ptr(std::move(parts_));  // leaked
  }
}

std::byte* pool_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                   const sycl::queue& queue) {
  detail::require_possible_request(nbytes, alignment, kind(), queue);  // before bytes are counted
  require_place(queue);
  const std::size_t size = detail::pooled_size(nbytes, alignment);
  std::byte* block = nullptr;
  try {
    block = parts_->take(size, alignment);
  } catch (const std::bad_alloc&) {
    free_all_blocks();
  }
  if (block == nullptr) {
    try {
      block = parts_->take(size, alignment);
    } catch (const allocation_error& failed) {
      std::string_view why = failed.what();
      if (const std::string same = detail::refusal(nbytes, kind(), queue, "");
          why.starts_with(same)) {
        why.remove_prefix(same.size());  // it is said once
      }
      throw allocation_error(detail::refusal(nbytes, kind(), queue,
                                             detail::message("its pool found no memory: ", why)));
    }
  }
  parts_->count_in(size);
  return block;
}

std::byte* pool_resource::try_allocate(std::size_t nbytes, std::size_t alignment,
                                       const sycl::queue&) noexcept {
  if (!detail::is_possible_request(nbytes, alignment)) {
    return nullptr;
  }
  const std::size_t size = detail::pooled_size(nbytes, alignment);
  std::byte* const block = parts_->try_to_take(size, alignment);
  if (block != nullptr) {
    parts_->count_in(size);
  }
  return block;
}

void pool_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                               const sycl::queue&) noexcept {
  const std::size_t size = detail::pooled_size(nbytes, alignment);
  parts_->used.fetch_sub(size, std::memory_order_relaxed);
  parts_->put_back(block, size, alignment);
}

usm_kind pool_resource::kind() const noexcept { return parts_->supply.kind(); }

const any_resource& pool_resource::upstream() const noexcept { return parts_->supply.upstream(); }

void pool_resource::require_place(const sycl::queue& queue) const {
  const sycl::queue& own = parts_->supply.queue();
  const sycl::device device = queue.get_device();
  const sycl::context context = queue.get_context();
  if (device != own.get_device() || context != own.get_context()) {
    throw value_error(detail::message("a pool of ", describe(own.get_device()), " in ",
                                      describe(own.get_context()), " has no memory for a queue of ",
                                      describe(device), " in ", describe(context)));
  }
}

pool_statistics pool_resource::statistics() const noexcept {
  return {.used = parts_->used.load(std::memory_order_relaxed),
          .peak_used = parts_->peak_used.load(std::memory_order_relaxed),
          .total = parts_->supply.nbytes(),
          .peak_total = parts_->supply.peak_nbytes()};
}

void pool_resource::reset_peak() noexcept {
  parts_->peak_used.store(parts_->used.load(std::memory_order_relaxed), std::memory_order_relaxed);
  parts_->supply.reset_peak();
}

void pool_resource::free_all_blocks() noexcept { parts_->trim(); }

void pool_resource::set_limit(std::optional<std::size_t> nbytes) noexcept {
  parts_->supply.set_limit(nbytes.value_or(no_limit));
}

std::optional<std::size_t> pool_resource::limit() const noexcept {
  const std::size_t limit = parts_->supply.limit();
  return limit == no_limit ? std::nullopt : std::optional(limit);
}

void pool_resource::set_keep_limit(std::size_t nbytes) noexcept { parts_->cache.set_limit(nbytes); }

std::size_t pool_resource::keep_limit() const noexcept { return parts_->cache.limit(); }

}  // namespace usmx::inline v1
