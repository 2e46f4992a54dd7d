#include "generated_kernels/source.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/messages.hpp"
#include "generated_kernels/call.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

// ---- texts

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_of_identifier(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

constexpr std::string_view blanks = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    words.push_back(text.substr(0, text.find_first_of(blanks)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

/// The words that C++ keeps for itself, so that no parameter can have such a name.
constexpr std::string_view words_of_cpp[] = {
    "alignas",      "alignof",       "and",         "and_eq",
    "asm",          "auto",          "bitand",      "bitor",
    "bool",         "break",         "case",        "catch",
    "char",         "char8_t",       "char16_t",    "char32_t",
    "class",        "compl",         "concept",     "const",
    "consteval",    "constexpr",     "constinit",   "const_cast",
    "continue",     "co_await",      "co_return",   "co_yield",
    "decltype",     "default",       "delete",      "do",
    "double",       "dynamic_cast",  "else",        "enum",
    "explicit",     "export",        "extern",      "false",
    "float",        "for",           "friend",      "goto",
    "if",           "inline",        "int",         "long",
    "mutable",      "namespace",     "new",         "noexcept",
    "not",          "not_eq",        "nullptr",     "operator",
    "or",           "or_eq",         "private",     "protected",
    "public",       "register",      "requires",    "return",
    "short",        "signed",        "sizeof",      "static",
    "struct",       "static_assert", "static_cast", "switch",
    "template",     "this",          "throw",       "true",
    "thread_local", "try",           "typedef",     "typeid",
    "typename",     "union",         "unsigned",    "using",
    "virtual",      "void",          "volatile",    "wchar_t",
    "while",        "xor",           "xor_eq",      "reinterpret_cast"};

/// The macros of usmx/kernel.hpp, of CUDA devices too, and of the compiler, except those that begin
/// with USMX_.
constexpr std::string_view macros_of_kernels[] = {
    "INFINITY",   "NAN",     "M_E",    "M_LOG2E",   "M_LOG10E",      "M_LN2",
    "M_LN10",     "M_PI",    "M_PI_2", "M_PI_4",    "M_1_PI",        "M_2_PI",
    "M_2_SQRTPI", "M_SQRT2", "NDEBUG", "M_SQRT1_2", "SYCL_EXTERNAL", "local_array"};

/// Whether C++ keeps such a name for the compiler: __x, _X.
bool is_reserved(std::string_view name) {
  return name.starts_with("__") ||
         (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
}

// ---- types

/// The names of types in the source, in the order of type_code.
constexpr const char* cpp_names[type_count] = {"bool",
                                               "signed char",
                                               "short",
                                               "int",
                                               "long",
                                               "unsigned char",
                                               "unsigned short",
                                               "unsigned int",
                                               "unsigned long",
                                               "_Float16",
                                               "float",
                                               "double",
                                               "usmx::complex<float>",
                                               "usmx::complex<double>"};

/// NumPy's names for types of C.
constexpr std::pair<std::string_view, type_code> numpy_names[] = {
    {"byte", type_code::int8},         {"ubyte", type_code::uint8},
    {"short", type_code::int16},       {"ushort", type_code::uint16},
    {"intc", type_code::int32},        {"uintc", type_code::uint32},
    {"int", type_code::int64},         {"uint", type_code::uint64},
    {"long", type_code::int64},        {"ulong", type_code::uint64},
    {"longlong", type_code::int64},    {"ulonglong", type_code::uint64},
    {"half", type_code::float16},      {"single", type_code::float32},
    {"float", type_code::float64},     {"double", type_code::float64},
    {"csingle", type_code::complex64}, {"cdouble", type_code::complex128},
    {"complex", type_code::complex128}};

generated_parameter parse_parameter(std::string_view what, std::string_view text,
                                    std::string_view preamble) {
  std::vector<std::string_view> words = split_words(text);
  const bool is_raw = words.size() == 3 && words.front() == "raw";
  if (is_raw) {
    words.erase(words.begin());
  }
  if (words.size() != 2 || !is_identifier(words[1])) {
    throw value_error(message(what, " must be pairs of type and name with commas between them, ",
                              "found ", detail::quoted(trimmed(text))));
  }
  const auto [type, name] = std::pair(words[0], words[1]);
  const bool is_of_kernels =
      name == "i" || name.starts_with("usmx") || name.starts_with("USMX_") ||
      std::ranges::find(macros_of_kernels, name) != std::end(macros_of_kernels);
  const bool is_of_cpp = std::ranges::find(words_of_cpp, name) != std::end(words_of_cpp);
  if (is_of_kernels || is_of_cpp || is_reserved(name)) {
    throw value_error(message(what, " must not use the name ", detail::quoted(name), ", which ",
                              is_of_kernels       ? "kernels have already"
                              : is_reserved(name) ? "C++ keeps for the compiler"
                                                  : "is a word of C++"));
  }
  if (type.size() == 1) {
    if (!is_letter(type[0])) {
      throw value_error(
          message(what, ": a type variable must be a letter, found ", detail::quoted(type)));
    }
    return {std::string(type), std::string(name), is_raw};
  }
  const std::optional<dtype> known = named_type(type);
  if (!known && is_of_preamble(type, preamble)) {
    return {std::string(type), std::string(name), is_raw, true};
  }
  if (!known) {
    throw value_error(message(what, ": the type of ", detail::quoted(name), " must be one of ",
                              listed(type_table, &type_entry::name),
                              ", or a structure of the preamble, found ", detail::quoted(type)));
  }
  return {std::string(known->name()), std::string(name), is_raw};
}

}  // namespace

std::vector<generated_parameter> parse_parameters(std::string_view what, std::string_view text,
                                                  std::string_view preamble) {
  std::vector<generated_parameter> all;
  if (trimmed(text).empty()) {
    return all;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    all.push_back(parse_parameter(what, text.substr(begin, end - begin), preamble));
    begin = end + 1;
  }
  return all;
}

void check_parameters(std::span<const generated_parameter> all, std::size_t output_count) {
  if (output_count == 0) {
    throw value_error("out_params must name at least one output");
  }
  for (auto each = all.begin(); each != all.end(); ++each) {
    if (std::ranges::find(all.begin(), each, each->name, &generated_parameter::name) != each) {
      throw value_error(message("parameters must have different names, found ",
                                detail::quoted(each->name), " twice"));
    }
  }
  if (all.size() >= max_operands) {
    throw value_error(
        message("there must be at most ", max_operands - 1, " parameters, found ", all.size()));
  }
}

void check_kernel_name(std::string_view name) {
  if (!is_identifier(name)) {
    throw value_error(message("name must be an identifier of C++, found ", detail::quoted(name)));
  }
}

namespace {

/// The index of a character in a text: "1:19".
std::string index_in(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n');  // npos + 1 is 0
  return message(std::ranges::count(before, '\n') + 1, ':', at - (begin + 1) + 1);
}

/// The end of the comment, the text in quotes or the character that begins at `at`; `at` itself if
/// none does, npos for one that does not end.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) {
    return std::min(text.find('\n', at), text.size());
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = text.find("*/", at + 2);
    return end == text.npos ? text.npos : end + 2;
  }
  const bool separates_digits = text[at] == '\'' && at > 0 && is_of_identifier(text[at - 1]);
  if ((text[at] != '"' && text[at] != '\'') || separates_digits) {
    return at;
  }
  for (std::size_t k = at + 1; k < text.size() && text[k] != '\n'; ++k) {
    if (text[k] == text[at]) {
      return k + 1;
    }
    k += text[k] == '\\' ? 1 : 0;
  }
  return text.npos;
}

}  // namespace

void check_brackets(std::string_view name, std::string_view text) {
  constexpr std::string_view opening = "([{";
  constexpr std::string_view closing = ")]}";
  if (text.find('#') != text.npos || text.find("R\"") != text.npos) {
    return;
  }
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const std::size_t end = end_of_quoted(text, at); end == text.npos) {
      return;  // the compiler names it
    } else if (end != at) {
      at = end - 1;
      continue;
    }
    if (opening.find(text[at]) != opening.npos) {
      open.push_back(at);
    }
    const std::size_t kind = closing.find(text[at]);
    if (kind == closing.npos) {
      continue;
    }
    const std::string index = message(name, ':', index_in(text, at), ": ");
    if (open.empty()) {
      throw value_error(message(index, detail::quoted(text.substr(at, 1)), " closes nothing"));
    }
    if (text[open.back()] != opening[kind]) {
      throw value_error(message(index, detail::quoted(text.substr(at, 1)), " closes ",
                                detail::quoted(text.substr(open.back(), 1)), " of ",
                                index_in(text, open.back())));
    }
    open.pop_back();
  }
  if (!open.empty()) {
    throw value_error(message(name, ':', index_in(text, open.back()), ": ",
                              detail::quoted(text.substr(open.back(), 1)), " is not closed"));
  }
}

bool is_identifier(std::string_view text) {
  return !text.empty() && (is_letter(text[0]) || text[0] == '_') &&
         std::ranges::all_of(text, is_of_identifier);
}

bool uses_name(std::string_view name, std::string_view source) {
  for (std::size_t at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_of_identifier(source[at - 1]);
    if (begins && (end == source.size() || !is_of_identifier(source[end]))) {
      return true;
    }
  }
  return false;
}

bool is_of_preamble(std::string_view name, std::string_view preamble) {
  return is_identifier(name) && uses_name(name, preamble);
}

std::optional<dtype> named_type(std::string_view name) {
  for (int code = 0; code < type_count; ++code) {
    const dtype type(static_cast<type_code>(code));
    if (name == type.name() || name == type.typestr().substr(1)) {
      return type;
    }
  }
  const auto* const known =
      std::ranges::find(numpy_names, name, &std::pair<std::string_view, type_code>::first);
  return known == std::end(numpy_names) ? std::nullopt : std::optional(dtype(known->second));
}

std::string cpp_name(dtype type) { return cpp_names[static_cast<std::size_t>(type.code())]; }

namespace {

/// The type that a variable stands for, and the argument, or `dtype`, that says so; it is empty for
/// a number.
struct known_type {
  dtype type;
  std::string by;
};
using known_types = std::map<std::string, known_type, std::less<>>;

bool stands_for_type(const generated_parameter& parameter) {
  return parameter.is_variable() || parameter.is_structure;
}

/// Requires that an array's type is that of its parameter, and notes the types of variables.
void match(std::string_view kernel, const generated_parameter& parameter, dtype found,
           known_types& variables) {
  const std::string beginning =
      message(kernel, ": argument ", detail::quoted(parameter.name), " must have elements of ");
  if (parameter.is_structure != found.is_structured()) {
    throw type_error(message(
        beginning,
        parameter.is_structure ? "a structured type, for " + parameter.type
                               : "one of " + listed(type_table, &type_entry::name),
        ", found ", found,
        parameter.is_structure ? ""
                               : "; a structure of the preamble stands for a structured type"));
  }
  if (!stands_for_type(parameter)) {
    if (found.name() != parameter.type) {
      throw type_error(message(beginning, parameter.type, ", found ", found.name()));
    }
    return;
  }
  const auto [known, is_new] = variables.try_emplace(
      parameter.type, known_type{found, "argument " + detail::quoted(parameter.name)});
  if (known->second.type != found) {
    throw type_error(message(beginning, known->second.type, ", which is ", parameter.type, " by ",
                             known->second.by, ", found ", found));
  }
}

dtype type_of(const generated_parameter& parameter, const known_types& variables) {
  return stands_for_type(parameter) ? variables.find(parameter.type)->second.type
                                    : *named_type(parameter.type);
}

/// Gives variables of which there is no array the type `wanted`.
void use_wanted(std::string_view kernel, std::span<const generated_parameter> parameters,
                std::span<const std::optional<found_type>> found, dtype wanted,
                known_types& variables) {
  const auto is_kind = [&](const generated_parameter& each) {
    return each.is_structure == wanted.is_structured();
  };
  if (std::ranges::none_of(parameters, is_kind)) {
    throw type_error(message(kernel, ": dtype must be ",
                             wanted.is_structured()
                                 ? "one of " + listed(type_table, &type_entry::name)
                                 : std::string("a structured type"),
                             ", found ", wanted));
  }
  for (const generated_parameter& each : parameters) {
    if (is_kind(each) && stands_for_type(each)) {
      variables.try_emplace(each.type, known_type{wanted, "dtype"});
    }
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (found[k] || !is_kind(parameters[k])) {
      continue;
    }
    const dtype chosen = type_of(parameters[k], variables);
    if (chosen != wanted) {
      throw type_error(message(kernel, ": dtype must be ", chosen, ", the type of output ",
                               detail::quoted(parameters[k].name), ", found ", wanted));
    }
  }
}

/// Gives variables that nothing else names the type of the widest number.
void use_numbers(std::span<const generated_parameter> parameters,
                 std::span<const std::optional<found_type>> found, known_types& variables) {
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_variable() || !found[k] || found[k]->is_array) {
      continue;
    }
    const auto [known, is_new] =
        variables.try_emplace(parameters[k].type, known_type{found[k]->type, ""});
    if (known->second.by.empty() && known->second.type.code() < found[k]->type.code()) {
      known->second.type = found[k]->type;
    }
  }
}

}  // namespace

std::vector<dtype> choose_types(std::string_view kernel,
                                std::span<const generated_parameter> parameters,
                                std::span<const std::optional<found_type>> found,
                                std::optional<dtype> wanted) {
  known_types variables;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (found[k] && found[k]->is_array) {
      match(kernel, parameters[k], found[k]->type, variables);
    }
  }
  if (wanted) {
    use_wanted(kernel, parameters, found, *wanted, variables);
  }
  use_numbers(parameters, found, variables);
  std::vector<dtype> types;
  for (const generated_parameter& each : parameters) {
    if (stands_for_type(each) && !variables.contains(each.type)) {
      throw type_error(message(kernel, ": the type ", each.type, " of ", detail::quoted(each.name),
                               " is not known, since no argument has it; dtype names it"));
    }
    types.push_back(type_of(each, variables));
  }
  return types;
}

}  // namespace usmx::inline v1::detail
