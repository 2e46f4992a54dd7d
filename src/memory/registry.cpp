#include "usmx/memory/registry_internal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace usmx::registry {

namespace {

/// Some of the blocks, by the region of the address space that they lie in. The blocks of a region
/// are ordered by address. Thread-safe.
class region_map {
 public:
  using shared_block = std::shared_ptr<registered_block>;

  void add(std::uint64_t region, shared_block block) {
    const std::lock_guard lock(mutex_);
    std::vector<place>& places = regions_[region];
    const auto at = std::ranges::upper_bound(places, block->base, std::less<>(), &place::base);
    std::byte* const base = block->base;
    places.insert(at, {base, std::move(block)});
    size_.fetch_add(1, std::memory_order_release);
  }

  /// Null where no block of the region starts there.
  shared_block remove(std::uint64_t region, const std::byte* base) noexcept {
    if (size_.load(std::memory_order_acquire) == 0) {
      return nullptr;
    }
    const std::lock_guard lock(mutex_);
    const auto found = regions_.find(region);
    if (found == regions_.end()) {
      return nullptr;
    }
    std::vector<place>& places = found->second;
    const auto at = std::ranges::lower_bound(places, base, std::less<>(), &place::base);
    if (at == places.end() || at->base != base) {
      return nullptr;
    }
    shared_block taken = std::move(at->block);
    places.erase(at);
    if (places.empty()) {
      regions_.erase(found);
    }
    size_.fetch_sub(1, std::memory_order_release);
    return taken;
  }

  /// Calls `use` on the block of the region that holds the byte, if there is one.
  template <class Use>
  bool find(std::uint64_t region, const std::byte* pointer, const Use& use) const {
    if (size_.load(std::memory_order_acquire) == 0) {
      return false;
    }
    const std::lock_guard lock(mutex_);
    const auto found = regions_.find(region);
    if (found == regions_.end()) {
      return false;
    }
    const std::vector<place>& places = found->second;
    const auto after = std::ranges::upper_bound(places, pointer, std::less<>(), &place::base);
    if (after == places.begin()) {
      return false;
    }
    registered_block& block = *std::prev(after)->block;
    if (!std::less<>()(pointer, block.base + block.nbytes)) {
      return false;
    }
    use(block);
    return true;
  }

 private:
  struct place {
    std::byte* base;
    shared_block block;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::vector<place>> regions_;
  // Most maps are empty in most programs: seen without the lock.
  std::atomic<std::size_t> size_ = 0;
};

/// The blocks of up to an eighth of a region's bytes, so that a block lies in one region or two,
/// and a region holds few blocks. Regions share maps, so that threads at work in different places
/// rarely meet.
class size_class {
 public:
  explicit size_class(int region_bits) noexcept : region_bits_(region_bits) {}

  bool takes(std::size_t nbytes) const noexcept {
    return nbytes <= std::size_t{1} << (region_bits_ - 3);
  }

  void add(const region_map::shared_block& block) {
    const std::uint64_t first = region_of(block->base);
    const std::uint64_t last = region_of(block->base + (block->nbytes - 1));
    map_of(first).add(first, block);
    if (last != first) {
      try {
        map_of(last).add(last, block);
      } catch (...) {
        map_of(first).remove(first, block->base);
        throw;
      }
    }
    size_.fetch_add(1, std::memory_order_release);
  }

  region_map::shared_block remove(const std::byte* base) noexcept {
    if (size_.load(std::memory_order_acquire) == 0) {
      return nullptr;
    }
    const std::uint64_t first = region_of(base);
    region_map::shared_block taken = map_of(first).remove(first, base);
    if (taken == nullptr) {
      return nullptr;
    }
    const std::uint64_t last = region_of(taken->base + (taken->nbytes - 1));
    if (last != first) {
      map_of(last).remove(last, base);
    }
    size_.fetch_sub(1, std::memory_order_release);
    return taken;
  }

  template <class Use>
  bool find(const std::byte* pointer, const Use& use) const {
    if (size_.load(std::memory_order_acquire) == 0) {
      return false;
    }
    const std::uint64_t region = region_of(pointer);
    return map_of(region).find(region, pointer, use);
  }

 private:
  static constexpr int map_count_bits = 6;

  std::uint64_t region_of(const std::byte* pointer) const noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer) >> region_bits_;
  }
  // Multiplying by 2^64 over the golden ratio spreads neighbours over the upper bits.
  region_map& map_of(std::uint64_t region) noexcept { return maps_[map_index(region)]; }
  const region_map& map_of(std::uint64_t region) const noexcept { return maps_[map_index(region)]; }
  static std::size_t map_index(std::uint64_t region) noexcept {
    return (region * 0x9e3779b97f4a7c15U) >> (64 - map_count_bits);
  }

  int region_bits_;
  std::atomic<std::size_t> size_ = 0;
  std::array<region_map, 1 << map_count_bits> maps_;
};

class block_table {
 public:
  void add(registered_block block) {
    const std::size_t nbytes = block.nbytes;
    const auto of =
        std::ranges::find_if(classes_, [=](const size_class& c) { return c.takes(nbytes); });
    of->add(std::make_shared<registered_block>(std::move(block)));
    size_.fetch_add(1, std::memory_order_relaxed);
    nbytes_.fetch_add(nbytes, std::memory_order_relaxed);
  }

  void remove(const std::byte* base) noexcept {
    for (size_class& of : classes_) {
      // What it holds may be the last of a context, whose end takes long: no lock is held here.
      if (const region_map::shared_block taken = of.remove(base)) {
        size_.fetch_sub(1, std::memory_order_relaxed);
        nbytes_.fetch_sub(taken->nbytes, std::memory_order_relaxed);
        return;
      }
    }
  }

  template <class Use>
  void find(const std::byte* pointer, const Use& use) const {
    for (const size_class& of : classes_) {
      if (of.find(pointer, use)) {
        return;
      }
    }
  }

  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }

 private:
  std::array<size_class, 6> classes_{size_class(14), size_class(20), size_class(26),
                                     size_class(32), size_class(40), size_class(63)};
  std::atomic<std::size_t> size_ = 0;
  std::atomic<std::size_t> nbytes_ = 0;
};

// Never destroyed: arrays may be freed after main.
block_table& table() {
  static block_table& all = *new block_table;
  return all;
}

}  // namespace

void add(registered_block block) { table().add(std::move(block)); }

void set_owner(const std::byte* base, std::weak_ptr<buffer> owner) {
  table().find(base, [&](registered_block& block) { block.owner.swap(owner); });
}

void remove(const std::byte* base) noexcept { table().remove(base); }

std::optional<registered_block> find(const void* pointer) {
  std::optional<registered_block> found;
  table().find(static_cast<const std::byte*>(pointer),
               [&](const registered_block& block) { found.emplace(block); });
  return found;
}

std::size_t size() noexcept { return table().size(); }
std::size_t nbytes() noexcept { return table().nbytes(); }

}  // namespace usmx::registry
