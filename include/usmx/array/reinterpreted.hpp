// Views of an array's memory with another element type, of the parts of complex numbers, and of the
// fields of structured elements. These convert nothing; conversion is in copy/copy.hpp and
// copy/values.hpp.
#pragma once

#include <span>
#include <string_view>

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
  real,      ///< The real part.
  imaginary  ///< The imaginary part.
};

/// The real or the imaginary parts of complex elements, as an array of the same memory: NumPy's
/// `real` and `imag`. complex64 has parts of float32, complex128 of float64. The caller has checked
/// that the elements are complex.
[[nodiscard]] USMX_API array part_view(const array& complex_elements, complex_part);

/// The field `name` of every element, as an array of the same memory. The field's own shape makes
/// additional last dimensions. Throws index_error when there is no such field. Throws value_error
/// when the field's offset in bytes or a stride of the array in bytes is no multiple of the field's
/// item size, since an array counts both in whole elements, or when element zero is not aligned for
/// the field's type.
[[nodiscard]] USMX_API array field_view(const array&, std::string_view name);

/// The elements with only the fields of these names, as an array of the same memory; the other
/// fields become padding. The result is read-only, because usmx writes whole elements, padding
/// included. Throws index_error when there is no such field, value_error when there are no names or
/// when they are not in the order in which the fields lie in an element.
[[nodiscard]] USMX_API array fields_view(const array&, std::span<const std::string_view> names);

}  // namespace usmx::inline v1
