#include "tracking/pooled_ranges.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/ranked_mutex.hpp"
#include "tracking/change_counter.hpp"

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

  /// How many ranges begin at the byte or before it.
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

/// Every import of foreign memory reads the table, without a lock. It changes only when a pool
/// allocates from the runtime or frees there.
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
  // The latest one is in use. The others are no larger together, and are kept because readers may
  // still look into them.
  std::vector<std::unique_ptr<sorted_ranges>> arrays_;
};

/// Never destroyed: memory may be imported after main.
range_table& table() {
  static range_table& all = *new range_table;
  return all;
}

}  // namespace

void add(const std::byte* first, std::size_t nbytes) { table().add(first, nbytes); }

void remove(const std::byte* first) noexcept { table().remove(first); }

bool contains(const void* pointer) noexcept {
  return table().contains(static_cast<const std::byte*>(pointer));
}

}  // namespace usmx::inline v1::detail::pooled_ranges
