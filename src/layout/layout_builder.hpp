// Builds layouts from axes that are known to be valid, for layout.cpp and subscript.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

using extents = std::span<const std::ptrdiff_t>;

/// a * b, or 0 if it does not fit. For strides: one that does not fit reaches no element.
inline std::ptrdiff_t multiply_or_zero(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
  std::ptrdiff_t product;
  return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/// The product of a checked shape, or none if it does not fit. Large extents beside a 0 do not
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

/// Fills a layout axis by axis, in place: subscript is on a hot path. These functions check
/// nothing: callers have checked the axes, or derive them from a valid layout in a way that keeps
/// it valid.
class layout_builder {
 public:
  /// A layout with that many axes, which a layout_builder then fills.
  static layout blank(std::size_t ndim) { return layout(static_cast<int>(ndim)); }
  static layout build(extents shape, extents strides, std::ptrdiff_t offset, std::ptrdiff_t size) {
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
  /// To be called after all axes were appended.
  void finish(std::ptrdiff_t offset) noexcept {
    result_.offset_ = offset;
    result_.size_ = *count_elements(result_.shape());
  }

 private:
  layout& result_;
  std::ptrdiff_t* shape_;
  std::ptrdiff_t* strides_;
};

}  // namespace usmx::inline v1::detail
