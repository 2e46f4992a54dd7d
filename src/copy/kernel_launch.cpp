#include "copy/kernel_launch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <ranges>

#include "copy/kernel_copy.hpp"
#include "kernels/device/selection.hpp"

namespace usmx::inline v1::detail {
namespace {

using kernels::traversal;

struct block_shape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t repeats;
};

/// Elements of a work group that is one work item: less and handing them out costs too much, more
/// and too few share the work.
constexpr std::int64_t narrow_elements = 1024;
constexpr std::int64_t tile = kernels::transposed_tile;

std::int64_t at_least_1(std::int64_t n) { return std::max<std::int64_t>(n, 1); }

block_shape narrow_block(const copy_dimension& rows, const copy_dimension& columns) {
  if (is_transposed(rows, columns)) {
    return {std::min<std::int64_t>(tile, rows.extent), std::min<std::int64_t>(tile, columns.extent),
            1};
  }
  const std::int64_t width = std::min<std::int64_t>(columns.extent, narrow_elements);
  return {std::min<std::int64_t>(at_least_1(narrow_elements / width), rows.extent), width, 1};
}

constexpr std::size_t most_lanes = 128;

std::size_t lanes_for(std::int64_t columns) {
  std::size_t lanes = 1;
  while (lanes < most_lanes && static_cast<std::int64_t>(lanes) < columns) {
    lanes *= 2;
  }
  return lanes;
}

/// Work items beside each other take elements beside each other.
block_shape wide_block(const copy_dimension& rows, const copy_dimension& columns) {
  if (is_transposed(rows, columns)) {
    return {std::min<std::int64_t>(tile, rows.extent), std::min<std::int64_t>(tile, columns.extent),
            1};
  }
  constexpr std::int64_t elements_per_item = 4;
  const auto lanes = static_cast<std::int64_t>(lanes_for(columns.extent));
  const std::int64_t width = std::min<std::int64_t>(columns.extent, lanes * elements_per_item);
  return {std::min<std::int64_t>(at_least_1(lanes * elements_per_item / width), rows.extent), width,
          1};
}

/// Elements of a group. One row is divided among a thousand groups, which are large where the row
/// is long; a fill waits for nothing, and is the faster the smaller its groups are.
std::int64_t tiled_elements(const copy_dimension& rows, const copy_dimension& columns, bool fills) {
  if (rows.extent == 1) {
    return fills ? 1024 : std::clamp<std::int64_t>(columns.extent / 1024, 1024, 32768);
  }
  return 2048;
}

/// Columns that are so few, or rows that are, leave most of a tile empty.
constexpr std::int64_t wide_enough = std::int64_t{2} * kernels::shared_tile;

/// The block of the kernels that transpose: a tile, or of few columns a power of 2 of rows, the
/// same number for each work item, that fits the group's memory.
block_shape transposed_block(const copy_dimension& columns) {
  constexpr std::int64_t edge = kernels::shared_tile;
  if (columns.extent > kernels::few_columns) {
    return {edge, edge, 1};
  }
  const std::int64_t room = (kernels::shared_items - kernels::banks) / columns.extent;
  return {static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(room))),
          columns.extent, 1};
}

/// Whether some columns of all rows lie together in the source: what was read for one row is still
/// in the cache for the next one.
bool reads_again(const copy_dimension& rows, const copy_dimension& columns) {
  return rows.extent < wide_enough && columns.extent >= wide_enough && is_transposed(rows, columns);
}

/// As measured on an H100: fewer and larger groups than on other devices.
block_shape tiled_block(const copy_dimension& rows, const copy_dimension& columns,
                        work_split split) {
  constexpr std::int64_t edge = kernels::shared_tile;
  if (split.by_tiles) {
    return transposed_block(columns);
  }
  if (reads_again(rows, columns)) {
    return {rows.extent, std::min<std::int64_t>(most_lanes, columns.extent), 1};
  }
  if (is_transposed(rows, columns)) {
    return {std::min<std::int64_t>(2 * edge, rows.extent),
            std::min<std::int64_t>(edge, columns.extent), 1};
  }
  const std::int64_t elements = tiled_elements(rows, columns, split.fills);
  // Wide enough that each work item has four elements of a row, which it reads together.
  const std::int64_t width =
      std::min<std::int64_t>(columns.extent, elements / std::min<std::int64_t>(4, rows.extent));
  return {std::min<std::int64_t>(elements / width, rows.extent), width, 1};
}

block_shape block_for(const copy_dimension& rows, const copy_dimension& columns, work_split split) {
  switch (split.shape) {
    case kernel_shape::narrow:
      return narrow_block(rows, columns);
    case kernel_shape::wide:
      return wide_block(rows, columns);
    case kernel_shape::tiled:
      break;
  }
  return tiled_block(rows, columns, split);
}

/// Work items in a group: that share the rows, and the columns of each.
struct lane_counts {
  std::size_t rows;
  std::size_t columns;
};

lane_counts lanes_of(const traversal& t, work_split split) {
  if (split.shape == kernel_shape::narrow) {
    return {1, 1};
  }
  if (split.by_tiles) {
    const std::size_t in_rows = t.block_columns == kernels::shared_tile ? 8 : 4;
    return {in_rows, kernels::shared_tile};
  }
  const std::size_t columns = lanes_for(t.block_columns);
  const bool share_rows =
      split.shape == kernel_shape::tiled &&
      (t.source_row >= t.source_column || t.block_columns < kernels::shared_tile);
  return {share_rows ? most_lanes / columns : 1, columns};
}

using group_counts = std::array<std::int64_t, 3>;

group_counts groups_of(const traversal& t) {
  return {ceiling_of(t.repeats, t.repeats_per_group), ceiling_of(t.rows, t.block_rows),
          ceiling_of(t.columns, t.block_columns)};
}

/// CUDA's, in the two outer dimensions.
constexpr std::int64_t most_outer_groups = 65535;

bool too_many(const group_counts& groups, std::int64_t lanes, kernel_shape shape) {
  if (shape == kernel_shape::tiled) {
    return groups[0] > most_outer_groups || groups[1] > most_outer_groups || groups[2] > INT_MAX;
  }
  // The runtime counts work items in an int.
  std::int64_t left = INT_MAX / lanes;
  for (const std::int64_t count : groups) {
    left /= count;
  }
  return left < 1;
}

/// Larger blocks until they can be counted.
void limit_groups(traversal& t, std::int64_t lanes, kernel_shape shape) {
  while (too_many(groups_of(t), lanes, shape)) {
    const group_counts groups = groups_of(t);
    const auto most = std::ranges::max_element(groups) - groups.begin();
    std::int64_t& block = most == 0   ? t.repeats_per_group
                          : most == 1 ? t.block_rows
                                      : t.block_columns;
    block *= 2;
  }
}

/// Of all dimensions, those in front of the last two being the outer ones.
traversal traverse(std::span<const copy_dimension> dimensions, work_split split) {
  const copy_dimension& rows = dimensions[dimensions.size() - 2];
  const copy_dimension& columns = dimensions.back();
  const block_shape block = block_for(rows, columns, split);
  traversal t{};
  t.rows = rows.extent;
  t.columns = columns.extent;
  t.source_row = rows.source_stride;
  t.source_column = columns.source_stride;
  t.destination_row = rows.destination_stride;
  t.destination_column = columns.destination_stride;
  t.block_rows = block.rows;
  t.block_columns = block.columns;
  t.repeats = 1;
  for (const copy_dimension& outer :
       dimensions.first(dimensions.size() - 2) | std::views::reverse) {
    t.outer[t.outer_count++] = {outer.extent, outer.source_stride, outer.destination_stride};
    t.repeats *= outer.extent;
  }
  t.repeats_per_group =
      std::min(at_least_1(narrow_elements / (block.rows * block.columns)), t.repeats);
  return t;
}

sycl::nd_range<3> range_of(const traversal& t, lane_counts lanes) {
  const group_counts groups = groups_of(t);
  const auto count = [&](std::size_t k) { return static_cast<std::size_t>(groups[k]); };
  return {sycl::range<3>(count(0), count(1) * lanes.rows, count(2) * lanes.columns),
          sycl::range<3>(1, lanes.rows, lanes.columns)};
}

}  // namespace

bool can_be_tiled(const copy_dimension& rows, const copy_dimension& columns,
                  kernel_shape shape) noexcept {
  if (shape != kernel_shape::tiled) {
    return shape == kernel_shape::narrow && is_transposed(rows, columns);
  }
  const bool full =
      is_transposed(rows, columns) && rows.extent >= wide_enough && columns.extent >= wide_enough;
  // Measured on an H100: more columns are faster without the memory of a group.
  const bool few = rows.extent > kernels::few_columns && columns.extent <= kernels::few_columns &&
                   std::abs(rows.source_stride) < std::abs(columns.source_stride);
  return (full || few) &&
         ceiling_of(rows.extent, transposed_block(columns).rows) <= most_outer_groups;
}

kernel_launch launch_for(std::span<const copy_dimension> dimensions, work_split split) {
  traversal walk = traverse(dimensions, split);
  const lane_counts lanes = lanes_of(walk, split);
  limit_groups(walk, static_cast<std::int64_t>(lanes.rows * lanes.columns), split.shape);
  return {walk, range_of(walk, lanes)};
}

row_launch launch_over(std::int64_t count, kernel_shape shape, std::int64_t per_lane) {
  const std::size_t lanes = shape == kernel_shape::narrow ? 1 : kernels::selection_lanes;
  const auto limit = static_cast<std::int64_t>(INT_MAX / lanes);
  std::int64_t per_group =
      shape == kernel_shape::narrow ? narrow_elements : kernels::selection_lanes * per_lane;
  while (ceiling_of(count, per_group) > limit) {
    per_group *= 2;
  }
  const auto groups = static_cast<std::size_t>(ceiling_of(count, per_group));
  return {per_group, {sycl::range<3>(1, 1, groups * lanes), sycl::range<3>(1, 1, lanes)}};
}

}  // namespace usmx::inline v1::detail
