// Copies and fills by kernels: how they are launched, and which kernel takes which plan. Private to
// the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/queue.hpp>

#include "copy/plan.hpp"
#include "kernels/device/traversal.hpp"
#include "kernels/groups.hpp"
#include "kernels/store.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// The quotient a / b, rounded up.
constexpr std::int64_t ceiling_of(std::int64_t a, std::int64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

struct kernel_launch {
  kernels::traversal walk;
  sycl::nd_range<3> range;
};

/// The most dimensions that one kernel takes.
inline constexpr std::size_t max_kernel_dimensions = kernels::max_outer_dimensions + 2;

struct work_split {
  kernel_shape shape;
  /// Whether the kernels that transpose whole tiles make the copy.
  bool by_tiles = false;
  bool fills = false;
};

/// Whether the kernels that transpose can make the copy, and are the fastest.
bool can_be_tiled(const copy_dimension& rows, const copy_dimension& columns, kernel_shape) noexcept;

/// The launch for at most max_kernel_dimensions dimensions, the last two of which are rows and
/// columns.
kernel_launch launch_for(std::span<const copy_dimension> dimensions, work_split);

/// The launch of a kernel over `count` elements in a row, at least one. Work group g takes the
/// elements from g * per_group on. Each of its lanes takes `per_lane` of them, if the group has
/// several lanes.
struct row_launch {
  std::int64_t per_group;
  sycl::nd_range<3> range;
};
row_launch launch_over(std::int64_t count, kernel_shape, std::int64_t per_lane);

/// A plan of items. Its last two dimensions are the rows and columns of a kernel.
struct kernel_copy {
  const std::byte* source;
  std::byte* destination;
  std::size_t source_size;
  std::size_t destination_size;
  std::optional<kernel_id> cast;  // none: items keep their bytes
  std::size_t ndim;
  std::array<copy_dimension, max_ndim + 1> all_dimensions;  // only the first ndim are set

  std::span<copy_dimension> dimensions() noexcept { return {all_dimensions.data(), ndim}; }
};

/// Returns the copy as kernels take it; nothing if elements that are to be converted are not
/// aligned. With `use_fp64`, kernels that need fp64 may be used.
std::optional<kernel_copy> to_kernel_copy(const copy_plan&, bool use_fp64);

/// Enqueues the copy on a queue whose device reaches both sides, after `pending`, and returns the
/// event of its end. Returns none, with nothing enqueued, if no kernel can make the copy: the
/// device has none, or elements that are to be converted are not aligned as their types require.
/// Source and destination do not overlap.
std::optional<sycl::event> copy_by_kernel(const copy_plan&, sycl::queue,
                                          const std::vector<sycl::event>& pending = {});

/// Starts the copy on the stream of a CUDA device's queue, as copy_by_kernel() does elsewhere.
/// Returns whether a kernel can make it.
bool copy_on_stream(const copy_plan&, const sycl::queue&, const std::vector<sycl::event>& pending);

/// Sets the destination's elements to the bytes at `element`, as many as its type has. The plan's
/// source is not used. Returns none as copy_by_kernel() does, and for structured types of other
/// sizes than 1, 2, 4, 8 or 16.
std::optional<sycl::event> fill_by_kernel(const copy_plan&, const std::byte* element, sycl::queue,
                                          const std::vector<sycl::event>& pending = {});

/// Runs of kernels that turn integers, the plan's source, into positions by the rule. They add each
/// position to one of the plan's destinations, which are 64-bit integers, or set it; and they set
/// `outside` to 1 if an integer lies outside of its axis. The runs follow each other. None if the
/// integers are not aligned as their types require.
std::optional<std::vector<kernel_run>> positions_by_kernel(const copy_plan&,
                                                           const kernels::position_rule&,
                                                           std::uint32_t* outside, device_kernels&);

/// Does as copy_by_kernel with the kernels of `from`, so that tests can run kernels that the device
/// would not get.
std::optional<sycl::event> copy_by_kernel_of(device_kernels& from, const copy_plan&, sycl::queue,
                                             bool use_fp64,
                                             const std::vector<sycl::event>& pending);

}  // namespace usmx::inline v1::detail
