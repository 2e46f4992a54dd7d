// The bytes of an array's elements, or of their parts, read as elements of another type.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// The same memory with elements of another type, as NumPy's `view(dtype)`: where the item size
/// changes, the last dimension and its stride do. Throws value_error when it changes and there are
/// no dimensions, the last one is not contiguous, or its bytes are no whole number of new items;
/// and, since strides and offsets are counted in whole elements, when another stride or the offset
/// is no whole number of new items, or element zero is not aligned for the new type.
USMX_API array reinterpreted(const array&, dtype type);

enum class complex_part { real, imaginary };

/// The real or the imaginary parts of complex elements, in the same memory.
USMX_API array part_view(const array& complex_elements, complex_part);

}  // namespace usmx::inline v1
