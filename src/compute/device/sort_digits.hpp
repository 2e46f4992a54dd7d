// Sorting the rows of an array in C order, stably, by digits, the lowest first: each work item
// counts those of a part of a row, one work item for each row finds where each part's elements of
// each digit begin, and each work item moves its part there. The kernels with indices carry those
// of the elements along.
#include "sort_elements.hpp"

/// A part of a row.
struct row_part {
  long part;
  long row;
  long begin;
  long end;

  row_part(long parts, long columns) {
    row = global_id() / parts;
    part = global_id() - row * parts;
    const long length = (columns + parts - 1) / parts;
    begin = row * columns + min(part * length, columns);
    end = row * columns + min((part + 1) * length, columns);
  }
};

template <class E>
inline void count_part(const E* x, uint32_t* counts, long columns, long parts, int shift) {
  const row_part at(parts, columns);
  uint32_t own[digits] = {};
  for (long k = at.begin; k < at.end; ++k) {
    ++own[digit_of(x[k].key, shift)];
  }
  for (unsigned digit = 0; digit < digits; ++digit) {
    counts[(at.row * digits + digit) * parts + at.part] = own[digit];
  }
}

template <class E>
inline void move_part(const E* x, E* z, const uint32_t* counts, long columns, long parts,
                      int shift) {
  const row_part at(parts, columns);
  uint32_t next[digits];
  for (unsigned digit = 0; digit < digits; ++digit) {
    next[digit] = counts[(at.row * digits + digit) * parts + at.part];
  }
  for (long k = at.begin; k < at.end; ++k) {
    z[at.row * columns + next[digit_of(x[k].key, shift)]++] = x[k];
  }
}

/// Replaces each count by the sum of those before it in the row.
USMX_KERNEL(1) begin_digits(uint32_t* counts, long parts) {
  uint32_t sum = 0;
  for (long k = global_id() * digits * parts; k < (global_id() + 1) * digits * parts; ++k) {
    const uint32_t count = counts[k];
    counts[k] = sum;
    sum += count;
  }
}
USMX_KERNEL(1) count_digits(const X* x, uint32_t* counts, long columns, long parts, int shift) {
  count_part(reinterpret_cast<const plain*>(x), counts, columns, parts, shift);
}
USMX_KERNEL(1)
move_digits(const X* x, X* z, const uint32_t* counts, long columns, long parts, int shift) {
  move_part(reinterpret_cast<const plain*>(x), reinterpret_cast<plain*>(z), counts, columns, parts,
            shift);
}
USMX_KERNEL(1)
count_indexed_digits(const uint8_t* x, uint32_t* counts, long columns, long parts, int shift) {
  count_part(reinterpret_cast<const indexed*>(x), counts, columns, parts, shift);
}
USMX_KERNEL(1)
move_indexed_digits(const uint8_t* x, uint8_t* z, const uint32_t* counts, long columns, long parts,
                    int shift) {
  move_part(reinterpret_cast<const indexed*>(x), reinterpret_cast<indexed*>(z), counts, columns,
            parts, shift);
}
