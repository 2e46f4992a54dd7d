// Lets who reads without a lock see that what was read changed meanwhile. No SYCL here. Private to
// the library.
#pragma once

#include <atomic>
#include <cstdint>

namespace usmx::inline v1::detail {

/// Readers load what they read with memory_order_acquire, and read again where it changed:
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

  /// A change, as long as this lives. One at a time, and what is stored meanwhile is stored with
  /// memory_order_release: who sees any of it sees that the count is odd, or greater.
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
