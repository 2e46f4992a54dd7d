// Sorting the rows of an array in C order, stably, by digits of 8 bits, the lowest first, by work
// groups: for devices whose work items run in step. A group has a block of a row. One kernel counts
// its digits. Once the counts are summed up, another one sorts the block by the digit in local
// memory, by one half of the digit after the other, and so moves each digit's elements beside each
// other.
#include "sort_elements.hpp"

constexpr unsigned items = 256;
constexpr unsigned bits_of_half = 4;
constexpr unsigned halves = 1 << bits_of_half;
static_assert(digits == halves * halves, "a digit has two halves");
static_assert(items == digits, "each item has a digit");

constexpr unsigned each = 8;  // elements of a block that a work item has
static_assert(32 % each == 0, "there is no gap between the elements of an item");

// Indices in local memory, with gaps that keep the banks of neighbouring work items apart: one
// element after 32 of them, and two counters after the 16 that an item adds up. So what a step of a
// loop adds to an item's index is known to the compiler.
constexpr unsigned element_slot(unsigned k) { return k + k / 32; }
constexpr unsigned counter_slot(unsigned k) { return k + k / halves * 2; }
constexpr unsigned counter_slots = counter_slot(halves * items);
constexpr unsigned element_slots = element_slot(each * items);

inline unsigned half_of(X a, int shift) { return unsigned(key_of(a) >> shift) & (halves - 1); }

/// A group's task.
struct row_block {
  long row;
  long block;
  long begin;  // in the array
  unsigned count;

  row_block(long blocks, long columns, long length) {
    row = group_id() / blocks;
    block = group_id() - row * blocks;
    begin = row * columns + block * length;
    count = unsigned(min(length, columns - block * length));
  }
};

/// Reads the item's elements of a block, which are as far apart as the group is wide, before any of
/// them is used: it waits for them all at once.
template <class E>
inline void read_block(const E* x, const row_block& at, E* own) {
  const unsigned item = unsigned(local_id());
  const E* first = x + at.begin;
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    const unsigned index = k * items + item;
    own[k] = first[index < at.count ? index : 0];
  }
}

template <class E>
inline void count_block(const E* x, uint32_t* counts, long columns, long blocks, int shift,
                        uint32_t* of_digit) {
  const row_block at(blocks, columns, each * items);
  const unsigned item = unsigned(local_id());
  E own[each];
  read_block(x, at, own);
  of_digit[item] = 0;
  barrier();
  // Keys that share their high digits would all wait for one counter, so an item adds up what it
  // meets of one digit.
  unsigned digit = 0;
  uint32_t met = 0;
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    if (k * items + item < at.count) {
      const unsigned next = digit_of(own[k].key, shift);
      if (next != digit && met != 0) {
        atomic_add(of_digit[digit], met);
        met = 0;
      }
      digit = next;
      ++met;
    }
  }
  if (met != 0) {
    atomic_add(of_digit[digit], met);
  }
  barrier();
  counts[(at.row * digits + item) * blocks + at.block] = of_digit[item];
}

/// Sorts the elements of the block by four bits. A counter has two bytes.
template <class E>
inline void sort_by_half(E* block, uint32_t* counters, unsigned count, int shift) {
  constexpr unsigned step = counter_slot(items);
  uint16_t* before = reinterpret_cast<uint16_t*>(counters);
  const unsigned item = unsigned(local_id());
  uint16_t* of_item = before + counter_slot(item);
  const E* from = block + element_slot(item * each);
  uint32_t* pairs = counters + counter_slot(item * halves) / 2;
#pragma unroll
  for (unsigned half = 0; half < halves; ++half) {
    of_item[half * step] = 0;
  }
  E own[each];
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    own[k] = from[k];
  }
  barrier();
  uint16_t index[each];
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    if (item * each + k < count) {
      index[k] = of_item[half_of(own[k].key, shift) * step]++;
    }
  }
  barrier();
  // Each counter becomes the sum of those before it: of smaller halves, and of the items before.
  uint32_t found[halves / 2];
  unsigned sum = 0;
#pragma unroll
  for (unsigned k = 0; k < halves / 2; ++k) {
    found[k] = pairs[k];
    sum += (found[k] & 0xffff) + (found[k] >> 16);
  }
  sum = group_exclusive_scan_add(sum);
#pragma unroll
  for (unsigned k = 0; k < halves / 2; ++k) {
    const unsigned next = sum + (found[k] & 0xffff);
    pairs[k] = sum | next << 16;
    sum = next + (found[k] >> 16);
  }
  barrier();
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    if (item * each + k < count) {
      block[element_slot(of_item[half_of(own[k].key, shift) * step] + index[k])] = own[k];
    }
  }
  barrier();
}

/// `ends` are the sums of the counts up to each.
template <class E>
inline void move_block(const E* x, E* z, const uint32_t* ends, long columns, long blocks, int shift,
                       E* block, uint32_t* counters, uint32_t* starts) {
  const row_block at(blocks, columns, each * items);
  const unsigned item = unsigned(local_id());
  E* strided = block + element_slot(item);
  constexpr unsigned step = element_slot(items);
  E own[each];
  read_block(x, at, own);
  // The item finds where the elements begin whose digit is its number, in the row and in the block.
  const long counted = (at.row * digits + item) * blocks + at.block;
  const uint32_t start = item == 0 && at.block == 0 ? 0 : ends[counted - 1];
  const uint32_t count = ends[counted] - start;
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    strided[k * step] = own[k];
  }
  starts[item] = start - unsigned(group_exclusive_scan_add(count));
  barrier();
  sort_by_half(block, counters, at.count, shift);
  sort_by_half(block, counters, at.count, shift + int(bits_of_half));
  E* of_row = z + at.row * columns;
#pragma unroll
  for (unsigned k = 0; k < each; ++k) {
    const unsigned index = k * items + item;
    if (index < at.count) {
      const E moved = strided[k * step];
      of_row[uint32_t(starts[digit_of(moved.key, shift)] + index)] = moved;
    }
  }
}

USMX_KERNEL(1) count_digits(const X* x, uint32_t* counts, long columns, long blocks, int shift) {
  local_array<uint32_t, digits> of_digit;
  count_block(reinterpret_cast<const plain*>(x), counts, columns, blocks, shift, of_digit.data());
}
USMX_KERNEL(1)
move_digits(const X* x, X* z, const uint32_t* ends, long columns, long blocks, int shift) {
  local_array<plain, element_slots> block;
  local_array<uint32_t, counter_slots / 2> counters;
  local_array<uint32_t, digits> starts;
  move_block(reinterpret_cast<const plain*>(x), reinterpret_cast<plain*>(z), ends, columns, blocks,
             shift, block.data(), counters.data(), starts.data());
}
USMX_KERNEL(1)
count_indexed_digits(const uint8_t* x, uint32_t* counts, long columns, long blocks, int shift) {
  local_array<uint32_t, digits> of_digit;
  count_block(reinterpret_cast<const indexed*>(x), counts, columns, blocks, shift, of_digit.data());
}
USMX_KERNEL(1)
move_indexed_digits(const uint8_t* x, uint8_t* z, const uint32_t* ends, long columns, long blocks,
                    int shift) {
  local_array<indexed, element_slots> block;
  local_array<uint32_t, counter_slots / 2> counters;
  local_array<uint32_t, digits> starts;
  move_block(reinterpret_cast<const indexed*>(x), reinterpret_cast<indexed*>(z), ends, columns,
             blocks, shift, block.data(), counters.data(), starts.data());
}
