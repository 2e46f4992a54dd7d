#include "usmx/memory/resources/function.hpp"

#include <cstdint>

#include "resources/requests.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

function_resource::function_resource(usm_kind kind, allocate_function to_allocate,
                                     free_function to_free, int device)
    : kind_(kind), allocate_(to_allocate), free_(to_free), device_(device) {
  if (kind == usm_kind::unknown) {
    throw value_error("memory kind must be device, shared or host, found unknown");
  }
  if (to_allocate == nullptr || to_free == nullptr) {
    throw value_error("the functions of a resource must be addresses of functions, found null");
  }
}

std::byte* function_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                       const sycl::queue& queue) const {
  detail::require_possible_request(nbytes, alignment, kind_, queue);
  sycl::queue own = queue;
  auto* const block = static_cast<std::byte*>(allocate_(nbytes, device_, &own));
  if (block == nullptr) {
    throw allocation_error(
        detail::refusal(nbytes, kind_, queue, "the resource's function returned no memory"));
  }
  if (alignment != 0 && reinterpret_cast<std::uintptr_t>(block) % alignment != 0) {
    free_(block, nbytes, &own);
    throw allocation_error(detail::refusal(
        nbytes, kind_, queue,
        detail::message("the resource's function did not align to ", alignment, " bytes")));
  }
  return block;
}

void function_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t,
                                   const sycl::queue& queue) const noexcept {
  sycl::queue own = queue;
  free_(block, nbytes, &own);
}

}  // namespace usmx::inline v1
