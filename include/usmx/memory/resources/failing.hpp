// A resource that fails on purpose, to test what a program does then.
#pragma once

#include <cstddef>
#include <functional>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// A resource that asks a function before each allocation whether to fail, and passes all other
/// calls on to another resource.
class USMX_API failing_resource {
 public:
  /// Fails when `fails(nbytes)` returns true. Several threads may call the function at once. Other
  /// requests go to `upstream`. Throws value_error on top of max_resource_depth resources,
  /// and for no function.
  failing_resource(any_resource upstream, std::function<bool(std::size_t nbytes)> fails);

  /// A new block of at least `nbytes` bytes. The alignment is in bytes, and 0 is the resource's
  /// choice. Throws value_error when `nbytes` is 0 or the alignment is not a power of two, and
  /// allocation_error when the function says so or `upstream` has no memory.
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

 private:
  any_resource upstream_;
  std::function<bool(std::size_t)> fails_;
};

static_assert(memory_resource<failing_resource>);

}  // namespace usmx::inline v1
