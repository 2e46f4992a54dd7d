#include "usmx/memory/resources/limiting.hpp"

#include <utility>

#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

limiting_resource::limiting_resource(any_resource upstream, std::size_t limit)
    : upstream_(detail::as_upstream(std::move(upstream))), limit_(limit) {}

std::byte* limiting_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                       const sycl::queue& queue) {
  detail::check_request(nbytes, alignment);
  count_in(nbytes, queue);
  try {
    return upstream_.allocate(nbytes, alignment, queue);
  } catch (...) {
    used_.fetch_sub(nbytes, std::memory_order_relaxed);
    throw;
  }
}

void limiting_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                   const sycl::queue& queue) noexcept {
  upstream_.deallocate(block, nbytes, alignment, queue);
  used_.fetch_sub(nbytes, std::memory_order_relaxed);
}

void limiting_resource::count_in(std::size_t nbytes, const sycl::queue& queue) {
  std::size_t before = used();
  do {
    if (nbytes > limit_ - before) {
      throw allocation_error(detail::refusal(
          nbytes, kind(), queue,
          detail::message("a limit of ", limit_, " bytes, of which ", before, " are in use")));
    }
  } while (!used_.compare_exchange_weak(before, before + nbytes, std::memory_order_relaxed));
}

}  // namespace usmx::inline v1
