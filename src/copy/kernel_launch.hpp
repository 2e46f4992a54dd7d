// How a kernel walks through a copy: which block of it each work group takes, and how many there
// are.
#pragma once

#include <cstddef>
#include <span>

#include <sycl/nd_range.hpp>

#include "copy/plan.hpp"
#include "kernels/device/traversal.hpp"
#include "kernels/groups.hpp"

namespace usmx::inline v1::detail {

struct kernel_launch {
  kernels::traversal walk;
  sycl::nd_range<3> range;
};

/// How many dimensions one kernel takes.
inline constexpr std::size_t max_kernel_dimensions = kernels::max_outer_dimensions + 2;

/// How the work is shared out.
struct work_split {
  kernel_shape shape;
  /// By the kernels that transpose whole tiles.
  bool by_tiles;
};

/// Whether tiles of that many rows are not too many.
bool can_be_tiled(const copy_dimension& rows, kernel_shape) noexcept;

/// For that many dimensions at most, the last two of which are rows and columns.
kernel_launch launch_for(std::span<const copy_dimension> dimensions, work_split);

}  // namespace usmx::inline v1::detail
