// The plain resource: each block is one allocation of the SYCL runtime.
#pragma once

#include <cstddef>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

class USMX_API usm_resource {
 public:
  /// kind must not be unknown (value_error).
  explicit usm_resource(usm_kind kind);

  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue) const;
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept;
  usm_kind kind() const noexcept { return kind_; }

 private:
  usm_kind kind_;
};

static_assert(memory_resource<usm_resource>);

}  // namespace usmx::inline v1
