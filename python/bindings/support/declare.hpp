// Declarations of native functions. A function's line of the stub is all that is written of its
// Python side: nanobind's arguments are made from that line when it is compiled, so names, defaults
// and order stand once (docs/decisions.md, 222).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "support/hooks.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The position of the first of `wanted` that stands in no brackets and in no string; the end if
/// there is none.
constexpr std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (depth == 0 && c == wanted) {
      return k;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return text.size();
}

/// A parameter of a line: "name: type = value". Name and value may be empty.
struct parameter {
  std::string_view name;  // with its stars
  std::string_view value;
};

/// The name in "def name(self, x: int = 3) -> None".
constexpr std::string_view name_of(std::string_view line) {
  constexpr std::string_view start = "def ";
  return line.substr(start.size(), line.find('(') - start.size());
}

/// The text between the brackets of "def name(self, x: int = 3) -> None".
constexpr std::string_view parameters_text(std::string_view line) {
  const std::string_view rest = line.substr(line.find('(') + 1);
  return rest.substr(0, find_outside(rest, ')'));
}

/// Takes the first parameter from a text that is not empty.
constexpr parameter take_parameter(std::string_view& rest) {
  const std::size_t comma = find_outside(rest, ',');
  const std::string_view text = rest.substr(0, comma);
  rest.remove_prefix(std::min(comma + 1, rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t assignment = find_outside(text, '=');
  const std::string_view declared = text.substr(0, assignment);
  std::string_view value = text.substr(std::min(assignment + 1, text.size()));
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  const std::string_view name = declared.substr(0, find_outside(declared, ':'));
  return {name.substr(0, name.find_last_not_of(' ') + 1), value};
}

/// A function's line of the stub, without the colon: "def get(self, order: str = 'C') -> None".
template <std::size_t size>
struct stub_line {
  consteval stub_line(const char (&text)[size]) { std::copy_n(text, size, chars); }
  constexpr std::string_view text() const { return {chars, size - 1}; }

  char chars[size];
};

/// The parameters of a line as nanobind takes them: without `self`, with "*" for nb::kw_only, and
/// without the names of those before "/".
struct parameters_for_nanobind {
  std::array<parameter, 16> all{};
  std::size_t count = 0;
};

constexpr parameters_for_nanobind parameters_of(std::string_view line) {
  parameters_for_nanobind found;
  for (std::string_view rest = parameters_text(line); !rest.empty();) {
    parameter next = take_parameter(rest);
    if (next.name == "/") {
      for (std::size_t k = 0; k < found.count; ++k) {
        found.all[k].name = {};
      }
    } else if (next.name != "self") {
      if (next.name != "*") {
        next.name.remove_prefix(next.name.find_first_not_of('*'));
      }
      found.all[found.count++] = next;
    }
  }
  return found;
}

template <stub_line line>
constexpr parameters_for_nanobind parameters = parameters_of(line.text());

/// The line with an end after each name: nanobind takes names as strings of C.
template <stub_line line>
constexpr auto line_of_names = [] {
  auto names = line;
  for (const parameter& each : parameters<line>.all) {
    if (!each.name.empty()) {
      names.chars[each.name.data() + each.name.size() - line.chars] = '\0';
    }
  }
  return names;
}();

/// Whether default_value knows a default.
constexpr bool is_known_default(std::string_view value) {
  return value == "None" || value == "True" || value == "False" || value == "()" || value == "{}" ||
         (value.size() >= 2 && value.front() == '\'' && value.find('\'', 1) == value.size() - 1) ||
         value.find_first_not_of("0123456789") == value.npos;
}

/// The object that a default stands for.
inline nb::object default_value(std::string_view value) {
  if (value == "None") {
    return nb::none();
  }
  if (value == "True" || value == "False") {
    return nb::bool_(value == "True");
  }
  if (value == "()") {
    return nb::tuple();
  }
  if (value == "{}") {
    return nb::dict();
  }
  if (value.front() == '\'') {
    return nb::str(value.data() + 1, value.size() - 2);
  }
  int number = 0;
  for (const char digit : value) {
    number = 10 * number + (digit - '0');
  }
  return nb::int_(number);
}

/// nanobind's annotation of a parameter. Each takes None: what cannot be None is refused by the
/// conversion to its C++ type, or by the function, which names it.
template <stub_line line, std::size_t k>
auto annotation() {
  constexpr parameter declared = parameters<line>.all[k];
  if constexpr (declared.name == "*") {
    return nb::kw_only();
  } else {
    constexpr const char* name =
        declared.name.empty() ? nullptr
                              : line_of_names<line>.chars + (declared.name.data() - line.chars);
    if constexpr (declared.value.empty()) {
      return nb::arg(name).none();
    } else {
      static_assert(is_known_default(declared.value), "add the default to default_value");
      return nb::arg(name).none() = default_value(declared.value);
    }
  }
}

/// The docstring of a line: for a public name without one in `extra` that of the package's data.
template <stub_line line, class... Extra>
auto docstring_for(nb::handle owner) {
  constexpr std::string_view name = name_of(line.text());
  if constexpr (name.starts_with('_') ||
                (std::is_convertible_v<const Extra&, const char*> || ...)) {
    return nullptr;
  } else {
    return docstring_of(owner, name);
  }
}

/// Defines a function of a module, or a method of a class, by its line; a function of a class whose
/// line has no `self` is static. `extra` is what nanobind takes besides: a docstring, a guard.
template <stub_line line, class Owner, class Function, class... Extra>
void declare(Owner& owner, Function&& function, const Extra&... extra) {
  constexpr const char* name_of_line = "";
  constexpr bool is_static =
      !std::is_same_v<Owner, nb::module_> && !parameters_text(line.text()).starts_with("self");
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    if constexpr (is_static) {
      owner.def_static(name_of_line, std::forward<Function>(function), annotation<line, k>()...,
                       nb::sig(line.chars), docstring_for<line, Extra...>(owner), extra...);
    } else {
      owner.def(name_of_line, std::forward<Function>(function), annotation<line, k>()...,
                nb::sig(line.chars), docstring_for<line, Extra...>(owner), extra...);
    }
  }(std::make_index_sequence<parameters<line>.count>());
}

}  // namespace usmx::bindings
