// A sequence lock: a reader that takes no lock detects that the data changed while it was reading.
// No SYCL here. Private to the library.
#pragma once

#include <atomic>
#include <cstdint>

namespace usmx::inline v1::detail {

/// Readers load the data with memory_order_acquire, and read again if it changed:
///
///   const auto before = changes.now();
///   ...
///   if (changes.none_since(before)) { it was so at one moment }
class change_counter {
 public:
  std::uint64_t now() const noexcept { return count_.load(std::memory_order_acquire); }
  bool none_since(std::uint64_t before) const noexcept {
    return before % 2 == 0 && now() == before;
  }

  /// A change lasts as long as this object. There is one at a time. During it, the data is stored
  /// with memory_order_release, so a reader that sees any of it sees that the count is odd or has
  /// grown.
  class change {
   public:
    explicit change(change_counter& counter) noexcept : counter_(counter) { counter_.advance(); }
    ~change() { counter_.advance(); }
    change(const change&) = delete;
    change& operator=(const change&) = delete;

   private:
    change_counter& counter_;
  };

 private:
  void advance() noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::atomic<std::uint64_t> count_ = 0;  // odd during a change
};

}  // namespace usmx::inline v1::detail
