// The fields of structured types: what is inside of one element. Making such a type is
// dtype::structured; its exchange form is in exchange/typedescr.hpp. No SYCL here.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// As in NumPy, whose item sizes are C integers.
inline constexpr std::size_t max_structure_itemsize = 2147483647;

/// One field of a structured type: a name, and where its bytes lie in an element.
struct field {
  std::string name;
  /// Plain, or structured itself.
  dtype type;
  /// Of a field that is an array in C order; empty when it is one element of `type`.
  std::vector<std::ptrdiff_t> shape;
  /// In bytes from the element's first.
  std::size_t offset;

  friend bool operator==(const field&, const field&) = default;
  /// An order without a meaning, for containers.
  friend auto operator<=>(const field&, const field&) = default;
};

/// The bytes that a field takes. Throws value_error naming it when its shape has a negative or a
/// too large extent or too many of them.
USMX_API std::size_t checked_nbytes(const field&);

/// The field of that name; null when the type has none.
USMX_API const field* find_field(dtype type, std::string_view name) noexcept;

}  // namespace usmx::inline v1
