// Cumulative sums and sorting on the host, where kernels take longer: the results have the bits of
// the kernels. Not installed.
#pragma once

#include <cstddef>

#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::internal {

/// No call by the host has more elements.
inline constexpr std::ptrdiff_t max_host_scan = 16384;
/// Kernels on CPUs add up a row of so many elements in one part, one after the other.
inline constexpr std::ptrdiff_t shortest_scan_part = 4096;
inline constexpr std::ptrdiff_t max_host_sort = std::ptrdiff_t{4} << 20;
/// Longer rows are sorted by kernels, digit by digit.
inline constexpr std::ptrdiff_t longest_host_sort = 32768;

/// Elements in C order, of which bools are the bytes 0 and 1. There is one at least.
struct host_rows {
  const std::byte* first;
  dtype type;
  std::ptrdiff_t count;
  std::ptrdiff_t columns;
};

/// Whether scan_on_host() has a loop for results of type `made` of so many elements.
bool can_scan_on_host(dtype type, dtype made, std::ptrdiff_t count,
                      std::ptrdiff_t columns) noexcept;
/// Writes the cumulative sums or products of rows to those at `to`, which are `lead` elements
/// longer, with the result of nothing in front.
void scan_on_host(bool is_sum, const host_rows& x, std::byte* to, dtype made, std::ptrdiff_t lead);

/// Whether sort_on_host() takes less time than kernels for `count` elements, in rows of `columns`.
bool can_sort_on_host(dtype type, std::ptrdiff_t count, std::ptrdiff_t columns) noexcept;
/// Writes the sorted elements of rows, or their indices, which are int64. Equal elements keep their
/// order.
void sort_on_host(const host_rows& x, std::byte* to, bool is_descending, bool wants_indices);

}  // namespace usmx::inline v1::internal
