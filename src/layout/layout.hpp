// Layouts inside the library: the bytes that a layout touches, and its construction without checks.
// Private to the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

inline constexpr std::ptrdiff_t ptrdiff_max = std::numeric_limits<std::ptrdiff_t>::max();

struct byte_range {
  std::uintptr_t begin;
  std::uintptr_t end;

  constexpr std::size_t nbytes() const noexcept { return end - begin; }
};

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

using axis_span = std::span<const std::ptrdiff_t>;

/// The product a * b, or 0 if it does not fit, for strides: one that does not fit reaches no
/// element.
inline std::ptrdiff_t multiply_or_zero(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
  std::ptrdiff_t product;
  return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/// The product of a checked shape, or none if it does not fit. Large extents beside a 0 do not
/// matter.
inline std::optional<std::ptrdiff_t> count_elements(axis_span shape) noexcept {
  std::ptrdiff_t count = 1;
  bool fits = true;
  for (const std::ptrdiff_t n : shape) {
    if (n == 0) return 0;
    fits = fits && !__builtin_mul_overflow(count, n, &count);
  }
  return fits ? std::optional(count) : std::nullopt;
}

/// Fills a layout axis by axis, in place: subscript is on a hot path. These functions check
/// nothing: callers have checked the axes, or derive them from a valid layout in a way that keeps
/// it valid.
class layout_builder {
 public:
  /// Makes a layout with that many axes, which a layout_builder then fills.
  static layout blank(std::size_t ndim) { return layout(static_cast<int>(ndim)); }
  static layout build(axis_span shape, axis_span strides, std::ptrdiff_t offset,
                      std::ptrdiff_t size) {
    return layout(shape, strides, offset, size);
  }

  explicit layout_builder(layout& result) noexcept
      : result_(result), shape_(result.mutable_entries()), strides_(shape_ + result.axes()) {}

  void append(std::ptrdiff_t extent, std::ptrdiff_t stride) noexcept {
    *shape_++ = extent;
    *strides_++ = stride;
  }
  void append(const layout& source, std::size_t axis) noexcept {
    append(source.shape()[axis], source.strides()[axis]);
  }
  /// Finishes the layout, after all axes were appended.
  void finish(std::ptrdiff_t offset) noexcept {
    result_.offset_ = offset;
    result_.size_ = *count_elements(result_.shape());
  }

 private:
  layout& result_;
  std::ptrdiff_t* shape_;
  std::ptrdiff_t* strides_;
};

/// The layout with normal strides where strides say nothing: along axes of one element, and in
/// arrays without elements, they become those of elements without gaps, which others expect. mpi4py
/// and dpnp refuse negative ones there, too.
layout with_normal_strides(const layout& source);

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

/// The plain type of a kind (dtype::kind) and a size; none if there is no such type.
constexpr std::optional<dtype> find_plain_type(char kind, std::size_t itemsize) noexcept {
  const type_code found = detail::code_of(kind, itemsize);
  return found == type_code::structured ? std::nullopt : std::optional<dtype>(found);
}

constexpr dtype part_type(dtype complex) noexcept {
  return *find_plain_type('f', complex.itemsize() / 2);
}

}  // namespace usmx::inline v1::internal
