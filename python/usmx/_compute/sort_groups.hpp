// Sorting the rows of an array in C order, stably, by digits of 8 bits, the lowest first, by work
// groups: for devices whose work items run in step. A group has a block of a row. One kernel counts
// its digits. Once the counts are summed up, another one sorts the block by the digit in local
// memory, by one half of the digit after the other, and so moves each digit's elements beside each
// other.
#include "sort_elements.hpp"

constexpr int items = 256;
constexpr int bits_of_half = 4;
constexpr int halves = 1 << bits_of_half;
constexpr int digits = halves * halves;
constexpr int counters = halves * items;

/// How many elements of a block a work item has.
template <class E>
constexpr int each = EACH;
template <>
constexpr int each<placed> = EACH_PLACED;

// Places in local memory, with gaps that keep the banks of neighbouring work items apart.
constexpr int element_slot(int k) { return k + k / 32; }
constexpr int counter_slot(int k) { return k + k / 16 * 2; }
constexpr int counter_slots = counter_slot(counters);
template <class E>
constexpr int element_slots = element_slot(each<E> * items);

inline int half_of(X a, int shift) { return int(key_of(a) >> shift) & (halves - 1); }
inline int digit_of(X a, int shift) { return int(key_of(a) >> shift) & (digits - 1); }

/// What a group has to do.
struct row_block {
  long row;
  long block;
  long begin;  // in the array
  int count;

  row_block(long blocks, long columns, long length) {
    row = group_id() / blocks;
    block = group_id() - row * blocks;
    begin = row * columns + block * length;
    count = int(min(length, columns - block * length));
  }
};

template <class E>
inline void count_block(const E* x, uint32_t* counts, long columns, long blocks, int shift,
                        uint32_t* own) {
  const row_block at(blocks, columns, each<E> * items);
  const int item = int(local_id());
  own[item] = 0;
  barrier();
  // Keys that share their high digits would all wait for one counter, so an item adds up what it
  // meets of one digit.
  int digit = 0;
  uint32_t met = 0;
  for (int k = item; k < at.count; k += items) {
    const int next = digit_of(x[at.begin + k].key, shift);
    if (next != digit && met != 0) {
      atomic_add(own[digit], met);
      met = 0;
    }
    digit = next;
    ++met;
  }
  if (met != 0) {
    atomic_add(own[digit], met);
  }
  barrier();
  counts[(at.row * digits + item) * blocks + at.block] = own[item];
}

/// Sorts the elements of the block by four bits.
template <class E>
inline void sort_by_half(E* block, uint16_t* before, int count, int shift) {
  const int item = int(local_id());
  for (int half = 0; half < halves; ++half) {
    before[counter_slot(half * items + item)] = 0;
  }
  barrier();
  E own[each<E>];
  int counter[each<E>];
  int place[each<E>];
#pragma unroll
  for (int k = 0; k < each<E>; ++k) {
    if (item * each<E> + k < count) {
      own[k] = block[element_slot(item * each<E> + k)];
      counter[k] = counter_slot(half_of(own[k].key, shift) * items + item);
      place[k] = before[counter[k]]++;
    }
  }
  barrier();
  // Each counter becomes the sum of those before it: of smaller halves, and of the items before.
  unsigned sum = 0;
  for (int k = 0; k < halves; ++k) {
    sum += before[counter_slot(item * halves + k)];
  }
  sum = group_exclusive_scan_add(sum);
  for (int k = 0; k < halves; ++k) {
    const int slot = counter_slot(item * halves + k);
    const unsigned found = before[slot];
    before[slot] = uint16_t(sum);
    sum += found;
  }
  barrier();
#pragma unroll
  for (int k = 0; k < each<E>; ++k) {
    if (item * each<E> + k < count) {
      block[element_slot(before[counter[k]] + place[k])] = own[k];
    }
  }
  barrier();
}

/// `ends` are the sums of the counts up to each.
template <class E>
inline void move_block(const E* x, E* z, const uint32_t* ends, long columns, long blocks, int shift,
                       E* block, uint16_t* before, uint32_t* starts) {
  const row_block at(blocks, columns, each<E> * items);
  const int item = int(local_id());
  for (int k = item; k < at.count; k += items) {
    block[element_slot(k)] = x[at.begin + k];
  }
  sort_by_half(block, before, at.count, shift);
  sort_by_half(block, before, at.count, shift + bits_of_half);
  // What is added to a place in the block is the place in the row.
  for (int k = item; k < at.count; k += items) {
    const int digit = digit_of(block[element_slot(k)].key, shift);
    if (k == 0 || digit_of(block[element_slot(k - 1)].key, shift) != digit) {
      const long counted = (at.row * digits + digit) * blocks + at.block;
      starts[digit] = (digit == 0 && at.block == 0 ? 0 : ends[counted - 1]) - unsigned(k);
    }
  }
  barrier();
  E* of_row = z + at.row * columns;
  for (int k = item; k < at.count; k += items) {
    const E moved = block[element_slot(k)];
    of_row[uint32_t(starts[digit_of(moved.key, shift)] + unsigned(k))] = moved;
  }
}

USMX_KERNEL(1) count_digits(const X* x, uint32_t* counts, long columns, long blocks, int shift) {
  local_array<uint32_t, digits> own;
  count_block(reinterpret_cast<const plain*>(x), counts, columns, blocks, shift, own.data());
}
USMX_KERNEL(1)
move_digits(const X* x, X* z, const uint32_t* ends, long columns, long blocks, int shift) {
  local_array<plain, element_slots<plain>> block;
  local_array<uint16_t, counter_slots> before;
  local_array<uint32_t, digits> starts;
  move_block(reinterpret_cast<const plain*>(x), reinterpret_cast<plain*>(z), ends, columns, blocks,
             shift, block.data(), before.data(), starts.data());
}
USMX_KERNEL(1)
count_placed_digits(const uint8_t* x, uint32_t* counts, long columns, long blocks, int shift) {
  local_array<uint32_t, digits> own;
  count_block(reinterpret_cast<const placed*>(x), counts, columns, blocks, shift, own.data());
}
USMX_KERNEL(1)
move_placed_digits(const uint8_t* x, uint8_t* z, const uint32_t* ends, long columns, long blocks,
                   int shift) {
  local_array<placed, element_slots<placed>> block;
  local_array<uint16_t, counter_slots> before;
  local_array<uint32_t, digits> starts;
  move_block(reinterpret_cast<const placed*>(x), reinterpret_cast<placed*>(z), ends, columns,
             blocks, shift, block.data(), before.data(), starts.data());
}
