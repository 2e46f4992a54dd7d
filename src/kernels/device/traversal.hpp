// The description of the elements that a kernel visits. The host fills it in. For device and host
// code, without SYCL.
#pragma once

#include <cstdint>

namespace usmx::inline v1::kernels {

/// One outer dimension; strides in bytes.
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

}  // namespace usmx::inline v1::kernels
