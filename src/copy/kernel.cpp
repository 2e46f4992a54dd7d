#include "copy/kernel.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <sycl/handler.hpp>
#include <sycl/nd_range.hpp>

#include "kernels/device/kernel_list.hpp"
#include "kernels/device/traversal.hpp"
#include "runtime/queue_lock.hpp"

namespace usmx::detail {
namespace {

using kernels::max_outer_dimensions;
using kernels::traversal;

/// A copy as a kernel takes it: a plan of items that have the sizes and alignments of its types.
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

/// The largest power of two that divides all addresses of the elements on that side.
std::size_t alignment_of(const void* first, std::span<const copy_dimension> dimensions,
                         std::ptrdiff_t copy_dimension::*stride) {
  auto bits = reinterpret_cast<std::uintptr_t>(first);
  for (const copy_dimension& d : dimensions) {
    bits |= static_cast<std::uintptr_t>(d.*stride);
  }
  return bits & (~bits + 1);
}

/// The largest item that kernels take, aligned as they ask, of which elements consist.
std::size_t largest_item(std::size_t element_size, std::size_t alignment) {
  std::size_t item = 16;
  while (element_size % item != 0 || alignment % std::min<std::size_t>(item, 8) != 0) {
    item /= 2;
  }
  return item;
}

/// Makes each element a run of items.
void split_elements(kernel_copy& copy, std::size_t item) {
  const auto element = static_cast<std::ptrdiff_t>(copy.destination_size);
  const auto step = static_cast<std::ptrdiff_t>(item);
  copy.source_size = copy.destination_size = item;
  if (copy.ndim > 0) {
    copy_dimension& inner = copy.all_dimensions[copy.ndim - 1];
    if (inner.source_stride == element && inner.destination_stride == element) {
      inner = {inner.extent * (element / step), step, step};
      return;
    }
  }
  copy.all_dimensions[copy.ndim++] = {element / step, step, step};
}

/// None when elements to convert are not aligned.
std::optional<kernel_copy> prepare(const copy_plan& plan, bool use_fp64) {
  kernel_copy copy{.source = plan.source,
                   .destination = plan.destination,
                   .source_size = plan.source_type.itemsize(),
                   .destination_size = plan.destination_type.itemsize(),
                   .cast = {},
                   .ndim = plan.ndim,
                   .all_dimensions = {}};
  std::ranges::copy(plan.dimensions(), copy.all_dimensions.begin());
  const std::size_t source_alignment =
      alignment_of(plan.source, plan.dimensions(), &copy_dimension::source_stride);
  const std::size_t destination_alignment =
      alignment_of(plan.destination, plan.dimensions(), &copy_dimension::destination_stride);
  if (plan.converts()) {
    const cast_step step = cast_of(plan.source_type.code(), plan.destination_type.code(), use_fp64);
    copy.cast = step.kernel;
    copy.source_size = step.source_size;
    if (step.kernel) {
      const bool aligned = source_alignment % step.source_alignment == 0 &&
                           destination_alignment % plan.destination_type.alignment() == 0;
      return aligned ? std::optional(copy) : std::nullopt;
    }
  }
  const std::size_t item =
      largest_item(copy.destination_size, std::min(source_alignment, destination_alignment));
  if (item != copy.destination_size) {
    split_elements(copy, item);
  }
  return copy;
}

std::ptrdiff_t magnitude(std::ptrdiff_t stride) { return stride < 0 ? -stride : stride; }

/// Whether reading along the columns strides over memory that reading along the rows would not:
/// then both go together in blocks, each of which fits into the nearest cache.
bool is_transposed(const copy_dimension& rows, const copy_dimension& columns) {
  constexpr std::ptrdiff_t worthwhile = 4;
  return rows.extent >= worthwhile && columns.extent >= worthwhile &&
         magnitude(rows.source_stride) < magnitude(columns.source_stride);
}

/// Which dimension, other than the last, is best done together with the last.
std::size_t choose_rows(std::span<const copy_dimension> dimensions) {
  const std::size_t last = dimensions.size() - 1;
  std::size_t nearest = 0;
  std::size_t longest = 0;
  for (std::size_t k = 0; k < last; ++k) {
    if (magnitude(dimensions[k].source_stride) < magnitude(dimensions[nearest].source_stride)) {
      nearest = k;
    }
    if (dimensions[k].extent >= dimensions[longest].extent) {
      longest = k;
    }
  }
  if (is_transposed(dimensions[nearest], dimensions[last])) {
    return nearest;
  }
  constexpr std::ptrdiff_t long_enough = 64;
  return dimensions[last - 1].extent >= long_enough ? last - 1 : longest;
}

/// Puts the dimension for the rows before the last one; a missing one has one index.
void put_rows_last(kernel_copy& copy) {
  while (copy.ndim < 2) {
    std::shift_right(copy.all_dimensions.begin(), copy.all_dimensions.begin() + copy.ndim + 1, 1);
    copy.all_dimensions[0] = {1, 0, 0};
    ++copy.ndim;
  }
  const auto all = copy.dimensions();
  const auto rows = all.begin() + static_cast<std::ptrdiff_t>(choose_rows(all));
  std::rotate(rows, rows + 1, all.end() - 1);
}

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

std::size_t lanes_for(std::int64_t columns) {
  constexpr std::size_t most = 128;
  std::size_t lanes = 1;
  while (lanes < most && static_cast<std::int64_t>(lanes) < columns) {
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

std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

using group_counts = std::array<std::int64_t, 3>;

group_counts groups_of(const traversal& t) {
  return {ceiling_of(t.repeats, t.repeats_per_group), ceiling_of(t.rows, t.block_rows),
          ceiling_of(t.columns, t.block_columns)};
}

bool too_many(const group_counts& groups, std::int64_t lanes) {
  // The runtime counts work items in an int.
  std::int64_t left = INT_MAX / lanes;
  for (const std::int64_t count : groups) {
    left /= count;
  }
  return left < 1;
}

/// Larger blocks until the runtime can count them.
void limit_groups(traversal& t, std::int64_t lanes) {
  while (too_many(groups_of(t), lanes)) {
    const group_counts groups = groups_of(t);
    const auto most = std::ranges::max_element(groups) - groups.begin();
    std::int64_t& block = most == 0   ? t.repeats_per_group
                          : most == 1 ? t.block_rows
                                      : t.block_columns;
    block *= 2;
  }
}

/// Of all dimensions, those in front of the last two being the outer ones.
traversal traverse(std::span<const copy_dimension> dimensions, kernel_shape shape) {
  const copy_dimension& rows = dimensions[dimensions.size() - 2];
  const copy_dimension& columns = dimensions.back();
  const block_shape block =
      shape == kernel_shape::narrow ? narrow_block(rows, columns) : wide_block(rows, columns);
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
  for (const copy_dimension& outer : dimensions.first(dimensions.size() - 2)) {
    t.outer[t.outer_count++] = {outer.extent, outer.source_stride, outer.destination_stride};
    t.repeats *= outer.extent;
  }
  t.repeats_per_group =
      std::min(at_least_1(narrow_elements / (block.rows * block.columns)), t.repeats);
  return t;
}

sycl::nd_range<3> range_of(const traversal& t, std::size_t lanes) {
  const group_counts groups = groups_of(t);
  const auto count = [&](std::size_t k) { return static_cast<std::size_t>(groups[k]); };
  return {sycl::range<3>(count(0), count(1), count(2) * lanes), sycl::range<3>(1, 1, lanes)};
}

/// Calls `body(source, destination)` for each index of these dimensions.
template <class Body>
void for_each_index_of(std::span<const copy_dimension> dimensions, const std::byte* source,
                       std::byte* destination, Body& body) {
  if (dimensions.empty()) {
    return body(source, destination);
  }
  const copy_dimension& d = dimensions.front();
  for (std::ptrdiff_t i = 0; i < d.extent; ++i) {
    for_each_index_of(dimensions.subspan(1), source + i * d.source_stride,
                      destination + i * d.destination_stride, body);
  }
}

/// Leaves the shortest of the outer dimensions to the host, as many as a kernel does not take, and
/// returns how many: they come first.
std::size_t put_surplus_first(kernel_copy& copy) {
  constexpr std::size_t most = max_outer_dimensions + 2;
  if (copy.ndim <= most) {
    return 0;
  }
  const auto all = copy.dimensions();
  std::ranges::sort(all.begin(), all.end() - 2, {}, &copy_dimension::extent);
  return copy.ndim - most;
}

/// Enqueues one kernel for each index of the dimensions that a kernel does not take, each after the
/// one before it.
template <class SetArguments>
sycl::event run(const sycl::kernel& kernel, kernel_copy& copy, kernel_shape shape,
                sycl::queue& queue, const std::vector<sycl::event>& pending,
                SetArguments set_arguments) {
  const std::size_t surplus = put_surplus_first(copy);
  const auto all = copy.dimensions();
  traversal t = traverse(all.subspan(surplus), shape);
  const std::size_t lanes = shape == kernel_shape::narrow ? 1 : lanes_for(t.block_columns);
  limit_groups(t, static_cast<std::int64_t>(lanes));
  std::vector<sycl::event> before = pending;
  const auto enqueue = [&](const std::byte* source, std::byte* destination) {
    const auto lock = lock_queue(queue);
    before = {queue.submit([&](sycl::handler& handler) {
      handler.depends_on(before);
      set_arguments(handler, source, destination, t);
      handler.parallel_for(range_of(t, lanes), kernel);
    })};
  };
  for_each_index_of(all.first(surplus), copy.source, copy.destination, enqueue);
  return before.front();
}

kernel_id kernel_for(kernel_copy& copy, kernel_shape shape) {
  if (copy.cast) {
    return *copy.cast;
  }
  const copy_dimension& rows = copy.all_dimensions[copy.ndim - 2];
  const copy_dimension& columns = copy.all_dimensions[copy.ndim - 1];
  const auto item = static_cast<std::ptrdiff_t>(copy.destination_size);
  const bool by_tiles = shape == kernel_shape::narrow && is_transposed(rows, columns) &&
                        rows.source_stride == item && columns.destination_stride == item;
  return by_tiles ? transpose_kernel(copy.destination_size) : copy_kernel(copy.destination_size);
}

template <class Body>
void with_item_type(std::size_t item_size, Body body) {
  switch (item_size) {
    case 1:
      return body(std::uint8_t());
    case 2:
      return body(std::uint16_t());
    case 4:
      return body(std::uint32_t());
    case 8:
      return body(std::uint64_t());
    default:
      return body(std::array<std::uint64_t, 2>());
  }
}

}  // namespace

std::optional<sycl::event> copy_by_kernel_of(device_kernels& from, const copy_plan& plan,
                                             sycl::queue queue, bool use_fp64,
                                             const std::vector<sycl::event>& pending) {
  std::optional<kernel_copy> copy = prepare(plan, use_fp64);
  if (!copy) {
    return std::nullopt;
  }
  put_rows_last(*copy);
  const sycl::kernel* kernel = from.find(kernel_for(*copy, from.shape()));
  if (kernel == nullptr) {
    return std::nullopt;
  }
  return run(*kernel, *copy, from.shape(), queue, pending,
             [](sycl::handler& handler, const void* source, void* destination, const traversal& t) {
               handler.set_args(source, destination, t);
             });
}

std::optional<sycl::event> copy_by_kernel(const copy_plan& plan, sycl::queue queue,
                                          const std::vector<sycl::event>& pending) {
  device_kernels& kernels = kernels_of(queue);
  return copy_by_kernel_of(kernels, plan, std::move(queue), kernels.has_fp64(), pending);
}

std::optional<sycl::event> fill_by_kernel(const copy_plan& plan, const std::byte* element,
                                          sycl::queue queue,
                                          const std::vector<sycl::event>& pending) {
  copy_plan own = plan;
  own.source = own.destination;
  own.source_type = own.destination_type;
  for (copy_dimension& d : own.dimensions()) {
    d.source_stride = d.destination_stride;
  }
  const std::size_t element_size = plan.destination_type.itemsize();
  std::optional<kernel_copy> fill = prepare(own, false);
  if (fill->destination_size != element_size) {
    return std::nullopt;
  }
  put_rows_last(*fill);
  device_kernels& kernels = kernels_of(queue);
  const sycl::kernel* kernel = kernels.find(fill_kernel(element_size));
  if (kernel == nullptr) {
    return std::nullopt;
  }
  std::optional<sycl::event> done;
  with_item_type(element_size, [&](auto item) {
    std::memcpy(&item, element, sizeof item);
    done = run(*kernel, *fill, kernels.shape(), queue, pending,
               [&](sycl::handler& handler, const void*, void* destination, const traversal& t) {
                 handler.set_args(item, destination, t);
               });
  });
  return done;
}

}  // namespace usmx::detail
