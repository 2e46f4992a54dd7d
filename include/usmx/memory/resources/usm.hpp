// The plain resource, which allocates each block from the SYCL runtime.
#pragma once

#include <cstddef>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// A resource that allocates and frees each block by a call of the SYCL runtime.
class USMX_API usm_resource {
 public:
  /// A resource of that kind of memory. Throws value_error when the kind is unknown.
  explicit usm_resource(usm_kind kind);

  /// A new block of at least `nbytes` bytes. The alignment is in bytes, and 0 is the resource's
  /// choice. Throws value_error when `nbytes` is 0 or the alignment is not a power of two, and
  /// allocation_error when the runtime has no memory or cannot keep the alignment.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue) const;
  /// Gives a block back to the runtime, with the size and the alignment that it was allocated with.
  /// No work may use the block any more.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return kind_; }

 private:
  usm_kind kind_;
};

static_assert(memory_resource<usm_resource>);

}  // namespace usmx::inline v1
