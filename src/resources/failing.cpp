#include "usmx/memory/resources/failing.hpp"

#include <utility>

#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

failing_resource::failing_resource(any_resource upstream, std::function<bool(std::size_t)> fails)
    : upstream_(detail::as_upstream(std::move(upstream))),
      fails_(detail::required(std::move(fails), "failing_resource",
                              "a function that says what fails")) {}

std::byte* failing_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                      const sycl::queue& queue) {
  detail::check_request(nbytes, alignment);
  if (fails_(nbytes)) {
    throw allocation_error(detail::refusal(nbytes, kind(), queue, "a failure on purpose"));
  }
  return upstream_.allocate(nbytes, alignment, queue);
}

void failing_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                  const sycl::queue& queue) noexcept {
  upstream_.deallocate(block, nbytes, alignment, queue);
}

}  // namespace usmx::inline v1
