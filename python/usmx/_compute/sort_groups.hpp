// Sorting the rows of an array in C order, stably, by digits of 4 bits, the lowest first, by work
// groups: for devices whose work items run in step. A group has a block of a row. One kernel counts
// its digits. Once the counts are summed up, another one sorts the block by the digit in local
// memory, and so moves each digit's elements beside each other.
#include "sort_elements.hpp"

constexpr int items = 256;
constexpr int digits = 16;
constexpr int counters = digits * items;

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
                        uint16_t* own) {
  const row_block at(blocks, columns, each<E> * items);
  const int item = int(local_id());
  for (int digit = 0; digit < digits; ++digit) {
    own[counter_slot(digit * items + item)] = 0;
  }
  for (int k = item; k < at.count; k += items) {
    ++own[counter_slot(digit_of(x[at.begin + k].key, shift) * items + item)];
  }
  barrier();
  unsigned sum = 0;  // of neighbouring counters, 16 of which are those of a digit
  for (int k = 0; k < digits; ++k) {
    sum += own[counter_slot(item * digits + k)];
  }
  barrier();
  own[item] = uint16_t(sum);
  barrier();
  if (item < digits) {
    uint32_t total = 0;
    for (int k = 0; k < items / digits; ++k) {
      total += own[item * (items / digits) + k];
    }
    counts[(at.row * digits + item) * blocks + at.block] = total;
  }
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
  for (int digit = 0; digit < digits; ++digit) {
    before[counter_slot(digit * items + item)] = 0;
  }
  barrier();
  E own[each<E>];
  int counter[each<E>];
  int place[each<E>];
#pragma unroll
  for (int k = 0; k < each<E>; ++k) {
    if (item * each<E> + k < at.count) {
      own[k] = block[element_slot(item * each<E> + k)];
      counter[k] = counter_slot(digit_of(own[k].key, shift) * items + item);
      place[k] = before[counter[k]]++;
    }
  }
  barrier();
  // Each counter becomes the sum of those before it: of smaller digits, and of the items before.
  unsigned sum = 0;
  for (int k = 0; k < digits; ++k) {
    sum += before[counter_slot(item * digits + k)];
  }
  sum = group_exclusive_scan_add(sum);
  for (int k = 0; k < digits; ++k) {
    const int slot = counter_slot(item * digits + k);
    const unsigned count = before[slot];
    before[slot] = uint16_t(sum);
    sum += count;
  }
  barrier();
#pragma unroll
  for (int k = 0; k < each<E>; ++k) {
    if (item * each<E> + k < at.count) {
      block[element_slot(before[counter[k]] + place[k])] = own[k];
    }
  }
  if (item < digits) {
    const long counted = (at.row * digits + item) * blocks + at.block;
    const uint32_t start = item == 0 && at.block == 0 ? 0 : ends[counted - 1];
    starts[item] = start - before[counter_slot(item * items)];
  }
  barrier();
  E* of_row = z + at.row * columns;
  for (int k = item; k < at.count; k += items) {
    const E moved = block[element_slot(k)];
    of_row[uint32_t(starts[digit_of(moved.key, shift)] + unsigned(k))] = moved;
  }
}

USMX_KERNEL(1) count_digits(const X* x, uint32_t* counts, long columns, long blocks, int shift) {
  local_array<uint16_t, counter_slots> own;
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
  local_array<uint16_t, counter_slots> own;
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
