// How a kernel walks through a copy: which block of it each work group takes, and how many there
// are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sycl/nd_range.hpp>

#include "copy/plan.hpp"
#include "kernels/device/traversal.hpp"
#include "kernels/groups.hpp"

namespace usmx::inline v1::detail {

/// How many pieces of b make a.
constexpr std::int64_t ceiling_of(std::int64_t a, std::int64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

struct kernel_launch {
  kernels::traversal walk;
  sycl::nd_range<3> range;
};

/// The most dimensions that one kernel takes.
inline constexpr std::size_t max_kernel_dimensions = kernels::max_outer_dimensions + 2;

/// How the work is divided.
struct work_split {
  kernel_shape shape;
  /// Whether the kernels that transpose whole tiles do it.
  bool by_tiles = false;
  /// Whether nothing is read.
  bool fills = false;
};

/// Whether the kernels that transpose can do it, and are the fastest.
bool can_be_tiled(const copy_dimension& rows, const copy_dimension& columns, kernel_shape) noexcept;

/// The launch for at most max_kernel_dimensions dimensions, the last two of which are rows and
/// columns.
kernel_launch launch_for(std::span<const copy_dimension> dimensions, work_split);

/// The launch of a kernel over `count` elements in a row, at least one: work group g takes those
/// from g * per_group, and each of its lanes `per_lane` where it has several lanes.
struct row_launch {
  std::int64_t per_group;
  sycl::nd_range<3> range;
};
row_launch launch_over(std::int64_t count, kernel_shape, std::int64_t per_lane);

}  // namespace usmx::inline v1::detail
