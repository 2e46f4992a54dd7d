// What share of independent cases a run takes, as tests/python/draws.py: CI some, the night all.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace support {

/// Whether the case of that number is one of the share that this run takes.
inline bool is_drawn(std::size_t number, std::size_t share = 3) {
  static const bool all = [] {
    const auto variable = [](const char* name) {
      const char* const value = std::getenv(name);
      return std::string_view(value == nullptr ? "" : value);
    };
    const std::string_view density = variable("USMX_TEST_DENSITY");
    return density.empty() ? variable("CI").empty() : density == "1";
  }();
  return all || number % share == 0;
}

}  // namespace support
