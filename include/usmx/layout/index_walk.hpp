// Walking an index over dimensions in C order, the last dimension fastest, while pointers or
// offsets move along with it. No SYCL here.
//
// The functions are told what walks along: `extent_of(k)` is the extent of dimension k, at least 1,
// and `move(k, steps)` moves what there is to move by `steps`, which may be negative, along
// dimension k.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// Moves the index on by `steps` along the last dimension, of which at least so many are left, and
/// from its end to the start of the next row. False where that was the last row: the index is all
/// zeros again, and what moves along is back where it was then.
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

/// Sets an index, which need not have a value yet, to the one at `position` in C order, which there
/// is, and moves what is at the start to there.
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

/// Calls `body(index)` once for each index of `ndim` dimensions: once where there are none.
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
