// Descriptions of structured types in the USM array interface: a `typestr` "|V<n>" with a
// `typedescr`, which has the form of NumPy's `dtype.descr`. usmx makes types of descriptions and
// descriptions of types. No Python here. The types are in layout/structure.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/layout/held_dtype.hpp"
#include "usmx/layout/structure.hpp"

namespace usmx::inline v1::exchange {

/// How deep descriptions may be nested. The limit bounds the stack that reading one needs.
inline constexpr int max_typedescr_depth = 16;

/// One entry of a description, (name, type[, shape]) in NumPy: a field, or padding.
struct typedescr_entry {
  /// The name of the field; empty for padding.
  std::string name;
  /// A typestr, which is "|V<n>" for n bytes of padding, or the entries of a nested structure.
  std::variant<std::string, std::vector<typedescr_entry>> type;
  /// The extents of a field that is an array in C order; empty for a single element.
  std::vector<std::ptrdiff_t> shape;

  friend bool operator==(const typedescr_entry&, const typedescr_entry&) = default;
};

/// A description: its entries in the order in which they lie in an element.
using typedescr = std::vector<typedescr_entry>;

/// Whether a typestr says that the type is structured: 'V' is its first or second character. The
/// rest of the text is not checked; parse_typedescr does that.
inline bool is_structured_typestr(std::string_view typestr) noexcept {
  return typestr.starts_with('V') || (typestr.size() > 1 && typestr[1] == 'V');
}

/// Makes the structured type of a typestr "|V<n>" and its description. It is for descriptions from
/// outside: usmx keeps the type only as long as somebody holds it. Throws value_error, which names
/// both, when the entries do not add up to n bytes, a type is none of the plain ones, a name is
/// missing or there twice, or entries are nested deeper than max_typedescr_depth.
USMX_API held_dtype parse_typedescr(std::string_view typestr, const typedescr& entries);

/// Makes the structured type of a description, whose entries together give the size. It is for
/// types that the process itself names: usmx keeps them for ever. Throws value_error when a type is
/// none of the plain ones, a name is missing or there twice, or entries are nested deeper than
/// max_typedescr_depth.
USMX_API dtype parse_typedescr(const typedescr& entries);

/// Describes a structured type, with an entry of padding for every gap; empty for a plain type.
USMX_API typedescr describe_type(dtype type);

/// The description as Python prints the list, cut when it is long: for messages.
USMX_API std::string text(const typedescr& entries);

}  // namespace usmx::inline v1::exchange
