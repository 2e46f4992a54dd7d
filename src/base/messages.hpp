// Text for people: quotations in messages, and warnings. Private to the library.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {

/// Puts `text` in quotes, so that it fits a message whatever a producer has put into it. A text
/// that is longer than `longest` is cut.
inline std::string quoted(std::string_view text, std::size_t longest = 32) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    } else {
      if (c == '\\' || c == '\'') out += '\\';
      out += c;
    }
  }
  if (text.size() <= longest) return out + "'";
  return out + message("...' (", text.size(), " characters)");
}

/// Throws value_error unless the value is one of an enumeration, which begins with 0 and ends with
/// `last`. `what` says whose value it is, and `words` which ones there are.
template <class Enum>
void require_one_of(Enum value, Enum last, std::string_view what, std::string_view words) {
  const auto number = static_cast<long long>(value);
  if (number < 0 || number > static_cast<long long>(last)) [[unlikely]] {
    throw value_error(message(what, " must be ", words, ", found ", number));
  }
}

/// Joins the texts of all items, with `separator` between them. `text` gives that of one.
template <class Items, class Text = std::identity>
std::string listed(const Items& items, const Text& text = {}, std::string_view separator = ", ") {
  std::string all;
  for (const auto& each : items) {
    all.append(all.empty() ? "" : separator).append(std::invoke(text, each));
  }
  return all;
}

/// Gives the text to the handler of usmx/base/error.hpp.
void warn(const char* text) noexcept;
inline void warn(const std::string& text) noexcept { warn(text.c_str()); }

}  // namespace usmx::inline v1::detail
