#include "usmx/runtime/events_internal.hpp"

namespace usmx::internal {

std::optional<sycl::backend> backend_of(const sycl::event& event) {
  const bool is_of_a_back_end = event.get_info<sycl::info::event::reference_count>() > 0;
  return is_of_a_back_end ? std::optional(event.get_backend()) : std::nullopt;
}

}  // namespace usmx::internal
