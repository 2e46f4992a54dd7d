// An open-addressing hash table with one cache line for each block. The key of a block of up to 2^k
// bytes is the region of 2^k bytes in which it starts, so it has bytes in that region and the next
// one only. A pointer is therefore looked up in two regions for each size that blocks have. A
// look-up takes no lock until it has found the block.
#include "memory/registry.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"

namespace usmx::inline v1::internal::registry {

namespace {

using address = std::uintptr_t;

address address_of(const void* pointer) noexcept { return reinterpret_cast<address>(pointer); }

/// Objects that a block refers to. They are released when no lock is held.
struct held_objects {
  std::optional<sycl::context> context;
  std::weak_ptr<buffer> owner;
};

/// A slot for a block. A look-up reads the block's bounds without the lock, and reads them again
/// when it has the lock. Writers, of which a shard has one at a time, take the lock as well.
class alignas(64) slot {
 public:
  bool is_empty() const noexcept { return base_.load(std::memory_order_acquire) == 0; }
  bool holds(address byte) const noexcept {
    return byte - base_.load(std::memory_order_acquire) < nbytes_.load(std::memory_order_acquire);
  }
  address base() const noexcept { return base_.load(std::memory_order_relaxed); }
  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }

  void lock() noexcept {
    while (busy_.test_and_set(std::memory_order_acquire)) {
      std::this_thread::yield();
    }
  }
  void unlock() noexcept { busy_.clear(std::memory_order_release); }

  registered_block copy() const {
    return {reinterpret_cast<std::byte*>(base()), nbytes(), kind_, *held_.context, held_.owner};
  }
  /// The number of blocks whose home slot this is. Only writers use it.
  int& homed() noexcept { return homed_; }
  allocation_info seen_from(const sycl::context& context) const noexcept {
    return *held_.context == context
               ? allocation_info{kind_, reinterpret_cast<std::byte*>(base()), nbytes(), true}
               : allocation_info{};
  }
  std::shared_ptr<buffer> owner() const noexcept { return held_.owner.lock(); }

  void put(registered_block&& block) noexcept {
    put(address_of(block.base), block.nbytes, block.kind,
        {std::move(block.context), std::move(block.owner)});
  }
  held_objects take() noexcept {
    const std::lock_guard guard(*this);
    nbytes_.store(0, std::memory_order_release);
    base_.store(0, std::memory_order_release);
    return std::exchange(held_, {});
  }
  void take_from(slot& other) noexcept {
    const address base = other.base();
    const std::size_t nbytes = other.nbytes();
    put(base, nbytes, other.kind_, other.take());
  }

 private:
  void put(address base, std::size_t nbytes, usm_kind kind, held_objects held) noexcept {
    const std::lock_guard guard(*this);
    held_ = std::move(held);
    kind_ = kind;
    nbytes_.store(nbytes, std::memory_order_release);
    base_.store(base, std::memory_order_release);
  }

  std::atomic<address> base_ = 0;
  std::atomic<std::size_t> nbytes_ = 0;
  held_objects held_;
  int homed_ = 0;
  usm_kind kind_ = usm_kind::unknown;
  std::atomic_flag busy_;
};
static_assert(sizeof(slot) == 64);

/// The sizes of regions are 3 bits apart. So up to 9 blocks start in one region (more only if they
/// have fewer than 8 bytes each), and few sizes are enough for all blocks of a program.
constexpr int smallest_bits = 6;
constexpr int step_bits = 3;
constexpr int bits_of(int size_class) noexcept { return smallest_bits + size_class * step_bits; }
constexpr int class_of(std::size_t nbytes) noexcept {
  const int bits = static_cast<int>(std::bit_width(nbytes - 1));
  return bits <= smallest_bits ? 0 : (bits - smallest_bits + step_bits - 1) / step_bits;
}

/// The hash of a region of one size, by Fibonacci hashing: the factor, 2^64 divided by the golden
/// ratio, spreads neighbours over the upper bits.
class region {
 public:
  region(int size_class, address number) noexcept
      : hash_((number * 32 + static_cast<address>(size_class)) * 0x9e3779b97f4a7c15U) {}
  explicit region(const slot& block) noexcept : region(key_of(block.base(), block.nbytes())) {}
  static region key_of(address base, std::size_t nbytes) noexcept {
    const int size_class = class_of(nbytes);
    return {size_class, base >> bits_of(size_class)};
  }

  static constexpr int shard_bits = 6;
  std::size_t shard() const noexcept { return hash_ >> (64 - shard_bits); }
  /// The home slot of the region among 2^bits slots, where the search for its blocks begins.
  std::size_t home(int bits) const noexcept { return hash_ << shard_bits >> (64 - bits); }

 private:
  std::uint64_t hash_;
};

/// An array of 2^bits slots with linear probing: a search goes from the home slot of a region to
/// the next empty slot.
class slot_array {
 public:
  /// Makes an array of one slot, which stays empty.
  slot_array() noexcept : slot_array(reinterpret_cast<slot*>(nothing), 0) {}
  explicit slot_array(int bits) : slot_array(make_slots(std::size_t{1} << bits), bits) {}

  int bits() const noexcept { return static_cast<int>(first_and_bits_ & bits_mask); }
  std::size_t size() const noexcept { return std::size_t{1} << bits(); }
  slot& operator[](std::size_t index) const noexcept {
    return reinterpret_cast<slot*>(first_and_bits_ & ~bits_mask)[index & (size() - 1)];
  }
  std::size_t home(region of) const noexcept { return bits() == 0 ? 0 : of.home(bits()); }
  /// Whether a block may have the region as its key, by a Bloom filter: nearly always false if none
  /// has. It is read before the slots: a program's blocks have many sizes, and a word of the filter
  /// is far more often in the cache.
  bool may_have(region of) const noexcept {
    const bit at = filter_bit(of);
    return (at.word.load(std::memory_order_acquire) & at.mask) != 0;
  }

  /// Counts one more block of the region, and returns the empty slot for it.
  slot& enter(region of) const noexcept {
    const bit at = filter_bit(of);
    at.set(at.word.load(std::memory_order_relaxed) | at.mask);
    std::size_t index = home(of);
    ++(*this)[index].homed();
    while (!(*this)[index].is_empty()) {
      ++index;
    }
    return (*this)[index];
  }

  /// Counts one block of the region less.
  void leave(region of) const noexcept {
    if (--(*this)[home(of)].homed() == 0) {
      const bit at = filter_bit(of);
      at.set(at.word.load(std::memory_order_relaxed) & ~at.home_mask);
    }
  }

 private:
  slot_array(slot* first, int bits) noexcept
      : first_and_bits_(address_of(first) | static_cast<address>(bits)) {}

  // The filter has a bit for a quarter of the regions of each home slot. It lies behind the slots.
  static constexpr int filter_bits = 2;
  struct bit {
    std::atomic<std::uint64_t>& word;
    std::uint64_t mask;
    std::uint64_t home_mask;  // the bits of the same home slot

    /// Sets the word. Only one writer at a time calls this.
    void set(std::uint64_t value) const noexcept { word.store(value, std::memory_order_release); }
  };
  bit filter_bit(region of) const noexcept {
    auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(&(*this)[0] + size());
    const std::size_t index = of.home(bits() + filter_bits);
    return {words[index / 64], std::uint64_t{1} << index % 64,
            ((std::uint64_t{1} << (1 << filter_bits)) - 1)
                << (index % 64 >> filter_bits << filter_bits)};
  }

  // Makes slots in large pages: a million blocks take a hundred megabytes, and with small pages the
  // page walk takes as long as finding the block.
  static slot* make_slots(std::size_t count) {
    constexpr std::size_t large_page = std::size_t{1} << 21;
    const std::size_t filter_words = (count << filter_bits) / 64 + 1;
    const std::size_t nbytes = count * sizeof(slot) + filter_words * sizeof(std::uint64_t);
    const bool is_large = nbytes >= large_page;
    void* const memory =
        ::operator new(nbytes, std::align_val_t(is_large ? large_page : alignof(slot)));
    if (is_large) {
      madvise(memory, nbytes, MADV_HUGEPAGE);
    }
    auto* const slots = static_cast<slot*>(memory);
    std::uninitialized_value_construct_n(slots, count);
    std::uninitialized_value_construct_n(
        reinterpret_cast<std::atomic<std::uint64_t>*>(slots + count), filter_words);
    return slots;
  }

  // The memory of the array of 2^0 slots: one slot and its filter.
  alignas(slot) static inline std::byte nothing[2 * sizeof(slot)] = {};
  static constexpr address bits_mask = alignof(slot) - 1;
  address first_and_bits_;
};

/// The blocks of some regions. Only one thread at a time changes it. A look-up that finds nothing
/// is repeated if blocks were moved meanwhile.
class shard {
 public:
  void add(region of, registered_block&& block) {
    const std::lock_guard lock(mutex_);
    if (2 * (size() + 1) > slots_.load(std::memory_order_relaxed).size()) {
      grow();
    }
    count(1, block.nbytes);
    const slot_array slots = slots_.load(std::memory_order_relaxed);
    slots.enter(of).put(std::move(block));
  }

  /// The slot of the block that contains the byte and has this region as its key; null if there is
  /// none.
  slot* find(region of, address byte) const noexcept {
    for (;;) {
      const std::uint64_t before = moves_.now();
      const slot_array slots = slots_.load(std::memory_order_acquire);
      if (slots.may_have(of)) {
        for (std::size_t index = slots.home(of); !slots[index].is_empty(); ++index) {
          if (slots[index].holds(byte)) {
            return &slots[index];
          }
        }
      }
      if (moves_.none_since(before)) {
        return nullptr;
      }
      std::this_thread::yield();
    }
  }

  held_objects remove(region of, address base) noexcept {
    const std::lock_guard lock(mutex_);
    const slot_array slots = slots_.load(std::memory_order_relaxed);
    std::size_t index = slots.home(of);
    while (slots[index].base() != base) {
      if (slots[index].is_empty()) {
        return {};
      }
      ++index;
    }
    count(-1, -slots[index].nbytes());
    const detail::change_counter::change moving(moves_);
    slots.leave(region(slots[index]));  // a search may pass through blocks of other regions
    held_objects taken = slots[index].take();
    close_gap(slots, index);
    return taken;
  }

  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }

 private:
  void grow() {
    const slot_array old = slots_.load(std::memory_order_relaxed);
    arrays_.reserve(arrays_.size() + 1);
    const slot_array larger(std::max(old.bits() + 1, smallest_array_bits));
    arrays_.push_back(larger);
    const detail::change_counter::change moving(moves_);
    for (std::size_t index = 0; index < old.size(); ++index) {
      if (!old[index].is_empty()) {
        larger.enter(region(old[index])).take_from(old[index]);
      }
    }
    slots_.store(larger, std::memory_order_release);
  }

  /// Moves blocks so that no search ends at the gap before it reaches its block.
  static void close_gap(slot_array slots, std::size_t gap) noexcept {
    const std::size_t mask = slots.size() - 1;
    for (std::size_t index = gap + 1; !slots[index].is_empty(); ++index) {
      const std::size_t home = slots.home(region(slots[index]));
      if (((index - home) & mask) >= index - gap) {
        slots[gap].take_from(slots[index]);
        gap = index;
      }
    }
  }

  void count(std::size_t blocks, std::size_t nbytes) noexcept {
    size_.store(size() + blocks, std::memory_order_relaxed);
    nbytes_.store(this->nbytes() + nbytes, std::memory_order_relaxed);
  }

  static constexpr int smallest_array_bits = 3;

  alignas(64) std::atomic<slot_array> slots_ = slot_array();
  detail::change_counter moves_;  // during a move, a block may be in no slot
  alignas(64) detail::ranked_mutex<detail::lock_rank::registry_shard> mutex_;
  std::atomic<std::size_t> size_ = 0;
  std::atomic<std::size_t> nbytes_ = 0;
  // All arrays, of which the latest one is in use. The others are empty and no larger together, and
  // are kept because look-ups may still read them.
  std::vector<slot_array> arrays_;
};

class block_table {
 public:
  void add(registered_block&& block) {
    const int size_class = class_of(block.nbytes);
    if (!uses(size_class)) {
      classes_.fetch_or(std::uint64_t{1} << size_class);
    }
    const region of = region::key_of(address_of(block.base), block.nbytes);
    shard_of(of).add(of, std::move(block));
  }

  void remove(const std::byte* base, std::size_t nbytes) noexcept {
    const region of = region::key_of(address_of(base), nbytes);
    // The objects are destroyed at the end of this scope, where no lock is held: one may be the
    // last reference to a context.
    const held_objects taken = shard_of(of).remove(of, address_of(base));
  }

  /// Calls `use` on the locked slot of the block that holds the byte, if there is one.
  template <class Use>
  void find(const void* pointer, const Use& use) {
    const address byte = address_of(pointer);
    while (slot* const found = search(byte)) {
      const std::lock_guard lock(*found);
      if (found->holds(byte)) {
        use(*found);
        return;
      }
    }
  }

  std::size_t size() const noexcept { return sum(&shard::size); }
  std::size_t nbytes() const noexcept { return sum(&shard::nbytes); }

 private:
  bool uses(int size_class) const noexcept {
    return (classes_.load(std::memory_order_acquire) >> size_class & 1) != 0;
  }

  /// Calls `use` for each size of regions that blocks have had, until it returns true.
  template <class Use>
  void for_each_class(const Use& use) const {
    for (std::uint64_t left = classes_.load(std::memory_order_acquire); left != 0;
         left &= left - 1) {
      if (use(std::countr_zero(left))) {
        return;
      }
    }
  }

  slot* search(address byte) noexcept {
    slot* found = nullptr;
    for_each_class([&](int size_class) {
      const address number = byte >> bits_of(size_class);
      const region here(size_class, number);
      const region before(size_class, number - 1);
      found = shard_of(here).find(here, byte);
      if (found == nullptr) {
        found = shard_of(before).find(before, byte);
      }
      return found != nullptr;
    });
    return found;
  }

  shard& shard_of(region of) noexcept { return shards_[of.shard()]; }

  std::size_t sum(std::size_t (shard::*part)() const noexcept) const noexcept {
    std::size_t total = 0;
    for (const shard& each : shards_) {
      total += (each.*part)();
    }
    return total;
  }

  // The sizes of regions that blocks have had, as bits.
  std::atomic<std::uint64_t> classes_ = 0;
  std::array<shard, 1 << region::shard_bits> shards_;
};

// The object is never destroyed: arrays may be freed after main.
block_table& table() { return detail::immortal<block_table>(); }

}  // namespace

void add(registered_block block) { table().add(std::move(block)); }

void remove(const std::byte* base, std::size_t nbytes) noexcept { table().remove(base, nbytes); }

std::optional<registered_block> find(const void* pointer) {
  std::optional<registered_block> found;
  table().find(pointer, [&](const slot& block) { found.emplace(block.copy()); });
  return found;
}

std::optional<allocation_info> find(const void* pointer, const sycl::context& context,
                                    std::shared_ptr<buffer>* owner) {
  std::optional<allocation_info> found;
  table().find(pointer, [&](const slot& block) {
    found = block.seen_from(context);
    if (owner != nullptr) {
      *owner = block.owner();
    }
  });
  return found;
}

std::size_t size() noexcept { return table().size(); }
std::size_t nbytes() noexcept { return table().nbytes(); }

}  // namespace usmx::inline v1::internal::registry

namespace usmx::inline v1::detail::pooled_ranges {
namespace {

using address = std::uintptr_t;

address address_of(const std::byte* pointer) noexcept { return reinterpret_cast<address>(pointer); }

/// Ranges in the order of their addresses, in an array of fixed capacity.
class sorted_ranges {
 public:
  explicit sorted_ranges(std::size_t capacity)
      : capacity_(capacity), ranges_(std::make_unique<range[]>(capacity)) {}

  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

  /// The number of ranges that begin at the byte or before it.
  std::size_t count_up_to(address byte) const noexcept {
    std::size_t first = 0;
    for (std::size_t left = size(); left > 0;) {
      const std::size_t half = left / 2;
      const bool is_before = ranges_[first + half].begin.load(std::memory_order_acquire) <= byte;
      first += is_before ? half + 1 : 0;
      left = is_before ? left - half - 1 : half;
    }
    return first;
  }
  bool contains(address byte) const noexcept {
    const std::size_t count = count_up_to(byte);
    return count > 0 && byte < ranges_[count - 1].end.load(std::memory_order_acquire);
  }

  void add(address begin, address end) noexcept {
    const std::size_t at = count_up_to(begin);
    for (std::size_t index = size(); index > at; --index) {
      ranges_[index].set(ranges_[index - 1]);
    }
    ranges_[at].set(begin, end);
    size_.store(size() + 1, std::memory_order_release);
  }
  void remove(address begin) noexcept {
    const std::size_t last = size() - 1;
    for (std::size_t index = count_up_to(begin) - 1; index < last; ++index) {
      ranges_[index].set(ranges_[index + 1]);
    }
    size_.store(last, std::memory_order_release);
  }
  void take_all(const sorted_ranges& other) noexcept {
    const std::size_t count = other.size();
    for (std::size_t index = 0; index < count; ++index) {
      ranges_[index].set(other.ranges_[index]);
    }
    size_.store(count, std::memory_order_release);
  }

 private:
  struct range {
    std::atomic<address> begin = 0;
    std::atomic<address> end = 0;

    void set(address first, address past) noexcept {
      begin.store(first, std::memory_order_release);
      end.store(past, std::memory_order_release);
    }
    void set(const range& other) noexcept {
      set(other.begin.load(std::memory_order_relaxed), other.end.load(std::memory_order_relaxed));
    }
  };

  const std::size_t capacity_;
  const std::unique_ptr<range[]> ranges_;
  std::atomic<std::size_t> size_ = 0;
};

/// The ranges of all pools. Every import of foreign memory reads the table, without a lock. It
/// changes only when a pool allocates from the runtime or frees there.
class range_table {
 public:
  range_table() { grow(16); }

  void add(const std::byte* first, std::size_t nbytes) {
    const std::lock_guard lock(mutex_);
    if (latest().size() == latest().capacity()) {
      grow(2 * latest().capacity());
    }
    const change_counter::change changing(changes_);
    latest().add(address_of(first), address_of(first) + nbytes);
  }

  void remove(const std::byte* first) noexcept {
    const std::lock_guard lock(mutex_);
    const change_counter::change changing(changes_);
    latest().remove(address_of(first));
  }

  bool contains(const std::byte* byte) const noexcept {
    for (;;) {
      const std::uint64_t before = changes_.now();
      const bool found = latest().contains(address_of(byte));
      if (changes_.none_since(before)) {
        return found;
      }
      std::this_thread::yield();
    }
  }

 private:
  sorted_ranges& latest() const noexcept { return *latest_.load(std::memory_order_acquire); }

  void grow(std::size_t capacity) {
    auto larger = std::make_unique<sorted_ranges>(capacity);
    if (!arrays_.empty()) {
      larger->take_all(latest());
    }
    arrays_.push_back(std::move(larger));
    latest_.store(arrays_.back().get(), std::memory_order_release);
  }

  std::atomic<sorted_ranges*> latest_ = nullptr;
  change_counter changes_;
  ranked_mutex<lock_rank::pooled_ranges> mutex_;
  // All arrays, of which the latest one is in use. The others are no larger together, and are kept
  // because readers may still look into them.
  std::vector<std::unique_ptr<sorted_ranges>> arrays_;
};

range_table& table() { return immortal<range_table>(); }

}  // namespace

void add(const std::byte* first, std::size_t nbytes) { table().add(first, nbytes); }

void remove(const std::byte* first) noexcept { table().remove(first); }

bool contains(const void* pointer) noexcept {
  return table().contains(static_cast<const std::byte*>(pointer));
}

}  // namespace usmx::inline v1::detail::pooled_ranges
