// Sorting the rows of an array in C order, stably, by comparisons: each work item sorts a block by
// insertion, and then runs are merged, of which each work item makes a part (a merge path). The
// kernels with indices carry those of the elements along.
//
// The other ways to sort have files of their own, so that a program compiles what it calls.
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
USMX_KERNEL(1) sort_indices(const X* x, uint8_t* z, long columns, long blocks, long block) {
  sort_block(x, reinterpret_cast<indexed*>(z), columns, blocks, block);
}
USMX_KERNEL(1)
merge_indices(const uint8_t* x, uint8_t* z, long columns, long parts, long length, long run) {
  merge_part(reinterpret_cast<const indexed*>(x), reinterpret_cast<indexed*>(z), columns, parts,
             length, run);
}
