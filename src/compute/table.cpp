#include "compute/table.hpp"

#include <algorithm>
#include <cstddef>

#include "base/messages.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::internal {
namespace {

namespace position {

enum position : std::size_t {
#define USMX_FUNCTION(name, ...) name,
#define USMX_EXPRESSION(...)
#define USMX_DEVICE_EXPRESSION(...)
#include "compute/table.inc"
#undef USMX_DEVICE_EXPRESSION
#undef USMX_EXPRESSION
#undef USMX_FUNCTION
  count
};

}  // namespace position

using all_rows = std::array<function_row, position::count>;

constexpr void set_expression(function_row& row, std::string_view classes, std::string_view text) {
  for (const char each : classes) {
    row.expressions[function_row::classes.find(each)] = text;
  }
}

constexpr all_rows make_rows() {
  all_rows made{{
#define USMX_FUNCTION(...) USMX_FUNCTION_ROW(__VA_ARGS__),
#define USMX_EXPRESSION(...)
#define USMX_DEVICE_EXPRESSION(...)
#include "compute/table.inc"
#undef USMX_DEVICE_EXPRESSION
#undef USMX_EXPRESSION
#undef USMX_FUNCTION
  }};
#define USMX_FUNCTION(...)
#define USMX_EXPRESSION(name, classes, ...) \
  set_expression(made[position::name], #classes, #__VA_ARGS__);
#define USMX_DEVICE_EXPRESSION(name, classes, ...) \
  set_expression(made[position::name], #classes, #__VA_ARGS__);
#include "compute/table.inc"
#undef USMX_DEVICE_EXPRESSION
#undef USMX_EXPRESSION
#undef USMX_FUNCTION
  for (function_row& row : made) {
    row.numpy = row.numpy.empty() ? row.name : row.numpy;
  }
  return made;
}

constexpr all_rows table = make_rows();

}  // namespace

std::span<const function_row> function_rows() noexcept { return table; }

const function_row& function_named(std::string_view name) {
  const auto found = std::ranges::find(table, name, &function_row::name);
  if (found == table.end()) {
    throw value_error(detail::message("usmx has no function ", detail::quoted(name)));
  }
  return *found;
}

}  // namespace usmx::inline v1::internal
