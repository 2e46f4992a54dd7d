// Counts of what passes through a resource.
#pragma once

#include <cstddef>
#include <mutex>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// Something that grows and shrinks.
struct allocation_count {
  std::size_t current = 0;
  std::size_t peak = 0;
  /// All that ever came.
  std::size_t total = 0;
};

struct allocation_counts {
  allocation_count nbytes;
  allocation_count blocks;
  /// Requests that ended in an error.
  std::size_t failures = 0;
};

/// Counts bytes as they were asked for.
class USMX_API statistics_resource {
 public:
  explicit statistics_resource(any_resource upstream) noexcept;

  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  usm_kind kind() const noexcept { return upstream_.kind(); }

  /// All of one moment.
  allocation_counts counts() const;

 private:
  any_resource upstream_;
  mutable std::mutex mutex_;
  allocation_counts counts_;
};

static_assert(memory_resource<statistics_resource>);

}  // namespace usmx::inline v1
