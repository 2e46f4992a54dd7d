// A resource that calls two C functions, which have the parameters of PyTorch's pluggable
// allocators.
#pragma once

#include <cstddef>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// A resource that calls two C functions.
class USMX_API function_resource {
 public:
  /// A function that returns a block of `nbytes` bytes, or null if there is no memory. The queue
  /// says for which context and device, and `device` is the number that the constructor got.
  using allocate_function = void* (*)(std::size_t nbytes, int device, sycl::queue* queue);
  /// A function that frees a block. It gets the size that the block was allocated with.
  using free_function = void (*)(void* block, std::size_t nbytes, sycl::queue* queue);

  /// A resource of these functions, which must return USM of that kind. Several threads may call
  /// them at once, and they must not throw. `to_allocate` gets `device` in each call. Throws
  /// value_error when the kind is unknown or a function is null.
  function_resource(usm_kind kind, allocate_function to_allocate, free_function to_free,
                    int device = 0);

  /// A new block of `nbytes` bytes. The function does not get the alignment: allocation_error is
  /// thrown when its block does not have it, and when there is no memory. A pool_resource on top of
  /// this resource can serve alignments of up to 2 MiB, because it asks for larger blocks. Throws
  /// value_error when `nbytes` is 0 or the alignment is neither 0 nor a power of two.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue) const;
  /// Gives a block back to the function, with the size and the alignment that it was allocated
  /// with. No work may use the block any more.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return kind_; }

 private:
  usm_kind kind_;
  allocate_function allocate_;
  free_function free_;
  int device_;
};

static_assert(memory_resource<function_resource>);

}  // namespace usmx::inline v1
