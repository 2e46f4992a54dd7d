// A range of addresses: the bytes that elements lie in, and whether two ranges overlap. No SYCL
// here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// The addresses [begin, end).
struct byte_range {
  std::uintptr_t begin;
  std::uintptr_t end;

  constexpr std::size_t nbytes() const noexcept { return end - begin; }
};

/// The bytes at the offsets [begin, end) from an address.
inline byte_range bytes_from(const std::byte* origin, std::ptrdiff_t begin, std::ptrdiff_t end) {
  const auto at = reinterpret_cast<std::uintptr_t>(origin);
  return {at + static_cast<std::uintptr_t>(begin), at + static_cast<std::uintptr_t>(end)};
}

/// The bytes from the lowest to the highest element of a layout, which has at least one. Its
/// offsets count from `origin`.
inline byte_range bytes_of(const std::byte* origin, const layout& where, std::size_t itemsize) {
  const auto item = static_cast<std::ptrdiff_t>(itemsize);
  const element_range range = *where.span();
  return bytes_from(origin, range.first * item, (range.last + 1) * item);
}

constexpr bool overlap(byte_range a, byte_range b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace usmx::inline v1::detail
