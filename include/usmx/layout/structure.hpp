// The fields of structured types, whose elements have several named values. dtype::structured makes
// such a type, and exchange/typedescr.hpp writes and reads it. This header does not need SYCL.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// The largest size of a structured type in bytes. It is NumPy's, whose item sizes are C integers.
inline constexpr std::size_t max_structure_itemsize = 2147483647;

/// One field of a structured type.
struct field {
  /// The name, which is not empty.
  std::string name;
  /// The type of the field's elements. It may be structured, too.
  dtype type;
  /// The shape of a field that is an array in C order. It is empty for a single element.
  std::vector<std::ptrdiff_t> shape;
  /// Where the field begins, in bytes from the start of the element.
  std::size_t offset;

  /// Whether names, types, shapes and offsets are equal.
  friend bool operator==(const field&, const field&) = default;
  /// An order that has no meaning, for containers.
  friend auto operator<=>(const field&, const field&) = default;
};

/// Size of a field in bytes. Throws value_error, whose message has the field's name, when the shape
/// has more than max_ndim extents or a negative one, or when the field is larger than
/// max_structure_itemsize bytes.
USMX_API std::size_t checked_nbytes(const field&);

/// The field of that name, or null if the type has none. The pointer is valid as long as the type
/// lives.
USMX_API const field* find_field(dtype type, std::string_view name) noexcept;

}  // namespace usmx::inline v1
