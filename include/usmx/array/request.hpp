// Requests: all that a new array shall be, and whether an existing array is that already. What a
// parameter needs, which is less, is in array/requirement.hpp.
#pragma once

#include <optional>
#include <string>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/element_order.hpp"

namespace usmx::inline v1 {

/// A request for an array: its type, its memory, its queue and the order of its elements.
struct array_request {
  /// The element type.
  dtype type;
  /// The kind of memory.
  usm_kind kind;
  /// The queue, which names the device and the context.
  sycl::queue queue;
  /// Whether the array must be on this very queue. If false, any queue of the same device and
  /// context will do.
  bool exactly_on_queue;
  /// The order in which the elements lie without gaps; `keep` asks for no order.
  element_order order;
};

/// The reason why an array must be copied to be as requested, for messages: "the element type is
/// float32, not float64". None when the array is as requested. Throws value_error for an array
/// without memory.
USMX_API std::optional<std::string> reason_to_copy(const array&, const array_request&);

}  // namespace usmx::inline v1
