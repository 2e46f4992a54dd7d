#include "runtime/events_internal.hpp"

#include <cstdint>

namespace usmx::inline v1::internal {
namespace {

// Deprecated, but the only function that tells whether a back end has the event.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::uint32_t references_of_back_end(const sycl::event& event) {
  return event.get_info<sycl::info::event::reference_count>();
}
#pragma GCC diagnostic pop

}  // namespace

std::optional<sycl::backend> backend_of(const sycl::event& event) {
  return references_of_back_end(event) > 0 ? std::optional(event.get_backend()) : std::nullopt;
}

}  // namespace usmx::inline v1::internal
