// The arguments of kernels that the host fills in: the elements that a kernel visits, and how
// elements that arrays of integers or a mask select are found and moved. For device and host code,
// without SYCL.
#pragma once

#include <cstdint>

namespace usmx::inline v1::kernels {

/// An outer dimension; strides in bytes.
struct outer_dimension {
  std::int64_t extent;
  std::int64_t source_stride;
  std::int64_t destination_stride;
};

inline constexpr int max_outer_dimensions = 6;

/// Rows and columns, the columns innermost, and the outer dimensions that repeat them. Strides are
/// in bytes. A work group copies one block of rows and columns for `repeats_per_group` indices of
/// the outer dimensions. Its three ids are those of the repeats, of the block's rows and of the
/// block's columns.
struct traversal {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t source_row;
  std::int64_t source_column;
  std::int64_t destination_row;
  std::int64_t destination_column;
  std::int64_t block_rows;
  std::int64_t block_columns;
  std::int64_t repeats;  // product of the outer extents
  std::int64_t repeats_per_group;
  std::int64_t outer_count;
  outer_dimension outer[max_outer_dimensions];  // the first outer_count are set, innermost first
};

// How elements that arrays of integers or a mask select are found and moved. The host fills it in.
// For device and host code, without SYCL.

/// The index of each element of a list along one dimension: number / divisor % extent.
struct own_index {
  std::int64_t divisor;
  std::int64_t extent;
  std::int64_t scale;
};

inline constexpr int max_own_indices = 6;

/// The indices that a position adds by its number in the list.
struct own_indices {
  std::int64_t count;
  own_index each[max_own_indices];  // the first `count` are set
};

/// How an array of integers becomes positions: each gets `scale` times the integer, counted from
/// the start of an axis of that extent, added. The first array sets it to that, and to what the own
/// indices add.
struct position_rule {
  std::int64_t scale;
  std::int64_t extent;
  std::int64_t first;
  own_indices own;
  const std::int64_t* list;  // its first position
};

/// A dimension along which no array selects; strides in bytes.
struct rest_step {
  std::int64_t extent;
  std::int64_t linear_stride;
  std::int64_t indexed_stride;
};

inline constexpr int max_rest_dimensions = 6;

/// A move of `count` positions, each with `rest` items, between the indexed side and the linear
/// side, which is walked in order. Strides are in bytes. A work group moves `per_group` items.
struct selected_walk {
  std::int64_t count;
  std::int64_t rest;  // product of the extents of rest_dimensions
  std::int64_t per_group;
  std::int64_t linear_step;   // from one position to the next on the linear side
  std::int64_t indexed_step;  // for each unit of a position on the indexed side
  std::int64_t rest_first;    // whether items beside each other are of one position
  std::int64_t rest_count;
  rest_step rest_dimensions[max_rest_dimensions];  // the first rest_count are set, outermost first
};

inline constexpr int max_joined = 16;

/// Parts that become neighbours in the rows of a result. Numbers of items.
struct joined_parts {
  const void* first[max_joined];
  std::int64_t end[max_joined];  // of a row's items that come from it or from a part before it
  std::int64_t columns;          // the last end
  std::int64_t pitch;            // from one row of the result to the next
  std::int64_t count;            // of all items of the parts
  std::int64_t per_group;
};

/// The positions that indices lead to: numbers of 64 bits, or of 32. Negative ones count from the
/// end of an axis of that extent.
struct position_list {
  const void* numbers;
  std::int64_t are_short;
  std::int64_t extent;
};

/// A scatter's slots in windows that fit a device's cache: all groups of one window come before
/// those of the next one. Where there is one window, it has all slots.
struct slot_windows {
  std::int64_t count;
  std::int64_t slots;   // of one window
  std::int64_t groups;  // that look after one window; 0: all
};

/// The items that may be written where several of a scatter lead to one position: the last ones.
/// Null pointers where that cannot be, or where it makes no difference.
struct position_owners {
  position_list positions;
  const std::uint32_t* last;  // of each position, 1 + the number of the last that leads there
};

/// Work items of a group, but on CPUs, where a group is one work item.
inline constexpr int selection_lanes = 128;
/// Numbers that a work item of a scan adds up, and those that a group does, in the kernels for CUDA
/// devices.
inline constexpr std::int64_t scan_chunk = 64;
inline constexpr std::int64_t group_scan_chunk = 2048;
inline constexpr int max_scan_levels = 8;

/// How many true elements come before each part of a mask: the sum over the levels, in each of
/// which a number stands for `chunk` times as many parts as in the one before.
struct scan_levels {
  std::int64_t* numbers;
  std::int64_t count;
  std::int64_t chunk;
  std::int64_t begin[max_scan_levels];
};

/// A mask as words of 64 bits, one for each element. A part is a word, or in the kernels for CUDA
/// devices selection_lanes of them.
struct mask_words {
  const std::uint64_t* words;
  std::int64_t count;
  scan_levels before;
};

/// A move between the elements that a mask selects and as many in a row; steps in bytes.
struct masked_walk {
  std::int64_t count;
  std::int64_t linear_step;
  std::int64_t indexed_step;
};

/// The rule for the coordinate of the true element at position `p` of a mask: its index in one
/// dimension, p / divisor % extent.
struct coordinate_rule {
  std::int64_t divisor;
  std::int64_t extent;
  std::int64_t stride;  // of the list, in bytes
  std::int64_t capacity;
};

}  // namespace usmx::inline v1::kernels
