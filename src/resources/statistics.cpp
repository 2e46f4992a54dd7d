#include "usmx/memory/resources/statistics.hpp"

#include <algorithm>
#include <utility>

namespace usmx::inline v1 {
namespace {

void add(allocation_count& to, std::size_t amount) {
  to.current += amount;
  to.total += amount;
  to.peak = std::max(to.peak, to.current);
}

}  // namespace

statistics_resource::statistics_resource(any_resource upstream)
    : upstream_(detail::as_upstream(std::move(upstream))) {}

std::byte* statistics_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                         const sycl::queue& queue) {
  std::byte* block = nullptr;
  try {
    block = upstream_.allocate(nbytes, alignment, queue);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    ++counts_.failures;
    throw;
  }
  const std::lock_guard lock(mutex_);
  add(counts_.nbytes, nbytes);
  add(counts_.blocks, 1);
  return block;
}

void statistics_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                     const sycl::queue& queue) noexcept {
  upstream_.deallocate(block, nbytes, alignment, queue);
  const std::lock_guard lock(mutex_);
  counts_.nbytes.current -= nbytes;
  --counts_.blocks.current;
}

allocation_counts statistics_resource::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace usmx::inline v1
