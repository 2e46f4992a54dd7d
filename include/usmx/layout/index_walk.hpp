// Steps of an index over all dimensions in C order, the last dimension fastest. Pointers or offsets
// move with the index. This header has internal functions only. It does not need SYCL.
//
// The caller passes two functions: `extent_of(k)` returns the extent of dimension k, at least 1,
// and `move(k, steps)` moves the caller's pointers along dimension k by `steps`, which may be
// negative.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// Moves the index by `steps` along the last dimension, and from its end to the start of the next
/// row. At least `steps` indices must be left in the row. Returns false after the last row: then
/// the index is all zeros again, and the caller's pointers are back at the start.
template <class ExtentOf, class Move>
[[gnu::always_inline]] inline bool advance_index(std::span<std::ptrdiff_t> index,
                                                 const ExtentOf& extent_of, const Move& move,
                                                 std::ptrdiff_t steps = 1) {
  for (std::size_t k = index.size(); k > 0; --k) {
    index[k - 1] += steps;
    move(k - 1, steps);
    if (index[k - 1] < extent_of(k - 1)) {
      return true;
    }
    move(k - 1, -index[k - 1]);
    index[k - 1] = 0;
    steps = 1;
  }
  return false;
}

/// Sets the index to the one at `position` in C order, which must exist, and moves the caller's
/// pointers there from the start. The entries of the index need no values before.
template <class ExtentOf, class Move>
[[gnu::always_inline]] inline void place_index(std::span<std::ptrdiff_t> index,
                                               const ExtentOf& extent_of, const Move& move,
                                               std::ptrdiff_t position) {
  for (std::size_t k = index.size(); k > 0; --k) {
    index[k - 1] = position % extent_of(k - 1);
    position /= extent_of(k - 1);
    move(k - 1, index[k - 1]);
  }
}

/// Calls `body(index)` for each index of `ndim` dimensions: once if there are no dimensions.
template <class ExtentOf, class Move, class Body>
[[gnu::always_inline]] inline void for_each_index(std::size_t ndim, const ExtentOf& extent_of,
                                                  const Move& move, const Body& body) {
  std::array<std::ptrdiff_t, max_ndim> entries;
  const std::span index(entries.data(), ndim);
  for (std::ptrdiff_t& entry : index) {
    entry = 0;
  }
  do {
    body(std::span<const std::ptrdiff_t>(index));
  } while (advance_index(index, extent_of, move));
}

}  // namespace usmx::inline v1::detail
