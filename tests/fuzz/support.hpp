// What the fuzzers share: a check that stays in every build, and numbers drawn from the input.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

/// Ends the process, which libFuzzer reports with the input that did it.
#define USMX_EXPECT(condition)                                                      \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                 \
    }                                                                               \
  } while (false)

namespace fuzz {

using numbers = std::vector<std::ptrdiff_t>;
__extension__ using int128 = __int128;

inline bool fits(int128 value) {
  return std::numeric_limits<std::ptrdiff_t>::min() <= value &&
         value <= std::numeric_limits<std::ptrdiff_t>::max();
}

/// Mostly small, sometimes anything, limits and powers of two among it.
inline std::ptrdiff_t draw(FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return input.ConsumeIntegral<std::ptrdiff_t>();
    case 1: {
      const auto power = std::size_t{1} << input.ConsumeIntegralInRange(0, 63);
      return static_cast<std::ptrdiff_t>(power + input.ConsumeIntegralInRange<std::size_t>(0, 4) -
                                         2);
    }
    default:
      return input.ConsumeIntegralInRange<std::ptrdiff_t>(-9, 9);
  }
}

inline numbers draw(FuzzedDataProvider& input, std::size_t count) {
  numbers drawn;
  while (drawn.size() < count) drawn.push_back(draw(input));
  return drawn;
}

/// Extents, rarely negative, of a few dimensions or, rarely, of too many.
inline numbers draw_shape(FuzzedDataProvider& input) {
  const bool many = input.ConsumeIntegralInRange(0, 15) == 0;
  numbers shape = draw(input, input.ConsumeIntegralInRange<std::size_t>(0, many ? 70 : 5));
  const bool any_sign = input.ConsumeIntegralInRange(0, 15) == 0;
  for (std::ptrdiff_t& n : shape) {
    if (n < 0 && !any_sign) n = n == std::numeric_limits<std::ptrdiff_t>::min() ? 0 : -n;
  }
  return shape;
}

/// What the arithmetic of a layout has to fit, in numbers of twice the width.
struct exact_layout {
  bool has_elements = true;
  bool size_fits = true;
  int128 size = 1;  // where it fits
  int128 first = 0;
  int128 last = 0;

  exact_layout(const numbers& shape, const numbers& strides, std::ptrdiff_t offset)
      : first(offset), last(offset) {
    for (std::size_t k = 0; k < shape.size(); ++k) {
      has_elements = has_elements && shape[k] != 0;
      size_fits = size_fits && fits(size *= shape[k]);
      if (!size_fits) size = 1;  // beyond what 128 bits hold there is nothing to learn
    }
    size_fits = size_fits || !has_elements;
    if (!has_elements || !size_fits) return;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const int128 reach = (int128{shape[k]} - 1) * strides[k];
      (reach < 0 ? first : last) += reach;
    }
  }

  bool is_valid() const {
    return !has_elements || (size_fits && fits(first) && fits(last) && fits(last - first + 1));
  }
};

/// Whether people can read it in a terminal, whatever the input was.
inline bool is_readable(std::string_view message) {
  for (const char c : message) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return !message.empty() && message.size() < 4096;
}

}  // namespace fuzz
