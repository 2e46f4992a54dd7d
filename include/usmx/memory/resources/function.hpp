// A resource that is two C functions of somebody else's, in the shape that PyTorch's pluggable
// allocators have.
#pragma once

#include <cstddef>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

class USMX_API function_resource {
 public:
  /// Null where there is no memory.
  using allocate_function = void* (*)(std::size_t nbytes, int device, sycl::queue* queue);
  using free_function = void (*)(void* block, std::size_t nbytes, sycl::queue* queue);

  /// The functions give USM of that kind, which must not be unknown, and are not null
  /// (value_error); they may be called by several threads at once and must not throw. `device` is
  /// handed on.
  function_resource(usm_kind kind, allocate_function to_allocate, free_function to_free,
                    int device = 0);

  /// Throws allocation_error also where the block is not aligned: the functions are not told. Below
  /// a pool_resource, which asks for more then, any alignment of up to 2 MiB can be had.
  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue) const;
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept;
  usm_kind kind() const noexcept { return kind_; }

 private:
  usm_kind kind_;
  allocate_function allocate_;
  free_function free_;
  int device_;
};

static_assert(memory_resource<function_resource>);

}  // namespace usmx::inline v1
