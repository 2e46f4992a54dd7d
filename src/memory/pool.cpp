#include "memory/pool.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "memory/pool_supply.hpp"
#include "memory/resources.hpp"
#include "memory/slab_pool.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/resources/pool.hpp"
#include "usmx/runtime/contexts.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::detail {
namespace {

struct pool_list {
  ranked_mutex<lock_rank::living_pools> mutex;  // guards the list and the pools' entries in it
  std::list<std::weak_ptr<living_pool>> pools;
};

/// Never destroyed: pools may be destroyed after main.
pool_list& all() {
  static pool_list& all = *new pool_list;
  return all;
}

}  // namespace

living_pool::~living_pool() {
  const std::lock_guard lock(all().mutex);
  if (entry_) {
    all().pools.erase(*entry_);
  }
}

void enter_living_pools(const std::shared_ptr<living_pool>& pool) {
  const std::lock_guard lock(all().mutex);
  pool->entry_ = all().pools.emplace(all().pools.begin(), pool);
}

std::vector<std::shared_ptr<living_pool>> living_pools() {
  std::vector<std::shared_ptr<living_pool>> found;  // may be the last owner: so not under the lock
  const std::lock_guard lock(all().mutex);
  found.reserve(all().pools.size());
  for (const std::weak_ptr<living_pool>& each : all().pools) {
    if (auto pool = each.lock()) {
      found.push_back(std::move(pool));
    }
  }
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
  /// A free block; null if there is none, or if surplus has to be given back first.
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
