#include "runtime/completion.hpp"

#include <cstdint>

#include <sycl/exception.hpp>

#include "runtime/drivers/back_ends.hpp"

namespace usmx::inline v1::detail {

bool is_complete(const sycl::event& event) {
  return event.get_info<sycl::info::event::command_execution_status>() ==
         sycl::info::event_command_status::complete;
}

bool is_known_empty(const sycl::queue& queue) {
  try {
    return queue.is_in_order() && traits_of(queue.get_backend()).in_order_queues_tell_if_empty &&
           queue.ext_oneapi_empty();
  } catch (const sycl::exception&) {
    return false;
  }
}

}  // namespace usmx::inline v1::detail

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
