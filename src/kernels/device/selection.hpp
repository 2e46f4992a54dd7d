// How elements that arrays of integers or a mask select are found and moved. The host fills it in.
// For device and host code, without SYCL.
#pragma once

#include <cstdint>

namespace usmx::inline v1::kernels {

/// How an array of integers becomes places: each gets `scale` times the integer, counted from the
/// start of an axis of that extent, added, or is set to it by the first array.
struct place_rule {
  std::int64_t scale;
  std::int64_t extent;
  std::int64_t first;
};

/// One dimension along which no array selects; strides in bytes.
struct rest_step {
  std::int64_t extent;
  std::int64_t linear_stride;
  std::int64_t indexed_stride;
};

inline constexpr int max_rest_dimensions = 6;

/// A move of `count` places, each with `rest` items, between the indexed side and the linear side,
/// which is walked in order. Strides are in bytes. A work group moves `per_group` items.
struct selected_walk {
  std::int64_t count;
  std::int64_t rest;  // product of the extents of rest_dimensions
  std::int64_t per_group;
  std::int64_t linear_step;   // from one place to the next on the linear side
  std::int64_t indexed_step;  // for each unit of a place on the indexed side
  std::int64_t rest_first;    // whether items beside each other are of one place
  std::int64_t rest_count;
  rest_step rest_dimensions[max_rest_dimensions];  // the first rest_count are set, outermost first
};

/// Who may write where several places of a scatter are the same one: the last. Null pointers where
/// that cannot be, or where it makes no difference.
struct place_owners {
  const std::int64_t* places;
  const std::uint32_t* last;  // of each place, 1 + the number of the last that leads there
};

/// Work items of a group, but on CPUs, where a group is one work item.
inline constexpr int selection_lanes = 128;
/// Elements of a mask that a work item looks at.
inline constexpr std::int64_t mask_chunk = 64;
/// Numbers that a work item of a scan adds up.
inline constexpr std::int64_t scan_chunk = 64;
inline constexpr int max_scan_levels = 8;

/// How many true elements come before each chunk of a mask: the sum over the levels, in each of
/// which a number stands for scan_chunk times as many chunks as in the one before. The last level
/// is one number, the count of all.
struct scan_levels {
  std::int64_t* numbers;
  std::int64_t count;
  std::int64_t begin[max_scan_levels];
};

/// What is written for the true element at place `p` of a mask: its index in one dimension,
/// p / divisor % extent.
struct coordinate_rule {
  std::int64_t divisor;
  std::int64_t extent;
  std::int64_t stride;  // of the list, in bytes
  std::int64_t capacity;
};

}  // namespace usmx::inline v1::kernels
