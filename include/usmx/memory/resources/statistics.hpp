// A resource that counts its calls.
#pragma once

#include <cstddef>
#include <mutex>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// A number of bytes or blocks over time.
struct allocation_count {
  /// The number now.
  std::size_t current = 0;
  /// The largest number so far.
  std::size_t peak = 0;
  /// The sum of all allocations, including those that were freed.
  std::size_t total = 0;
};

/// The counts of a statistics_resource.
struct allocation_counts {
  /// Bytes that were asked for, without rounding.
  allocation_count nbytes;
  /// Blocks.
  allocation_count blocks;
  /// Number of allocations that failed.
  std::size_t failures = 0;
};

/// A resource that passes calls on to another one, and counts them.
class USMX_API statistics_resource {
 public:
  /// Counts the calls of `upstream`. Throws value_error on top of max_resource_depth resources.
  explicit statistics_resource(any_resource upstream);

  /// A new block of at least `nbytes` bytes. The alignment is in bytes, and 0 is the resource's
  /// choice. Throws value_error when `nbytes` is 0 or the alignment is not a power of two, and
  /// allocation_error when `upstream` has no memory.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// Gives a block back to `upstream`, with the size and the alignment that it was allocated with.
  /// No work may use the block any more.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return upstream_.kind(); }
  /// The resource below.
  const any_resource& upstream() const noexcept { return upstream_; }

  /// All counts at one moment.
  allocation_counts counts() const;

 private:
  any_resource upstream_;
  mutable std::mutex mutex_;
  allocation_counts counts_;
};

static_assert(memory_resource<statistics_resource>);

}  // namespace usmx::inline v1
