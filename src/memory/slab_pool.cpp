#include "memory/pool.hpp"

#include <functional>
#include <new>
#include <ranges>
#include <tuple>
#include <utility>

namespace usmx::inline v1::detail {
namespace {

constexpr std::size_t smallest_slab = std::size_t{64} << 10;
constexpr std::size_t largest_slab = std::size_t{2} << 20;

/// The number of the thread. Threads are numbered in turn, and so spread over the shards.
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

/// Takes a free block from the magazine, which the depot refills; returns null if neither has one.
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

/// Moves half a magazine from the depot; returns false if the depot has no block.
bool slab_pool::refill(magazine& to, depot& from, std::size_t size) noexcept {
  const std::lock_guard lock(from.mutex);
  const std::size_t wanted = std::max<std::size_t>(1, capacity_for(size) / 2);
  to.count = std::min(wanted, from.free.size());
  std::copy_n(from.free.end() - static_cast<std::ptrdiff_t>(to.count), to.count, to.blocks.begin());
  from.free.resize(from.free.size() - to.count);
  return to.count > 0;
}

/// Moves blocks to the depot, but leaves the `left` blocks that were released last.
void slab_pool::empty(magazine& from, depot& to, std::size_t left) noexcept {
  const std::lock_guard lock(to.mutex);
  const auto first_left = from.blocks.begin() + static_cast<std::ptrdiff_t>(from.count - left);
  to.free.insert(to.free.end(), from.blocks.begin(), first_left);
  std::copy_n(first_left, left, from.blocks.begin());
  from.count = left;
}

/// Gets one more slab, unless another thread has brought blocks meanwhile.
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

/// The slabs in the order of their addresses, and the number of blocks that were counted in each.
class slab_pool::slab_counts {
 public:
  explicit slab_counts(std::vector<slab> slabs) : slabs_(std::move(slabs)) {
    std::ranges::sort(slabs_, std::less<>(), &slab::first);
    counts_.resize(slabs_.size());
  }

  const std::vector<slab>& slabs() const noexcept { return slabs_; }
  bool holds(const std::byte* block) noexcept { return find(block) != slabs_.size(); }
  void count(const std::byte* block) noexcept {
    if (const std::size_t at = find(block); at != slabs_.size()) {
      ++counts_[at];
    }
  }
  bool is_complete(const std::byte* block, std::size_t size) noexcept {
    const std::size_t at = find(block);
    return counts_[at] == slabs_[at].nbytes / size;
  }
  std::vector<slab> complete_slabs(std::size_t size) const {
    std::vector<slab> complete;
    for (std::size_t at = 0; at < slabs_.size(); ++at) {
      if (counts_[at] == slabs_[at].nbytes / size) {
        complete.push_back(slabs_[at]);
      }
    }
    return complete;
  }

 private:
  /// The index of the slab that contains the block, or the number of slabs if none does. Looks at
  /// the last result first: neighbours in a list of free blocks are often neighbours in memory.
  std::size_t find(const std::byte* block) noexcept {
    if (latest_ < slabs_.size() && is_in(slabs_[latest_], block)) {
      return latest_;
    }
    const auto after = std::ranges::upper_bound(slabs_, block, std::less<>(), &slab::first);
    const auto at = static_cast<std::size_t>(after - slabs_.begin());
    if (at == 0 || !is_in(slabs_[at - 1], block)) {
      return slabs_.size();
    }
    latest_ = at - 1;
    return latest_;
  }
  static bool is_in(const slab& of, const std::byte* block) noexcept {
    return !std::less<>()(block, of.first) && std::less<>()(block, of.first + of.nbytes);
  }

  std::vector<slab> slabs_;
  std::vector<std::size_t> counts_;
  std::size_t latest_ = 0;
};

/// Gives back unused slabs. Looks at each free block a few times, nearly always without the lock.
void slab_pool::trim(depot& of, std::size_t size) noexcept {
  std::vector<slab> unused;
  try {
    const std::lock_guard trimming(trim_mutex_);
    unused = take_unused_slabs(of, size);
  } catch (const std::bad_alloc&) {
    return;  // there was no memory to look, and nothing was taken
  }
  // Slabs of the last addresses go first, because they are nearest to the end of the list of all
  // pools' ranges.
  for (const slab& each : unused | std::views::reverse) {
    supply_.give_back(each.first, each.nbytes, largest_pool_alignment);
  }
}

/// Takes the blocks of unused slabs, and returns these slabs in the order of their addresses.
/// Everything that may throw comes before any block is taken.
std::vector<slab_pool::slab> slab_pool::take_unused_slabs(depot& of, std::size_t size) {
  slab_counts candidates(unused_slabs(of, size));
  std::size_t blocks = 0;
  for (const slab& each : candidates.slabs()) {
    blocks += each.nbytes / size;
  }
  std::vector<slab> unused;
  unused.reserve(candidates.slabs().size());
  std::vector<std::byte*> taken;
  taken.reserve(blocks);
  take_blocks(of, candidates, taken);
  for (const std::byte* block : taken) {
    candidates.count(block);
  }
  // A slab stays if other threads have taken blocks of it meanwhile.
  const auto stay = std::partition(taken.begin(), taken.end(), [&](const std::byte* block) {
    return candidates.is_complete(block, size);
  });
  const std::lock_guard lock(of.mutex);
  of.free.insert(of.free.end(), stay, taken.end());
  std::erase_if(of.slabs, [&](const slab& each) {
    const bool goes = candidates.holds(each.first) && candidates.is_complete(each.first, size);
    if (goes) {
      of.nbytes -= each.nbytes;
      unused.push_back(each);
    }
    return goes;
  });
  std::ranges::sort(unused, std::less<>(), &slab::first);
  return unused;
}

/// The slabs whose blocks are all free at one moment.
std::vector<slab_pool::slab> slab_pool::unused_slabs(depot& of, std::size_t size) {
  std::vector<std::byte*> free;
  std::vector<slab> slabs;
  const auto copy_what_fits = [&] {
    const std::lock_guard lock(of.mutex);
    const bool fits = free.capacity() >= of.free.size() && slabs.capacity() >= of.slabs.size();
    if (fits) {
      free = of.free;
      slabs = of.slabs;
    }
    return std::tuple(fits, of.free.size(), of.slabs.size());
  };
  for (;;) {  // the vector grows without the lock
    const auto [fits, blocks, count] = copy_what_fits();
    if (fits) {
      break;
    }
    free.reserve(blocks + blocks / 8);
    slabs.reserve(count + count / 8);
  }
  slab_counts all(std::move(slabs));
  for (const std::byte* block : free) {
    all.count(block);
  }
  return all.complete_slabs(size);
}

/// Takes the free blocks of these slabs out of the depot. Holds the lock only for a short time at
/// once.
void slab_pool::take_blocks(depot& of, slab_counts& slabs,
                            std::vector<std::byte*>& taken) noexcept {
  constexpr std::size_t looks_at_once = 4096;
  for (std::size_t at = 0;;) {
    const std::lock_guard lock(of.mutex);
    for (std::size_t looks = 0; looks < looks_at_once; ++looks) {
      if (at >= of.free.size()) {
        return;
      }
      if (slabs.holds(of.free[at])) {
        taken.push_back(of.free[at]);
        of.free[at] = of.free.back();
        of.free.pop_back();
      } else {
        ++at;
      }
    }
  }
}

}  // namespace usmx::inline v1::detail
