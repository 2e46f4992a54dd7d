#include "generated_kernels/reduction_loops.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "base/messages.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The entries of an array's axes that are reduced, or of those that are not.
std::vector<std::ptrdiff_t> chosen_entries(std::span<const std::ptrdiff_t> entries,
                                           std::span<const char> reduced, bool wanted) {
  std::vector<std::ptrdiff_t> chosen;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if ((reduced[k] != 0) == wanted) {
      chosen.push_back(entries[k]);
    }
  }
  return chosen;
}

std::ptrdiff_t innermost_stride(const operand_loop& loop) {
  return loop.ndim == 0 ? 0 : std::abs(loop.dimensions().back().strides[0]);
}

/// Whether a work item makes a whole result: if a result has few elements beside each other, or
/// results lie closer together than what they are made of. On GPUs a group for each short row
/// leaves most of a core idle: sums of 2 Mi rows of 16 took nine times as long, of rows of 100
/// twice; from 128 on both take as long.
bool is_outer(const reduction_loops& call, const sycl::device& device) {
  const std::ptrdiff_t few = device.is_cpu() ? 16 : 128;
  if (call.kept.ndim == 0) {
    return false;
  }
  const bool is_short = call.reduced.ndim == 0 || call.reduced.dimensions().back().extent < few;
  return is_short || innermost_stride(call.kept) < innermost_stride(call.reduced);
}

/// The most work items of a group. A CPU does as many work items at once as a vector has elements.
/// With more of them it would go through the elements several times: then a sum took twice as long,
/// and one in blocks, of which each item has several values at once, two to four times. A GPU with
/// few groups needs large ones to be busy.
std::size_t most_lanes(const reduction_loops& call, const sycl::device& device) {
  if (device.is_cpu()) {
    return call.has_blocks ? 4 : 16;
  }
  constexpr std::size_t large = 512;
  constexpr std::ptrdiff_t few_results = 1024;
  const bool is_large = items_of(call.kept.dimensions()) < few_results &&
                        device.get_info<sycl::info::device::max_work_group_size>() >= large;
  return is_large ? large : 64;
}

std::size_t lanes_of(const reduction_loops& call, const sycl::device& device) {
  if (call.is_outer) {
    return 1;
  }
  const std::size_t most = most_lanes(call, device);
  if (call.kept.ndim == 0) {  // one result: few elements take no longer with idle items
    return most;
  }
  const std::ptrdiff_t columns =
      call.reduced.ndim == 0 ? 1 : call.reduced.dimensions().back().extent;
  return std::min(most, std::bit_ceil(static_cast<std::size_t>(columns)));
}

std::int64_t parts_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// The most parts that each result has. The number depends on the shape only, so that results do.
std::int64_t most_parts(std::int64_t results, std::int64_t elements, bool is_outer) {
  constexpr std::int64_t enough_items = 262144;
  constexpr std::int64_t enough_groups = 256;
  constexpr std::int64_t most = 1024;
  const std::int64_t wanted = is_outer
                                  ? std::min(parts_up(elements, 64), enough_items / results)
                                  : std::min(parts_up(elements, 16384), enough_groups / results);
  return std::clamp<std::int64_t>(wanted, 1, most);
}

division divided(const operand_loop& reduced, std::int64_t parts) {
  const std::int64_t columns = reduced.ndim == 0 ? 1 : reduced.dimensions().back().extent;
  const std::int64_t lines = items_of(reduced.dimensions()) / columns;
  if (lines >= parts) {
    const std::int64_t per_part = parts_up(lines, parts);
    return {{per_part, columns, 1, lines * columns}, parts_up(lines, per_part)};
  }
  const std::int64_t wanted = parts_up(columns, parts_up(parts, lines));
  constexpr std::int64_t group = 64;
  const std::int64_t per_part = parts_up(wanted, group) * group;
  const std::int64_t column_parts = parts_up(columns, per_part);
  return {{1, per_part, column_parts, lines * columns}, lines * column_parts};
}

}  // namespace

void set_loops(reduction_loops& call, const reduced_shape& axes) {
  std::vector<std::vector<std::ptrdiff_t>> strides;  // kept ones, then reduced ones
  for (const bool wanted : {false, true}) {
    for (const reduction_loops::side& each : call.inputs) {
      strides.push_back(chosen_entries(each.used.strides(), axes.reduced, wanted));
    }
    for (const reduction_loops::side& each : call.outputs) {
      if (!wanted) {
        const auto all = each.used.strides();
        strides.push_back(axes.are_kept ? chosen_entries(all, axes.reduced, false)
                                        : std::vector<std::ptrdiff_t>(all.begin(), all.end()));
      }
    }
  }
  std::vector<loop_operand> sides;
  const auto add_all = [&](std::span<const reduction_loops::side> all, bool is_read) {
    for (const reduction_loops::side& each : all) {
      sides.push_back({strides[sides.size()],
                       static_cast<std::ptrdiff_t>(each.used.type().itemsize()), is_read});
    }
  };
  add_all(call.inputs, true);
  add_all(call.outputs, false);
  add_all(call.inputs, true);
  const std::vector<std::ptrdiff_t> extents = chosen_entries(axes.shape, axes.reduced, true);
  const layout indices = layout::c_order(extents);
  if (call.has_index) {
    sides.push_back({indices.strides(), 1, false});
  }
  const std::size_t kept_count = call.inputs.size() + call.outputs.size();
  const std::span<const loop_operand> all(sides);
  set_loop(call.kept, chosen_entries(axes.shape, axes.reduced, false), all.first(kept_count), 0);
  call.reduced_count = indices.size();
  if (call.reduced_count == 0) {  // nothing is read
    call.reduced.ndim = 0;
    call.reduced.count = call.inputs.size() + (call.has_index ? 1 : 0);
    std::ranges::fill(std::span(call.reduced.offsets).first(call.reduced.count), 0);
  } else {
    set_loop(call.reduced, extents, all.subspan(kept_count), 0);
  }
}

void share_out(reduction_loops& call, const sycl::device& device) {
  call.is_outer = is_outer(call, device);
  call.lanes = lanes_of(call, device);
}

division division_of(const reduction_loops& call) {
  const std::int64_t results = items_of(call.kept.dimensions());
  return divided(call.reduced, most_parts(results, call.reduced_count, call.is_outer));
}

std::vector<char> reduced_flags(const std::optional<std::vector<std::ptrdiff_t>>& axes,
                                std::size_t ndim) {
  std::vector<char> reduced(ndim, axes ? 0 : 1);
  for (const std::ptrdiff_t each : axes.value_or(std::vector<std::ptrdiff_t>())) {
    char& flag = reduced[static_cast<std::size_t>(normalized_axis(each, static_cast<int>(ndim)))];
    if (flag != 0) {
      throw value_error(message("axis must not have an axis twice, found ", each));
    }
    flag = 1;
  }
  return reduced;
}

std::vector<std::ptrdiff_t> result_shape(std::span<const std::ptrdiff_t> shape,
                                         std::span<const char> reduced, bool are_kept) {
  std::vector<std::ptrdiff_t> extents;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (reduced[k] == 0 || are_kept) {
      extents.push_back(reduced[k] != 0 ? 1 : shape[k]);
    }
  }
  return extents;
}

}  // namespace usmx::inline v1::detail
