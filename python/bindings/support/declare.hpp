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

/// A parameter of a line: "name: type = value". Each part may be empty.
struct parameter {
  std::string_view name;  // with its stars
  std::string_view type;
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

constexpr std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Takes the first parameter from a text that is not empty.
constexpr parameter take_parameter(std::string_view& rest) {
  const std::size_t comma = find_outside(rest, ',');
  const std::string_view text = rest.substr(0, comma);
  rest.remove_prefix(std::min(comma + 1, rest.size()));
  const std::size_t assignment = find_outside(text, '=');
  const std::string_view declared = text.substr(0, assignment);
  const std::size_t colon = find_outside(declared, ':');
  return {without_spaces(declared.substr(0, colon)),
          without_spaces(declared.substr(std::min(colon + 1, declared.size()))),
          without_spaces(text.substr(std::min(assignment + 1, text.size())))};
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
  names.chars[line.text().find('(')] = '\0';
  for (const parameter& each : parameters<line>.all) {
    if (!each.name.empty()) {
      names.chars[each.name.data() + each.name.size() - line.chars] = '\0';
    }
  }
  return names;
}();

template <stub_line line>
constexpr const char* c_name =
    line_of_names<line>.chars + (name_of(line.text()).data() - line.chars);

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

/// Whether nanobind lets None through. A public function gets it, and names the argument in its
/// error; a private one gets it where its line has None or `object`.
constexpr bool takes_none(std::string_view function, const parameter& declared) {
  const bool is_private = function.starts_with('_') && !function.starts_with("__");
  return !is_private || declared.value == "None" || declared.type == "object" ||
         declared.type.find("None") != declared.type.npos;
}

/// nanobind's annotation of a parameter.
template <stub_line line, std::size_t k>
auto annotation() {
  constexpr parameter declared = parameters<line>.all[k];
  if constexpr (declared.name == "*") {
    return nb::kw_only();
  } else {
    constexpr const char* name =
        declared.name.empty() ? nullptr
                              : line_of_names<line>.chars + (declared.name.data() - line.chars);
    constexpr bool with_none = takes_none(name_of(line.text()), declared);
    using argument = std::conditional_t<with_none, decltype(nb::arg().none()), nb::arg>;
    const argument named(name);
    if constexpr (declared.value.empty()) {
      return named;
    } else {
      static_assert(is_known_default(declared.value), "add the default to default_value");
      return named = default_value(declared.value);
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
void declare(Owner&& owner, Function&& function, const Extra&... extra) {
  constexpr const char* name = c_name<line>;
  constexpr bool is_static = !std::is_same_v<std::decay_t<Owner>, nb::module_> &&
                             !parameters_text(line.text()).starts_with("self");
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    if constexpr (is_static) {
      owner.def_static(name, std::forward<Function>(function), annotation<line, k>()...,
                       nb::sig(line.chars), docstring_for<line, Extra...>(owner), extra...);
    } else {
      owner.def(name, std::forward<Function>(function), annotation<line, k>()...,
                nb::sig(line.chars), docstring_for<line, Extra...>(owner), extra...);
    }
  }(std::make_index_sequence<parameters<line>.count>());
}

/// Defines an attribute of a class that is read by `getter`, by the line of a method without
/// arguments.
template <stub_line line, class Class, class Getter, class... Extra>
void declare_attribute(Class& cls, Getter&& getter, const Extra&... extra) {
  cls.def_prop_ro(c_name<line>, std::forward<Getter>(getter), nb::sig(line.chars),
                  docstring_for<line, Extra...>(cls), extra...);
}

}  // namespace usmx::bindings
