// What somebody asks an array to be, and whether one that exists is that already.
#pragma once

#include <optional>
#include <string>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/element_order.hpp"

namespace usmx::inline v1 {

struct array_request {
  dtype type;
  usm_kind kind;
  sycl::queue queue;
  /// Whether it must be this queue; else any of its device and context will do.
  bool exactly_on_queue;
  element_order order;
};

/// In what an array is not as it is asked to be, and so must be copied: "the element type is
/// float32, not float64". None when it is.
USMX_API std::optional<std::string> reason_to_copy(const array&, const array_request&);

}  // namespace usmx::inline v1
