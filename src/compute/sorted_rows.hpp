// Rows sorted by a network of comparisons, which vectors of the processor make for several columns
// at a time; the indices of elements of 8 bytes by their digits. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::internal {

/// Rows of adjacent elements, one after the other.
struct rows_to_sort {
  const void* from;
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  bool is_descending;
};

/// Sorts each row. Equal elements, zeros of both signs and all NaN among them, stay in their order.
/// NaN comes after all numbers, or first in descending order. Precondition: integers or real
/// numbers of 4 or 8 bytes; from 1 to 2**31 columns.
void sort_rows(type_code, const rows_to_sort&, void* to);

/// Sets each row to the indices of the elements in this order.
void index_rows(type_code, const rows_to_sort&, std::int64_t* to);

}  // namespace usmx::inline v1::internal
