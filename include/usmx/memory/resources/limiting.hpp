// A resource with a limit on the bytes in use.
#pragma once

#include <atomic>
#include <cstddef>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// A resource that passes calls on to another one until a limit is reached. It counts the bytes
/// that were asked for, without rounding.
class USMX_API limiting_resource {
 public:
  /// Lets at most `limit` bytes of `upstream` be in use at a time. Throws value_error on top of
  /// max_resource_depth resources.
  limiting_resource(any_resource upstream, std::size_t limit);

  /// A new block of at least `nbytes` bytes. The alignment is in bytes, and 0 is the resource's
  /// choice. Throws value_error when `nbytes` is 0 or the alignment is not a power of two, and
  /// allocation_error when the limit would be exceeded or `upstream` has no memory.
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

  /// The limit in bytes.
  std::size_t limit() const noexcept { return limit_; }
  /// Bytes in use.
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  void count_in(std::size_t nbytes, const sycl::queue& queue);

  any_resource upstream_;
  std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;
};

static_assert(memory_resource<limiting_resource>);

}  // namespace usmx::inline v1
