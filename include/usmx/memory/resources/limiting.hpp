// No more than so many bytes at a time.
#pragma once

#include <atomic>
#include <cstddef>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// Counts the bytes that were asked for.
class USMX_API limiting_resource {
 public:
  limiting_resource(any_resource upstream, std::size_t limit) noexcept;

  /// Throws allocation_error where it would be more than the limit.
  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  usm_kind kind() const noexcept { return upstream_.kind(); }

  std::size_t limit() const noexcept { return limit_; }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  void count_in(std::size_t nbytes, const sycl::queue& queue);

  any_resource upstream_;
  std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;
};

static_assert(memory_resource<limiting_resource>);

}  // namespace usmx::inline v1
