#include "usmx/layout/dtype.hpp"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>

#include "base/quoted.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {
namespace {

using detail::foreign_order;
using detail::is_order_prefix;
using detail::native_order;

/// The number that "1", "2", "4", "8" or "16" writes, else 0. No other size exists, so that signs,
/// zeros in front and trailing characters need no rule of their own.
std::size_t parse_itemsize(std::string_view digits) {
  if (digits == "16") return 16;
  if (digits.size() != 1) return 0;
  switch (digits[0]) {
    case '1':
      return 1;
    case '2':
      return 2;
    case '4':
      return 4;
    case '8':
      return 8;
    default:
      return 0;
  }
}

/// The type of a kind and a size without a byte order in front: "f8".
std::optional<dtype> parse_kind_and_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t itemsize = parse_itemsize(text.substr(1));
  const auto entry = std::find_if(
      detail::type_table.begin(), detail::type_table.end(),
      [&](const detail::type_entry& e) { return e.kind == text[0] && e.itemsize == itemsize; });
  if (entry == detail::type_table.end()) return std::nullopt;
  return dtype(static_cast<type_code>(entry - detail::type_table.begin()));
}

/// "b1, i1, ..., c16".
std::string accepted_types() {
  std::string out;
  for (const detail::type_entry& entry : detail::type_table) {
    if (!out.empty()) out += ", ";
    out += entry.typestr.substr(1);
  }
  return out;
}

}  // namespace

dtype dtype::from_typestr(std::string_view typestr) {
  const bool foreign = typestr.starts_with(foreign_order);
  const bool prefixed = foreign || (!typestr.empty() && is_order_prefix(typestr[0]));
  const auto type = parse_kind_and_size(typestr.substr(prefixed ? 1 : 0));
  if (!type) {
    throw value_error(detail::message("'typestr' must be one of ", accepted_types(), " with '",
                                      native_order, "', '=', '|' or nothing in front, found ",
                                      detail::quoted(typestr)));
  }
  if (foreign) {
    throw value_error(detail::message("'typestr' must be in this machine's byte order, with '",
                                      native_order, "', '=', '|' or nothing in front, found ",
                                      detail::quoted(typestr)));
  }
  return *type;
}

std::ostream& operator<<(std::ostream& out, dtype type) {
  return type.is_structured() && type.format() != nullptr ? out << type.format()
                                                          : out << type.name();
}

}  // namespace usmx::inline v1
