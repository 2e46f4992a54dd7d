// Failures on purpose, to test what programs do then.
#pragma once

#include <cstddef>
#include <functional>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// Fails with allocation_error where a function says so; it may be called by several threads at
/// once.
class USMX_API failing_resource {
 public:
  failing_resource(any_resource upstream, std::function<bool(std::size_t nbytes)> fails);

  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  usm_kind kind() const noexcept { return upstream_.kind(); }

 private:
  any_resource upstream_;
  std::function<bool(std::size_t)> fails_;
};

static_assert(memory_resource<failing_resource>);

}  // namespace usmx::inline v1
