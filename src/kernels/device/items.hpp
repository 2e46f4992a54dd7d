// The element types of kernels that copy elements unchanged: 1, 2, 4, 8 or 16 bytes, aligned to
// their size, those of 16 bytes to 8. Device code.
#pragma once

#include <cstdint>

namespace usmx::inline v1::kernels {

using item_1 = std::uint8_t;
using item_2 = std::uint16_t;
using item_4 = std::uint32_t;
using item_8 = std::uint64_t;
struct item_16 {
  std::uint64_t low;
  std::uint64_t high;
};

}  // namespace usmx::inline v1::kernels
