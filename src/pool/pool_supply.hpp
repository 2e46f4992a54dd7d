// The memory that a pool gets from the resource below it. Counts it, keeps it within the pool's
// limit, and notes its ranges as a pool's (tracking/pooled_ranges.hpp). Thread-safe. Private to the
// library.
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

  /// Memory of the queue's context and device.
  pool_supply(any_resource upstream, const sycl::queue& queue);

  /// Throws allocation_error if the limit or the resource below refuses. If the resource below does
  /// not keep an alignment, asks it for more bytes.
  std::byte* acquire(std::size_t nbytes, std::size_t alignment);
  /// The same for a caller that holds a lock, and that tells the observer after it has released the
  /// lock.
  acquired acquire_untold(std::size_t nbytes, std::size_t alignment);
  void tell(const acquired&) const noexcept;
  /// Gives back a block of acquire(), with the same arguments. To be called without a lock.
  void give_back(std::byte* block, std::size_t nbytes, std::size_t alignment) noexcept;

  usm_kind kind() const noexcept { return upstream_.kind(); }
  const any_resource& upstream() const noexcept { return upstream_; }
  const sycl::queue& queue() const noexcept { return queue_; }
  /// Bytes that the pool has, without those that alignment costs.
  std::size_t nbytes() const noexcept { return nbytes_.load(std::memory_order_relaxed); }
  std::size_t peak_nbytes() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void reset_peak() noexcept { peak_.store(nbytes(), std::memory_order_relaxed); }
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  /// The pool keeps what it has already.
  void set_limit(std::size_t nbytes) noexcept { limit_.store(nbytes, std::memory_order_relaxed); }

 private:
  /// The block that was asked for to get an aligned one inside it.
  struct larger_block {
    std::byte* base;
    std::size_t nbytes;
  };

  /// Bytes that count as the pool's until this object is destroyed, and for good once it is told to
  /// keep them.
  class counted;

  void count_in(std::size_t nbytes);
  void count_out(std::size_t nbytes) noexcept;
  std::byte* acquire_counted(std::size_t nbytes, std::size_t alignment);
  std::byte* try_to_acquire_larger(std::size_t nbytes, std::size_t alignment);
  void return_upstream(std::byte* block, std::size_t nbytes, std::size_t alignment) noexcept;

  any_resource upstream_;
  // A queue of the pool's own: a copy of usmx's cached queue would keep that queue in use for ever.
  sycl::queue queue_;
  std::atomic<std::size_t> nbytes_ = 0;
  std::atomic<std::size_t> peak_ = 0;
  std::atomic<std::size_t> limit_;
  ranked_mutex<lock_rank::larger_blocks> larger_mutex_;
  std::map<std::byte*, larger_block> larger_;
};

/// Sets the peak to the value if that is greater.
inline void raise_to(std::atomic<std::size_t>& peak, std::size_t value) noexcept {
  std::size_t known = peak.load(std::memory_order_relaxed);
  while (known < value && !peak.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

}  // namespace usmx::inline v1::detail
