// New arrays whose elements are set to zero. New arrays whose elements are not set are made by
// `empty` in array/array.hpp.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/shape_argument.hpp"

namespace usmx::inline v1 {

/// Makes a new C-contiguous array whose bytes are all 0, and waits until they are set. usmx
/// allocates at least one element, on the queue's device. Throws value_error or overflow_error for
/// a shape that no array can have, allocation_error when there is no such memory.
USMX_API array zeros(const shape_argument& shape, dtype type, const sycl::queue& queue,
                     usm_kind kind = usm_kind::device);

}  // namespace usmx::inline v1
