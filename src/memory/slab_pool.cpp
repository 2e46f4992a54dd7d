#include "memory/slab_pool.hpp"

#include <algorithm>
#include <functional>
#include <memory>

namespace usmx::inline v1::detail {
namespace {

constexpr std::size_t smallest_slab = std::size_t{64} << 10;
constexpr std::size_t largest_slab = std::size_t{2} << 20;

/// Threads take the shards in turn.
std::size_t thread_number() noexcept {
  static std::atomic<std::size_t> count = 0;
  thread_local const std::size_t number = count++;
  return number;
}

}  // namespace

slab_pool::~slab_pool() {
  for (depot& of : depots_) {
    for (const slab& each : of.slabs) {
      supply_.give_back(each.first, each.nbytes, largest_pool_alignment);
    }
  }
  for (const std::atomic<shard*>& each : shards_) {
    delete each.load();
  }
}

std::byte* slab_pool::allocate(std::size_t size) {
  const std::size_t index = class_index(size);
  shard& own = shard_of_thread();
  for (;;) {
    if (std::byte* const block = take(own, index, size)) {
      return block;
    }
    grow(depots_[index], size);
  }
}

std::byte* slab_pool::try_to_allocate(std::size_t size) noexcept {
  shard* const own = shards_[thread_number() % shard_count].load(std::memory_order_acquire);
  return own == nullptr ? nullptr : take(*own, class_index(size), size);
}

/// A free block of the magazine, which the depot fills; null where neither has one.
std::byte* slab_pool::take(shard& own, std::size_t index, std::size_t size) noexcept {
  const std::lock_guard lock(own.mutex);
  magazine& loaded = own.magazines[index];
  if (loaded.count > 0 || refill(loaded, depots_[index], size)) {
    return loaded.blocks[--loaded.count];
  }
  return nullptr;
}

void slab_pool::deallocate(std::byte* block, std::size_t size) noexcept {
  const std::size_t index = class_index(size);
  shard* own = shards_[thread_number() % shard_count].load(std::memory_order_acquire);
  if (own == nullptr) {  // the thread never allocated
    const std::lock_guard lock(depots_[index].mutex);
    depots_[index].free.push_back(block);
    return;
  }
  const std::lock_guard lock(own->mutex);
  magazine& loaded = own->magazines[index];
  const std::size_t capacity = capacity_for(size);
  if (loaded.count == capacity) {
    empty(loaded, depots_[index], capacity / 2);
  }
  loaded.blocks[loaded.count++] = block;
}

void slab_pool::trim() noexcept {
  drain_magazines();
  for (std::size_t index = 0; index < slab_class_count; ++index) {
    trim(depots_[index], size_of_class(index));
  }
}

std::size_t slab_pool::capacity_for(std::size_t size) noexcept {
  return std::clamp<std::size_t>(magazine_nbytes / size, 1, magazine_blocks);
}

slab_pool::shard& slab_pool::shard_of_thread() {
  std::atomic<shard*>& at = shards_[thread_number() % shard_count];
  shard* found = at.load(std::memory_order_acquire);
  if (found == nullptr) {
    auto made = std::make_unique<shard>();
    if (at.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel)) {
      found = made.release();
    }
  }
  return *found;
}

/// Half a magazine from the depot; false where that has none.
bool slab_pool::refill(magazine& to, depot& from, std::size_t size) noexcept {
  const std::lock_guard lock(from.mutex);
  const std::size_t wanted = std::max<std::size_t>(1, capacity_for(size) / 2);
  to.count = std::min(wanted, from.free.size());
  std::copy_n(from.free.end() - static_cast<std::ptrdiff_t>(to.count), to.count, to.blocks.begin());
  from.free.resize(from.free.size() - to.count);
  return to.count > 0;
}

/// Brings blocks to the depot, up to those last let go, `left` of them.
void slab_pool::empty(magazine& from, depot& to, std::size_t left) noexcept {
  const std::lock_guard lock(to.mutex);
  const auto first_left = from.blocks.begin() + static_cast<std::ptrdiff_t>(from.count - left);
  to.free.insert(to.free.end(), from.blocks.begin(), first_left);
  std::copy_n(first_left, left, from.blocks.begin());
  from.count = left;
}

/// One more slab, unless another thread has brought blocks meanwhile.
void slab_pool::grow(depot& of, std::size_t size) {
  const pool_supply::acquired added = add_slab(of, size);
  if (added.first != nullptr) {
    supply_.tell(added);
  }
}

pool_supply::acquired slab_pool::add_slab(depot& of, std::size_t size) {
  const std::lock_guard growing(of.growth_mutex);
  std::size_t nbytes = 0;
  {
    const std::lock_guard lock(of.mutex);
    if (!of.free.empty()) {
      return {};
    }
    const std::size_t first = std::max(smallest_slab, 8 * size);
    nbytes = std::clamp(of.nbytes, first, std::max(first, largest_slab)) / size * size;
    const std::size_t blocks = (of.nbytes + nbytes) / size;
    if (of.free.capacity() < blocks) {
      of.free.reserve(std::max(blocks, 2 * of.free.capacity()));
    }
    of.slabs.reserve(of.slabs.size() + 1);
  }
  const pool_supply::acquired added = supply_.acquire_untold(nbytes, largest_pool_alignment);
  const std::lock_guard lock(of.mutex);
  of.slabs.push_back({added.first, nbytes});
  of.nbytes += nbytes;
  for (std::size_t end = nbytes; end > 0; end -= size) {
    of.free.push_back(added.first + (end - size));
  }
  return added;
}

void slab_pool::drain_magazines() noexcept {
  for (const std::atomic<shard*>& each : shards_) {
    shard* const found = each.load(std::memory_order_acquire);
    if (found == nullptr) {
      continue;
    }
    const std::lock_guard lock(found->mutex);
    for (std::size_t index = 0; index < slab_class_count; ++index) {
      empty(found->magazines[index], depots_[index], 0);
    }
  }
}

void slab_pool::trim(depot& of, std::size_t size) noexcept {
  slab unused{};
  while (take_unused_slab(of, size, unused)) {
    supply_.give_back(unused.first, unused.nbytes, largest_pool_alignment);
  }
}

bool slab_pool::take_unused_slab(depot& of, std::size_t size, slab& taken) noexcept {
  const std::lock_guard lock(of.mutex);
  std::ranges::sort(of.free, std::less<>());
  for (slab& each : of.slabs) {
    const auto first = std::ranges::lower_bound(of.free, each.first, std::less<>());
    const auto last =
        std::lower_bound(first, of.free.end(), each.first + each.nbytes, std::less<>());
    if (static_cast<std::size_t>(last - first) == each.nbytes / size) {
      of.free.erase(first, last);
      of.nbytes -= each.nbytes;
      taken = each;
      each = of.slabs.back();
      of.slabs.pop_back();
      return true;
    }
  }
  return false;
}

}  // namespace usmx::inline v1::detail
