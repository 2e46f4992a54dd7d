// The exchange's description of structured types, `typestr` "|V<n>" with a `typedescr`, as plain
// values, both ways. The form is that of NumPy's `dtype.descr`. No Python here.
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

/// How deep descriptions may be nested, so that reading one needs a bounded stack.
inline constexpr int max_typedescr_depth = 16;

/// (name, type[, shape]). An entry without a name is padding, its type "|V<n>".
struct typedescr_entry {
  std::string name;
  /// A typestr, or the entries of a nested structure.
  std::variant<std::string, std::vector<typedescr_entry>> type;
  std::vector<std::ptrdiff_t> shape;

  friend bool operator==(const typedescr_entry&, const typedescr_entry&) = default;
};

using typedescr = std::vector<typedescr_entry>;

/// Whether a typestr says that the type is structured: 'V' first, or behind one other character. Of
/// what size, and whether that is its character, parse_typedescr finds out.
inline bool is_structured_typestr(std::string_view typestr) noexcept {
  return typestr.starts_with('V') || (typestr.size() > 1 && typestr[1] == 'V');
}

/// The structured type of a "|V<n>" and its fields. Throws value_error naming both when they do not
/// add up to n, a type is none of the plain ones, names are missing or there twice, or entries are
/// nested deeper than max_typedescr_depth. For descriptions from outside: kept while it is held.
USMX_API held_dtype parse_typedescr(std::string_view typestr, const typedescr& entries);

/// The same where no typestr says a size: all entries together. For types that this process names:
/// kept for ever.
USMX_API dtype parse_typedescr(const typedescr& entries);

/// What a structured type says of itself, every gap as an entry; empty for a plain type.
USMX_API typedescr describe_type(dtype type);

/// As Python prints the list, cut when it is long: for messages.
USMX_API std::string text(const typedescr& entries);

}  // namespace usmx::inline v1::exchange
