// Sorting the rows of an array in C order, stably, by digits: each work item sorts a short row, by
// all digits. The kernel with indices carries those of the elements along.
#include "sort_elements.hpp"

/// Goes through a row once to count all digits, and once more for each digit by which its elements
/// differ.
template <class E>
inline void sort_row(const X* x, E* z, E* other, long columns) {
  constexpr int steps = (8 * sizeof(W) + BITS_OF_DIGIT - 1) / BITS_OF_DIGIT;
  uint32_t next[steps][digits] = {};
  const long begin = global_id() * columns;
  for (long k = 0; k < columns; ++k) {
    const X a = x[begin + k];
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      ++next[step][digit_of(a, BITS_OF_DIGIT * step)];
    }
  }
  bool differs[steps];
  int moves = 0;
  for (int step = 0; step < steps; ++step) {
    differs[step] = next[step][digit_of(x[begin], BITS_OF_DIGIT * step)] != columns;
    moves += differs[step] ? 1 : 0;
    uint32_t sum = 0;
    for (unsigned digit = 0; digit < digits; ++digit) {
      const uint32_t count = next[step][digit];
      next[step][digit] = sum;
      sum += count;
    }
  }
  if (moves == 0) {  // all elements are equal
    differs[0] = true;
    moves = 1;
  }
  E* to = (moves % 2 == 0 ? other : z) + begin;
  E* from = (moves % 2 == 0 ? z : other) + begin;
  bool is_first = true;
  for (int step = 0; step < steps; ++step) {
    if (differs[step]) {
      for (long k = 0; k < columns; ++k) {
        const E element = is_first ? E::first(x, begin + k, k) : from[k];
        to[next[step][digit_of(element.key, BITS_OF_DIGIT * step)]++] = element;
      }
      E* const last = to;
      to = from;
      from = last;
      is_first = false;
    }
  }
}

USMX_KERNEL(1) sort_row_by_digits(const X* x, X* z, X* other, long columns) {
  sort_row(x, reinterpret_cast<plain*>(z), reinterpret_cast<plain*>(other), columns);
}
USMX_KERNEL(1) sort_indexed_row_by_digits(const X* x, uint8_t* z, uint8_t* other, long columns) {
  sort_row(x, reinterpret_cast<indexed*>(z), reinterpret_cast<indexed*>(other), columns);
}
