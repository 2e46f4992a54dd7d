// Views of the fields of structured elements, which NumPy writes `a["name"]`. The types themselves
// are in layout/structure.hpp.
#pragma once

#include <span>
#include <string_view>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The field `name` of every element, as an array of the same memory. The field's own shape makes
/// additional last dimensions. Throws index_error when there is no such field. Throws value_error
/// when the field's offset in bytes or a stride of the array in bytes is no multiple of the field's
/// item size, since an array counts both in whole elements, or when element zero is not aligned for
/// the field's type.
[[nodiscard]] USMX_API array field_view(const array&, std::string_view name);

/// The same elements with only the fields of these names, as an array of the same memory; the other
/// fields become padding. The result is read-only, because usmx writes whole elements, padding
/// included. Throws index_error when there is no such field, value_error when there are no names or
/// when they are not in the order in which the fields lie in an element.
[[nodiscard]] USMX_API array fields_view(const array&, std::span<const std::string_view> names);

}  // namespace usmx::inline v1
