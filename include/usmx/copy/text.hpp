// The elements of an array as text, wherever they are: what one looks at first. Printing with `<<`
// is in array/print.hpp.
//
//   std::cout << usmx::to_string(a) << '\n';
#pragma once

#include <string>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The elements as nested lists, "[[0, 1],\n [2, 3]]", as `<<` prints views: of more than 1000
/// elements it has the first and the last 3 along each dimension. What it has is copied to the
/// host, from any kind of memory. Waits. Throws value_error when the elements are of a structured
/// type or the array has no memory.
[[nodiscard]] USMX_API std::string to_string(const array& a);

}  // namespace usmx::inline v1
