#include "usmx/array/request.hpp"

#include "array/array_internal.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace {

std::string_view contiguity(element_order order) {
  switch (order) {
    case element_order::c:
      return "C-contiguous";
    case element_order::f:
      return "Fortran-contiguous";
    default:
      return "contiguous";
  }
}

}  // namespace

std::optional<std::string> reason_to_copy(const array& a, const array_request& asked) {
  const sycl::queue& queue = internal::private_queue(a);
  if (asked.type != a.type()) {
    return detail::message("the element type is ", a.type(), ", not ", asked.type);
  }
  if (asked.kind != a.kind()) {
    return detail::message("the memory is of kind '", name(a.kind()), "', not '", name(asked.kind),
                           "'");
  }
  if (asked.queue.get_device() != queue.get_device()) {
    return detail::message("the array is on ", describe(queue.get_device()), ", not ",
                           describe(asked.queue.get_device()));
  }
  if (asked.queue.get_context() != queue.get_context()) {
    return "the array is in another context";
  }
  if (asked.exactly_on_queue && asked.queue != queue) {
    return "the array is on another queue of the same device";
  }
  if (!is_contiguous_in(a.layout(), asked.order)) {
    return detail::message("the array is not ", contiguity(asked.order));
  }
  return std::nullopt;
}

}  // namespace usmx::inline v1
