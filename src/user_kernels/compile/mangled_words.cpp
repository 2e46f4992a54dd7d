#include "user_kernels/compile/mangled_words.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

using word = std::uint64_t;

/// The words of the name of one type; longer names are cut off.
constexpr std::size_t words_of_name = 4;
constexpr std::size_t words_of_parameter = 1 + words_of_name;

/// The forms and codes in include/usmx/kernel.hpp that have no place in the host's enumerations.
constexpr word refused_form = 6;
constexpr word code_of_void = 15;

/// Takes `expected` away from the front of the text, if it is there.
bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) {
    return false;
  }
  text.remove_prefix(expected.size());
  return true;
}

/// A number as a template argument: "Lm42E".
std::optional<word> take_word(std::string_view& text) {
  word value = 0;
  std::string_view rest = text;
  if (!take(rest, "Lm")) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!take(rest, "E")) {
    return std::nullopt;
  }
  text = rest;
  return value;
}

/// The words of usmx::detail::signature<place, usmx::detail::words<...>>, if that is the name.
std::optional<std::vector<word>> words_of(std::string_view name, std::size_t place) {
  if (!take(name, "6detail9signatureI") || take_word(name) != place ||
      !take(name, "NS0_5wordsIJ")) {
    return std::nullopt;
  }
  std::vector<word> words;
  while (const std::optional<word> next = take_word(name)) {
    words.push_back(*next);
  }
  const bool whole = take(name, "EEEEEvv") && words.size() % words_of_parameter == 0;
  return whole ? std::optional(std::move(words)) : std::nullopt;
}

std::optional<std::vector<word>> find_words(std::string_view object, std::size_t place) {
  constexpr std::string_view beginning = "6detail9signatureI";
  for (std::size_t at = object.find(beginning); at != object.npos;
       at = object.find(beginning, at + 1)) {
    if (auto found = words_of(object.substr(at), place)) {
      return found;
    }
  }
  return std::nullopt;
}

/// The words of one parameter's name, which are `distance` apart.
std::string name_from(const word* words, std::size_t distance) {
  std::string name;
  for (std::size_t k = 0; k < words_of_name; ++k) {
    for (word left = words[k * distance]; left != 0; left >>= 8) {
      name.push_back(static_cast<char>(left & 0xff));
    }
  }
  return name.size() == words_of_name * sizeof(word) ? name + "..." : name;
}

kernel_parameter parameter_from(word numbers, std::string name, std::string_view kernel) {
  const word form = numbers & 0xf;
  const word code = numbers >> 4 & 0xf;
  if (form >= refused_form) {
    throw type_error(
        message("kernel ", kernel,
                ": a parameter must be a number, a structure, a "
                "pointer to either, usmx::view or usmx::local_memory, by value, found ",
                name));
  }
  if (code == code_of_void) {
    return {static_cast<parameter_form>(form), type_code::structured, 0, 1, std::move(name), 0};
  }
  return {static_cast<parameter_form>(form),
          static_cast<type_code>(code),
          static_cast<std::size_t>(numbers >> 24 & 0xfffffffff),
          static_cast<std::size_t>(numbers >> 8 & 0xffff),
          std::move(name),
          static_cast<int>(numbers >> 60)};
}

}  // namespace

std::vector<kernel_parameter> parameters_in(std::string_view object, std::size_t place,
                                            std::string_view kernel) {
  const std::optional<std::vector<word>> words = find_words(object, place);
  if (!words) {
    throw value_error(message("kernel ", kernel,
                              ": its parameters are not in what the compiler "
                              "made"));
  }
  const std::size_t count = words->size() / words_of_parameter;
  std::vector<kernel_parameter> parameters;
  for (std::size_t k = 0; k < count; ++k) {
    parameters.push_back(
        parameter_from((*words)[k], name_from(words->data() + count + k, count), kernel));
  }
  return parameters;
}

}  // namespace usmx::inline v1::detail
