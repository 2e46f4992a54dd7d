// Arrays side by side in another one, by one kernel for several. Not installed.
#pragma once

#include <span>

#include "usmx/array/array.hpp"

namespace usmx::inline v1::internal {

/// Whether kernels are faster than a copy for each part: for few bytes, where the host does not
/// reach them.
bool is_for_join(std::span<const array> parts, const array& result);

/// Copies arrays next to each other along an axis of the result, in the order of all work. The
/// result is in C order, has exactly their elements and is on their queue. Returns false, and does
/// nothing, unless all parts are in C order and of the result's type, and there are such kernels.
bool join_by_kernels(std::span<const array> parts, const array& result, int axis);

}  // namespace usmx::inline v1::internal
