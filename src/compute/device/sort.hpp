// Sorting the rows of an array in C order, stably. The kernels with places carry those of the
// elements along.
//
// By comparisons: each work item sorts a block by insertion, and then runs are merged, of which
// each work item makes a part (a merge path).
//
// By digits of BITS_OF_DIGIT bits, the lowest first: each work item counts those of a part of a
// row, one work item for each row finds where each part's elements of each digit begin, and each
// work item moves its part there. Of short rows each work item sorts one, by all digits.
#include "sort_elements.hpp"

/// Sorts `block` elements of a row of the input.
template <class E>
inline void sort_block(const X* x, E* z, long columns, long blocks, long block) {
  const long row = global_id() / blocks;
  const long begin = (global_id() - row * blocks) * block;
  const long end = min(begin + block, columns);
  E* out = z + row * columns;
  for (long k = begin; k < end; ++k) {
    const E next = E::first(x + row * columns, k, k);
    long at = k;
    for (; at > begin && comes_before(next, out[at - 1]); --at) {
      out[at] = out[at - 1];
    }
    out[at] = next;
  }
}

/// Makes `length` elements of the rows in which runs of `run` elements are merged in pairs.
template <class E>
inline void merge_part(const E* x, E* z, long columns, long parts, long length, long run) {
  const long row = global_id() / parts;
  const long begin = (global_id() - row * parts) * length;
  const long base = begin / (2 * run) * (2 * run);
  const long first_count = min(run, columns - base);
  const long second_count = max(min(run, columns - base - first_count), 0L);
  const E* first = x + row * columns + base;
  const E* second = first + first_count;
  const long diagonal = begin - base;
  // How many elements of the first run are among those before the part.
  long low = max(diagonal - second_count, 0L);
  long high = min(diagonal, first_count);
  while (low < high) {
    const long middle = (low + high) / 2;
    if (comes_before(second[diagonal - 1 - middle], first[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  long i = low;
  long j = diagonal - low;
  const long end = min(diagonal + length, first_count + second_count);
  E* out = z + row * columns + base;
  for (long k = diagonal; k < end; ++k) {
    const bool is_second =
        i == first_count || (j < second_count && comes_before(second[j], first[i]));
    out[k] = is_second ? second[j++] : first[i++];
  }
}

USMX_KERNEL(1) sort_blocks(const X* x, X* z, long columns, long blocks, long block) {
  sort_block(x, reinterpret_cast<plain*>(z), columns, blocks, block);
}
USMX_KERNEL(1) merge(const X* x, X* z, long columns, long parts, long length, long run) {
  merge_part(reinterpret_cast<const plain*>(x), reinterpret_cast<plain*>(z), columns, parts, length,
             run);
}
USMX_KERNEL(1) sort_places(const X* x, uint8_t* z, long columns, long blocks, long block) {
  sort_block(x, reinterpret_cast<placed*>(z), columns, blocks, block);
}
USMX_KERNEL(1)
merge_places(const uint8_t* x, uint8_t* z, long columns, long parts, long length, long run) {
  merge_part(reinterpret_cast<const placed*>(x), reinterpret_cast<placed*>(z), columns, parts,
             length, run);
}

// ---- digits decide

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

constexpr int digits = 1 << BITS_OF_DIGIT;

inline unsigned digit_of(X a, int shift) { return unsigned(key_of(a) >> shift) & (digits - 1); }

template <class E>
inline void count_part(const E* x, uint32_t* counts, long columns, long parts, int shift) {
  const row_part at(parts, columns);
  uint32_t own[digits] = {};
  for (long k = at.begin; k < at.end; ++k) {
    ++own[digit_of(x[k].key, shift)];
  }
  for (int digit = 0; digit < digits; ++digit) {
    counts[(at.row * digits + digit) * parts + at.part] = own[digit];
  }
}

template <class E>
inline void move_part(const E* x, E* z, const uint32_t* counts, long columns, long parts,
                      int shift) {
  const row_part at(parts, columns);
  uint32_t next[digits];
  for (int digit = 0; digit < digits; ++digit) {
    next[digit] = counts[(at.row * digits + digit) * parts + at.part];
  }
  for (long k = at.begin; k < at.end; ++k) {
    z[at.row * columns + next[digit_of(x[k].key, shift)]++] = x[k];
  }
}

/// Each count becomes the sum of those before it in the row.
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
count_placed_digits(const uint8_t* x, uint32_t* counts, long columns, long parts, int shift) {
  count_part(reinterpret_cast<const placed*>(x), counts, columns, parts, shift);
}
USMX_KERNEL(1)
move_placed_digits(const uint8_t* x, uint8_t* z, const uint32_t* counts, long columns, long parts,
                   int shift) {
  move_part(reinterpret_cast<const placed*>(x), reinterpret_cast<placed*>(z), counts, columns,
            parts, shift);
}

// ---- rows that are one part each

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
    for (int digit = 0; digit < digits; ++digit) {
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
USMX_KERNEL(1) sort_placed_row_by_digits(const X* x, uint8_t* z, uint8_t* other, long columns) {
  sort_row(x, reinterpret_cast<placed*>(z), reinterpret_cast<placed*>(other), columns);
}
