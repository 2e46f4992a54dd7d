#include "base/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/messages.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The number of bytes in a text; none if the text is no size.
std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc()) {
    return std::nullopt;
  }
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (shift < 0 || value > std::numeric_limits<std::size_t>::max() >> shift) {
    return std::nullopt;
  }
  return value << shift;
}

}  // namespace

std::optional<std::size_t> size_in(const char* variable, std::string_view otherwise) {
  const char* text = std::getenv(variable);
  const auto parsed = text == nullptr ? std::nullopt : parse_size(text);
  if (text != nullptr && !parsed) {
    warn(message(variable, " must be a number of bytes, or one with K, M or G, found '", text,
                 "': ", otherwise));
  }
  return parsed;
}

}  // namespace usmx::inline v1::detail
