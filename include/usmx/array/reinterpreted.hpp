// Views of an array's memory with another element type, and of the parts of complex numbers. These
// convert nothing; conversion is in copy/copy.hpp and copy/values.hpp.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// The bytes of the elements read as elements of another type, as an array of the same memory:
/// NumPy's `view(dtype)`. If the item size changes, so does the extent of the last dimension.
/// Throws value_error when element zero is not aligned for the new type. Throws value_error when
/// the item size changes and there are no dimensions, the last dimension is not contiguous, or its
/// bytes, another stride or the offset are no whole number of new elements.
[[nodiscard]] USMX_API array reinterpreted(const array&, dtype type);

/// A part of complex numbers.
enum class complex_part {
  /// The real part.
  real,
  /// The imaginary part.
  imaginary
};

/// The real or the imaginary parts of complex elements, as an array of the same memory: NumPy's
/// `real` and `imag`. complex64 has parts of float32, complex128 of float64. The caller has checked
/// that the elements are complex.
[[nodiscard]] USMX_API array part_view(const array& complex_elements, complex_part);

}  // namespace usmx::inline v1
