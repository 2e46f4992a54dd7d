// The memory that a pool has from the resource below it: how much, within which limit, and that it
// is a pool's. Thread-safe. Private to the library.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>

#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

class pool_supply {
 public:
  struct acquired {
    std::byte* first = nullptr;
    std::size_t nbytes = 0;
    std::chrono::steady_clock::time_point since{};
  };

  /// Of the queue's context and device.
  pool_supply(any_resource upstream, const sycl::queue& queue);

  /// Throws allocation_error where the limit or the resource below refuses. An alignment that this
  /// one does not keep is met by asking for more.
  std::byte* acquire(std::size_t nbytes, std::size_t alignment);
  /// The same for a caller that holds a lock, and has the observer told when it has let go of it.
  acquired acquire_untold(std::size_t nbytes, std::size_t alignment);
  void tell(const acquired&) const noexcept;
  /// Not under a lock. From acquire, with the same arguments.
  void give_back(std::byte* block, std::size_t nbytes, std::size_t alignment) noexcept;

  usm_kind kind() const noexcept { return upstream_.kind(); }
  const any_resource& upstream() const noexcept { return upstream_; }
  const sycl::queue& queue() const noexcept { return queue_; }
  /// Bytes that the pool has, without what alignment costs.
  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }
  std::size_t peak_nbytes() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void reset_peak() noexcept { peak_.store(nbytes(), std::memory_order_relaxed); }
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  /// What the pool has already, it keeps.
  void set_limit(std::size_t nbytes) noexcept { limit_.store(nbytes, std::memory_order_relaxed); }

 private:
  /// What was asked for in place of a block that had to be aligned.
  struct larger_block {
    std::byte* base;
    std::size_t nbytes;
  };

  /// Bytes that count as the pool's until it ends, and for good once they are kept.
  class counted;

  void count_in(std::size_t nbytes);
  void count_out(std::size_t nbytes) noexcept;
  std::byte* acquire_counted(std::size_t nbytes, std::size_t alignment);
  std::byte* try_to_acquire_larger(std::size_t nbytes, std::size_t alignment);
  void return_upstream(std::byte* block, std::size_t nbytes, std::size_t alignment) noexcept;

  any_resource upstream_;
  // One of its own: a copy of usmx's cached queue would keep that in use for ever.
  sycl::queue queue_;
  std::atomic<std::size_t> nbytes_ = 0;
  std::atomic<std::size_t> peak_ = 0;
  std::atomic<std::size_t> limit_;
  ranked_mutex<lock_rank::larger_blocks> larger_mutex_;
  std::map<std::byte*, larger_block> larger_;
};

/// Sets it where the value is greater.
inline void raise_to(std::atomic<std::size_t>& peak, std::size_t value) noexcept {
  std::size_t known = peak.load(std::memory_order_relaxed);
  while (known < value && !peak.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

}  // namespace usmx::inline v1::detail
