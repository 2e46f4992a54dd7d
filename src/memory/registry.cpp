#include "usmx/memory/registry.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace usmx::registry {

namespace {

// Some of the blocks, ordered by address. Thread-safe.
class block_map {
 public:
  void add(registered_block block) {
    const std::lock_guard lock(mutex_);
    blocks_.insert_or_assign(block.base, std::move(block));
    size_.store(blocks_.size(), std::memory_order_release);
  }

  // Whether there was one.
  bool remove(const std::byte* base) noexcept {
    if (size() == 0) {
      return false;
    }
    // Declared before the lock: what it holds may be the last of a context, whose end takes long.
    blocks::node_type taken;
    const std::lock_guard lock(mutex_);
    taken = blocks_.extract(base);
    size_.store(blocks_.size(), std::memory_order_release);
    return !taken.empty();
  }

  std::optional<registered_block> find(const std::byte* pointer) const {
    if (size() == 0) {
      return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    auto after = blocks_.upper_bound(pointer);
    if (after == blocks_.begin()) {
      return std::nullopt;
    }
    const registered_block& block = std::prev(after)->second;
    return std::less<>()(pointer, block.base + block.nbytes) ? std::optional(block) : std::nullopt;
  }

  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

 private:
  using blocks = std::map<const std::byte*, registered_block, std::less<>>;

  mutable std::mutex mutex_;
  blocks blocks_;
  // Most maps are empty in most programs: seen without the lock.
  std::atomic<std::size_t> size_ = 0;
};

// The address space in regions. A block inside one region is entered in the map that its region
// shares with a few others, so that threads at work in different places rarely meet; the few that
// cross a border have a map of their own.
class block_table {
 public:
  void add(registered_block block) {
    const std::byte* last = block.base + (block.nbytes - 1);
    block_map& home = region(block.base) == region(last) ? inner(block.base) : crossing_;
    home.add(std::move(block));
  }

  void remove(const std::byte* base) noexcept {
    if (!inner(base).remove(base)) {
      crossing_.remove(base);
    }
  }

  std::optional<registered_block> find(const std::byte* pointer) {
    if (std::optional<registered_block> found = inner(pointer).find(pointer)) {
      return found;
    }
    return crossing_.find(pointer);
  }

  std::size_t size() const noexcept {
    std::size_t total = crossing_.size();
    for (const block_map& map : inner_) {
      total += map.size();
    }
    return total;
  }

 private:
  static constexpr int region_bits = 16;
  static constexpr int map_count_bits = 6;

  static std::uint64_t region(const std::byte* pointer) noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer) >> region_bits;
  }

  // Multiplying by 2^64 over the golden ratio spreads neighbours over the upper bits.
  block_map& inner(const std::byte* pointer) noexcept {
    return inner_[(region(pointer) * 0x9e3779b97f4a7c15U) >> (64 - map_count_bits)];
  }

  std::array<block_map, 1 << map_count_bits> inner_;
  block_map crossing_;
};

// Never destroyed: arrays may be freed after main.
block_table& table() {
  static block_table& all = *new block_table;
  return all;
}

}  // namespace

void add(registered_block block) { table().add(std::move(block)); }

void remove(const std::byte* base) noexcept { table().remove(base); }

std::optional<registered_block> find(const void* pointer) {
  return table().find(static_cast<const std::byte*>(pointer));
}

std::size_t size() { return table().size(); }

}  // namespace usmx::registry
