// Fields of an array of structured elements, as an array of their own.
#pragma once

#include <span>
#include <string_view>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The field of that name in every element: the same memory, and the field's own shape as
/// additional last dimensions. Throws index_error when there is no such field, and value_error,
/// since strides and offsets are counted in whole elements, when the field's place in bytes or the
/// array's stride in bytes is no multiple of the field's item size, or when element zero is not
/// aligned for the field's type.
USMX_API array field_view(const array&, std::string_view name);

/// The same elements with only the fields of these names, at least one: the others become padding.
/// The view is read-only, because whole elements are written, padding included. Throws index_error
/// when there is no such field, and value_error when the names are not in the order in which the
/// fields lie in an element.
USMX_API array fields_view(const array&, std::span<const std::string_view> names);

}  // namespace usmx::inline v1
