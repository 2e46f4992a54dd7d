// Putting layouts together from axes that are known to be valid: what layout.cpp and subscript.cpp
// share.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "usmx/layout.hpp"

namespace usmx::detail {

using extents = std::span<const std::ptrdiff_t>;

/// a * b where it fits, else 0: for strides that no element is reached by when they do not fit.
inline std::ptrdiff_t multiply_or_zero(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
  std::ptrdiff_t product;
  return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/// The product of a checked shape; none when it does not fit. Large extents beside a 0 do not
/// matter.
inline std::optional<std::ptrdiff_t> count_elements(extents shape) noexcept {
  std::ptrdiff_t count = 1;
  bool fits = true;
  for (const std::ptrdiff_t n : shape) {
    if (n == 0) return 0;
    fits = fits && !__builtin_mul_overflow(count, n, &count);
  }
  return fits ? std::optional(count) : std::nullopt;
}

/// The axes of a layout in the making. None of these functions checks what it is given: callers
/// have done so, or derive the axes from a valid layout in a way that keeps it valid.
class layout_builder {
 public:
  void append(std::ptrdiff_t extent, std::ptrdiff_t stride) noexcept {
    shape_[ndim_] = extent;
    strides_[ndim_++] = stride;
  }
  void append(const layout& source, std::size_t axis) noexcept {
    append(source.shape()[axis], source.strides()[axis]);
  }

  layout build(std::ptrdiff_t offset) const {
    const extents shape(shape_.data(), ndim_);
    return layout(shape, extents(strides_.data(), ndim_), offset, *count_elements(shape));
  }
  static layout build(extents shape, extents strides, std::ptrdiff_t offset, std::ptrdiff_t size) {
    return layout(shape, strides, offset, size);
  }

 private:
  std::size_t ndim_ = 0;
  // Left uninitialised: subscript is on a hot path and fills a few entries of these.
  std::array<std::ptrdiff_t, max_ndim> shape_;
  std::array<std::ptrdiff_t, max_ndim> strides_;
};

}  // namespace usmx::detail
