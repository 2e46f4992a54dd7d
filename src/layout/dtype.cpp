#include "usmx/layout/dtype.hpp"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>

#include "base/messages.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {
namespace {

using detail::foreign_order;
using detail::is_order_prefix;
using detail::native_order;

/// The type of a kind and a size without a byte order in front: "f8".
std::optional<dtype> parse_kind_and_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto* const entry =
      std::ranges::find_if(detail::type_table, [&](const detail::type_entry& e) {
        return e.kind == text[0] && e.typestr.substr(1) == text;
      });
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
