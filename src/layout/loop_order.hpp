// The order in which loops over several arrays walk through memory, and which of their dimensions
// are one: for copies and for users' element-wise kernels. No SYCL here.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace usmx::inline v1::detail {

/// Puts the dimension of the longest stride outermost. `stride` gives the stride that counts, which
/// is not negative.
template <class Dimension, class Stride>
void put_longest_first(std::span<Dimension> all, const Stride& stride) {
  // An insertion sort: stable, without memory of its own, and most loops are nearly in order.
  for (std::size_t k = 1; k < all.size(); ++k) {
    for (std::size_t i = k; i > 0 && stride(all[i - 1]) < stride(all[i]); --i) {
      std::swap(all[i - 1], all[i]);
    }
  }
}

/// Joins neighbours that are one run: `join(outer, inner)` makes the outer one that run, or returns
/// false. Returns how many dimensions are left, at the front.
template <class Dimension, class Join>
std::size_t join_runs(std::span<Dimension> all, const Join& join) {
  std::size_t left = 0;
  for (const Dimension& inner : all) {
    if (left == 0 || !join(all[left - 1], inner)) {
      all[left++] = inner;
    }
  }
  return left;
}

}  // namespace usmx::inline v1::detail
