// Powers of two that sizes are given in.
#pragma once

#include <cstddef>

namespace support {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

}  // namespace support
