// New arrays whose elements are set. Those whose are not: array/array.hpp.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/shape_argument.hpp"

namespace usmx::inline v1 {

/// A new array, C-contiguous, every byte 0; at least one element is allocated. Waits until it is
/// filled. Throws as `empty`.
USMX_API array zeros(const shape_argument& shape, dtype type, const sycl::queue& queue,
                     usm_kind kind = usm_kind::device);

}  // namespace usmx::inline v1
