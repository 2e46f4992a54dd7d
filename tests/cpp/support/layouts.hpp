// Short names for layouts and their numbers.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "usmx/layout/layout.hpp"

namespace support {

using numbers = std::vector<std::ptrdiff_t>;

inline constexpr std::ptrdiff_t highest = std::numeric_limits<std::ptrdiff_t>::max();
inline constexpr std::ptrdiff_t lowest = std::numeric_limits<std::ptrdiff_t>::min();

inline usmx::layout strided(const numbers& shape, const numbers& strides,
                            std::ptrdiff_t offset = 0) {
  return usmx::layout::strided(shape, strides, offset);
}

inline numbers shape_of(const usmx::layout& source) {
  return {source.shape().begin(), source.shape().end()};
}

}  // namespace support
