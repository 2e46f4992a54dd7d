// Loops over all elements of several arrays of one shape, in their simplest form: for copies,
// element-wise calls and reductions. No SYCL here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <utility>

#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// A dimension that N arrays have in common; strides in bytes.
template <std::size_t N>
struct strided_dimension {
  std::ptrdiff_t extent;
  std::array<std::ptrdiff_t, N> strides;  // the first ones are set
  friend bool operator==(const strided_dimension&, const strided_dimension&) = default;
};

/// A loop over at least one element of up to N arrays. Its dimensions have extents of 2 or more,
/// and the innermost is the last.
template <std::size_t N>
struct strided_loop {
  strided_loop() noexcept {}  // what is used is set

  std::size_t ndim = 0;
  std::size_t count = 0;
  /// The beginning of each array, in bytes from element zero.
  std::array<std::ptrdiff_t, N> offsets;
  std::array<strided_dimension<N>, max_ndim> all_dimensions;  // only the first ndim are set

  std::span<strided_dimension<N>> dimensions() noexcept { return {all_dimensions.data(), ndim}; }
  std::span<const strided_dimension<N>> dimensions() const noexcept {
    return {all_dimensions.data(), ndim};
  }
};

/// Adds the dimensions of a shape that are longer than 1. `Operand` has strides as multiples of its
/// `item` bytes.
template <std::size_t N, class Operand>
void add_dimensions(strided_loop<N>& loop, std::span<const std::ptrdiff_t> shape,
                    std::span<Operand> operands) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) {
      continue;
    }
    strided_dimension<N>& added = loop.all_dimensions[loop.ndim++];
    added.extent = shape[k];
    for (std::size_t i = 0; i < operands.size(); ++i) {
      added.strides[i] = operands[i].strides[k] * operands[i].item;
    }
  }
}

/// Turns the dimensions along which the leading array goes downwards.
template <std::size_t N>
void walk_upwards(strided_loop<N>& loop, std::size_t leading) {
  for (strided_dimension<N>& d : loop.dimensions()) {
    if (d.strides[leading] >= 0) {
      continue;
    }
    for (std::size_t i = 0; i < loop.count; ++i) {
      loop.offsets[i] += d.strides[i] * (d.extent - 1);
      d.strides[i] = -d.strides[i];
    }
  }
}

/// Puts the dimension of the leading array's longest stride outermost. No stride of it is negative.
template <std::size_t N>
void put_longest_first(strided_loop<N>& loop, std::size_t leading) {
  // The sort is an insertion sort: it is stable and needs no memory of its own, and most loops are
  // nearly in order.
  const std::span all = loop.dimensions();
  for (std::size_t k = 1; k < all.size(); ++k) {
    for (std::size_t i = k; i > 0 && all[i - 1].strides[leading] < all[i].strides[leading]; --i) {
      std::swap(all[i - 1], all[i]);
    }
  }
}

/// Joins neighbouring dimensions that are one run for all arrays.
template <std::size_t N>
void join_runs(strided_loop<N>& loop) {
  const auto is_run = [&](const strided_dimension<N>& outer, const strided_dimension<N>& inner) {
    for (std::size_t i = 0; i < loop.count; ++i) {
      if (outer.strides[i] != inner.strides[i] * inner.extent) {
        return false;
      }
    }
    return true;
  };
  std::size_t left = 0;
  for (const strided_dimension<N>& inner : loop.dimensions()) {
    if (left == 0 || !is_run(loop.all_dimensions[left - 1], inner)) {
      loop.all_dimensions[left++] = inner;
      continue;
    }
    strided_dimension<N>& outer = loop.all_dimensions[left - 1];
    const std::ptrdiff_t joined = outer.extent * inner.extent;
    outer = inner;
    outer.extent = joined;
  }
  loop.ndim = left;
}

/// Sets the loop over all elements of operands of that shape. It walks operand `leading` upwards,
/// with its longest stride outermost, and joins dimensions that are one run for all.
template <std::size_t N, class Operand>
void set_loop(strided_loop<N>& loop, std::span<const std::ptrdiff_t> shape,
              std::span<Operand> operands, std::size_t leading) {
  loop.ndim = 0;
  loop.count = operands.size();
  std::ranges::fill(std::span(loop.offsets).first(loop.count), 0);
  add_dimensions(loop, shape, operands);
  walk_upwards(loop, leading);
  put_longest_first(loop, leading);
  join_runs(loop);
}

/// Whether reading array `i` along the columns strides over memory while reading it along the rows
/// would not, so that tiles pay: for a few columns they do not.
template <std::size_t N>
bool is_transposed(const strided_dimension<N>& rows, const strided_dimension<N>& columns,
                   std::size_t i) noexcept {
  constexpr std::ptrdiff_t worthwhile = 4;
  return rows.extent >= worthwhile && columns.extent >= worthwhile &&
         std::abs(rows.strides[i]) < std::abs(columns.strides[i]);
}

}  // namespace usmx::inline v1::detail
