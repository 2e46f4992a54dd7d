#include "copy/kernels.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <sycl/handler.hpp>

#include "copy/convert.hpp"
#include "kernels/device_kernel.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/waits.hpp"

namespace usmx::inline v1::detail {
namespace {

using kernels::traversal;

struct block_shape {
  std::int64_t rows;
  std::int64_t columns;
};

/// The elements of a work group that is one work item. With fewer, starting groups costs too much;
/// with more, too few groups share the work.
constexpr std::int64_t narrow_elements = 1024;
constexpr std::int64_t tile = kernels::transposed_tile;

std::int64_t at_least_1(std::int64_t n) { return std::max<std::int64_t>(n, 1); }

/// The block of so many elements for copies that do not transpose; a tile for those that do.
block_shape plain_block(const copy_dimension& rows, const copy_dimension& columns,
                        std::int64_t elements) {
  if (is_transposed(rows, columns, source_side)) {
    return {std::min<std::int64_t>(tile, rows.extent),
            std::min<std::int64_t>(tile, columns.extent)};
  }
  const std::int64_t width = std::min<std::int64_t>(columns.extent, elements);
  return {std::min<std::int64_t>(at_least_1(elements / width), rows.extent), width};
}

constexpr std::size_t most_lanes = 128;

std::size_t lanes_for(std::int64_t columns) {
  std::size_t lanes = 1;
  while (lanes < most_lanes && static_cast<std::int64_t>(lanes) < columns) {
    lanes *= 2;
  }
  return lanes;
}

/// The elements of a group. A single row is divided among about a thousand groups, which are large
/// if the row is long. A fill reads nothing, and is the faster the smaller its groups are.
std::int64_t tiled_elements(const copy_dimension& rows, const copy_dimension& columns, bool fills) {
  if (rows.extent == 1) {
    return fills ? 1024 : std::clamp<std::int64_t>(columns.extent / 1024, 1024, 32768);
  }
  return 2048;
}

/// A tile would be mostly empty with fewer columns, or rows, than this.
constexpr std::int64_t wide_enough = std::int64_t{2} * kernels::shared_tile;

/// The block of the kernels that transpose: a tile; for few columns, a power of 2 of rows that fits
/// the group's memory, the same number for each work item.
block_shape transposed_block(const copy_dimension& columns) {
  constexpr std::int64_t edge = kernels::shared_tile;
  if (columns.extent > kernels::few_columns) {
    return {edge, edge};
  }
  const std::int64_t room = (kernels::shared_items - kernels::banks) / columns.extent;
  return {static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(room))),
          columns.extent};
}

/// Whether all rows have some columns close together in the source: the cache line that is read for
/// one row serves the next one.
bool reads_again(const copy_dimension& rows, const copy_dimension& columns) {
  return rows.extent < wide_enough && columns.extent >= wide_enough &&
         is_transposed(rows, columns, source_side);
}

/// The block of a tiled kernel, chosen by measurements on an H100: its groups are fewer and larger
/// than on other devices.
block_shape tiled_block(const copy_dimension& rows, const copy_dimension& columns,
                        work_split split) {
  constexpr std::int64_t edge = kernels::shared_tile;
  if (split.by_tiles) {
    return transposed_block(columns);
  }
  if (reads_again(rows, columns)) {
    return {rows.extent, std::min<std::int64_t>(most_lanes, columns.extent)};
  }
  if (is_transposed(rows, columns, source_side)) {
    return {std::min<std::int64_t>(2 * edge, rows.extent),
            std::min<std::int64_t>(edge, columns.extent)};
  }
  const std::int64_t elements = tiled_elements(rows, columns, split.fills);
  // The block is wide enough for each work item to read four elements of a row together.
  const std::int64_t width =
      std::min<std::int64_t>(columns.extent, elements / std::min<std::int64_t>(4, rows.extent));
  return {std::min<std::int64_t>(elements / width, rows.extent), width};
}

block_shape block_for(const copy_dimension& rows, const copy_dimension& columns, work_split split) {
  switch (split.shape) {
    case kernel_shape::narrow:
      return plain_block(rows, columns, narrow_elements);
    case kernel_shape::wide:  // work items beside each other take elements beside each other
      return plain_block(rows, columns, 4 * static_cast<std::int64_t>(lanes_for(columns.extent)));
    case kernel_shape::tiled:
      break;
  }
  return tiled_block(rows, columns, split);
}

/// The work items of a group: how many share the rows, and how many the columns of each row.
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

/// CUDA's limit of groups in each of the two outer dimensions.
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

/// Doubles the block until the runtime and the device can count the groups.
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

/// The traversal of all dimensions. The last two are rows and columns, and the others are the outer
/// ones.
traversal traverse(std::span<const copy_dimension> dimensions, work_split split) {
  const copy_dimension& rows = dimensions[dimensions.size() - 2];
  const copy_dimension& columns = dimensions.back();
  const block_shape block = block_for(rows, columns, split);
  traversal t{};
  t.rows = rows.extent;
  t.columns = columns.extent;
  t.source_row = rows.strides[source_side];
  t.source_column = columns.strides[source_side];
  t.destination_row = rows.strides[destination_side];
  t.destination_column = columns.strides[destination_side];
  t.block_rows = block.rows;
  t.block_columns = block.columns;
  t.repeats = 1;
  for (const copy_dimension& outer :
       dimensions.first(dimensions.size() - 2) | std::views::reverse) {
    t.outer[t.outer_count++] = {outer.extent, outer.strides[source_side],
                                outer.strides[destination_side]};
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
    return shape == kernel_shape::narrow && is_transposed(rows, columns, source_side);
  }
  const bool full = is_transposed(rows, columns, source_side) && rows.extent >= wide_enough &&
                    columns.extent >= wide_enough;
  // With more columns, kernels that do not use a group's memory are faster, measured on an H100.
  const bool few = rows.extent > kernels::few_columns && columns.extent <= kernels::few_columns &&
                   std::abs(rows.strides[source_side]) < std::abs(columns.strides[source_side]);
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

namespace {

/// The largest power of two that divides all addresses of the elements on that side.
std::size_t alignment_of(const void* first, std::span<const copy_dimension> dimensions,
                         copy_operand side) {
  auto bits = reinterpret_cast<std::uintptr_t>(first);
  for (const copy_dimension& d : dimensions) {
    bits |= static_cast<std::uintptr_t>(d.strides[side]);
  }
  return bits & (~bits + 1);
}

/// The largest item that kernels move and that an element is a multiple of, aligned as they
/// require.
std::size_t largest_item(std::size_t element_size, std::size_t alignment) {
  std::size_t item = 16;
  while (element_size % item != 0 || alignment % std::min<std::size_t>(item, 8) != 0) {
    item /= 2;
  }
  return item;
}

/// Splits each element into a run of items.
void split_elements(kernel_copy& copy, std::size_t item) {
  const auto element = static_cast<std::ptrdiff_t>(copy.destination_size);
  const auto step = static_cast<std::ptrdiff_t>(item);
  copy.source_size = copy.destination_size = item;
  if (copy.ndim > 0) {
    copy_dimension& inner = copy.all_dimensions[copy.ndim - 1];
    if (inner.strides[source_side] == element && inner.strides[destination_side] == element) {
      inner = {inner.extent * (element / step), step, step};
      return;
    }
  }
  copy.all_dimensions[copy.ndim++] = {element / step, step, step};
}

/// The dimension, other than the last, that a kernel's rows are best made of.
std::size_t choose_rows(std::span<const copy_dimension> dimensions) {
  const std::size_t last = dimensions.size() - 1;
  std::size_t nearest = 0;
  std::size_t longest = 0;
  for (std::size_t k = 0; k < last; ++k) {
    if (std::abs(dimensions[k].strides[source_side]) <
        std::abs(dimensions[nearest].strides[source_side])) {
      nearest = k;
    }
    if (dimensions[k].extent >= dimensions[longest].extent) {
      longest = k;
    }
  }
  if (is_transposed(dimensions[nearest], dimensions[last], source_side)) {
    return nearest;
  }
  constexpr std::ptrdiff_t long_enough = 64;
  return dimensions[last - 1].extent >= long_enough ? last - 1 : longest;
}

/// Moves the dimension of the rows before the last one. A missing dimension gets extent 1.
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

/// Returns the copy in items; nothing if elements that are to be converted are not aligned.
std::optional<kernel_copy> of_items(const copy_plan& plan, bool use_fp64) {
  kernel_copy copy{.source = plan.source,
                   .destination = plan.destination,
                   .source_size = plan.source_type.itemsize(),
                   .destination_size = plan.destination_type.itemsize(),
                   .cast = {},
                   .ndim = plan.ndim,
                   .all_dimensions = {}};
  std::ranges::copy(plan.dimensions(), copy.all_dimensions.begin());
  const std::size_t source_alignment = alignment_of(plan.source, plan.dimensions(), source_side);
  const std::size_t destination_alignment =
      alignment_of(plan.destination, plan.dimensions(), destination_side);
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

}  // namespace

std::optional<kernel_copy> to_kernel_copy(const copy_plan& plan, bool use_fp64) {
  std::optional<kernel_copy> copy = of_items(plan, use_fp64);
  if (copy) {
    put_rows_last(*copy);
  }
  return copy;
}

namespace {

using events = std::vector<sycl::event>;

/// Moves the shortest of the outer dimensions, as many as are too many for a kernel, to the front,
/// and returns how many: the host loops over them.
std::size_t put_surplus_first(kernel_copy& copy) {
  if (copy.ndim <= max_kernel_dimensions) {
    return 0;
  }
  const auto all = copy.dimensions();
  std::ranges::sort(all.begin(), all.end() - 2, {}, &copy_dimension::extent);
  return copy.ndim - max_kernel_dimensions;
}

/// Calls `start(source, destination, launch)` for each index of the dimensions that a kernel does
/// not take.
template <class Start>
void for_each_launch(kernel_copy& copy, work_split split, const Start& start) {
  const std::size_t surplus = put_surplus_first(copy);
  const auto all = copy.dimensions();
  const kernel_launch launch = launch_for(all.subspan(surplus), split);
  for_each_index(
      all.first(surplus), copy.source, copy.destination,
      [&](const std::byte* source, std::byte* destination) { start(source, destination, launch); });
}

/// Enqueues the kernels, each after the one before it. If one cannot be enqueued, throws after
/// waiting for those before it.
template <class Enqueue>
sycl::event run(kernel_copy& copy, work_split split, sycl::queue& queue,
                const std::vector<sycl::event>& pending, Enqueue enqueue_kernel) {
  std::vector<sycl::event> before = pending;
  before.reserve(1);  // a kernel that is enqueued must not be lost for want of memory
  try {
    for_each_launch(
        copy, split,
        [&](const std::byte* source, std::byte* destination, const kernel_launch& launch) {
          before = {submit_to(queue, [&](sycl::queue& to) {
            return to.submit([&](sycl::handler& handler) {
              enqueue_kernel(handler, before, source, destination, launch);
            });
          })};
        });
  } catch (...) {
    wait_for_all(before);
    throw;
  }
  return before.front();
}

/// Whether the kernels that transpose make this copy: items are adjacent along rows in the source
/// and along columns in the destination.
bool is_done_by_tiles(const kernel_copy& copy, kernel_shape shape) {
  const copy_dimension& rows = copy.all_dimensions[copy.ndim - 2];
  const copy_dimension& columns = copy.all_dimensions[copy.ndim - 1];
  const auto item = static_cast<std::ptrdiff_t>(copy.destination_size);
  return !copy.cast && rows.strides[source_side] == item &&
         columns.strides[destination_side] == item && can_be_tiled(rows, columns, shape);
}

kernel_id kernel_for(const kernel_copy& copy, bool by_tiles) {
  if (copy.cast) {
    return *copy.cast;
  }
  return by_tiles ? transpose_kernel(copy.destination_size) : copy_kernel(copy.destination_size);
}

/// A fill of adjacent small elements, as a fill of items of the largest size.
struct wide_fill {
  copy_plan plan;
  std::array<std::byte, 16> item;
};

/// Makes a fill with wider items. Returns nothing if the elements are not smaller than such an
/// item, have gaps between them, or do not fill a whole number of aligned items.
std::optional<wide_fill> widened(const copy_plan& plan, const std::byte* element) {
  constexpr std::ptrdiff_t wide = sizeof(wide_fill::item);
  const auto size = static_cast<std::ptrdiff_t>(plan.destination_type.itemsize());
  if (plan.ndim != 1 || size >= wide || wide % size != 0) {
    return std::nullopt;
  }
  const copy_dimension& row = plan.dimensions()[0];
  if (row.strides[destination_side] != size || row.extent * size % wide != 0 ||
      reinterpret_cast<std::uintptr_t>(plan.destination) % wide != 0) {
    return std::nullopt;
  }
  wide_fill result{plan, {}};
  result.plan.destination_type = type_code::complex128;
  result.plan.all_dimensions[0] = {row.extent * size / wide, wide, wide};
  for (std::ptrdiff_t at = 0; at < wide; at += size) {
    std::memcpy(result.item.data() + at, element, static_cast<std::size_t>(size));
  }
  return result;
}

}  // namespace

namespace {

/// A copy, and the kernel that makes it.
struct chosen_copy {
  kernel_copy copy;
  const device_kernel& kernel;
  work_split split;
};

std::optional<chosen_copy> choose_kernel(device_kernels& from, const copy_plan& plan,
                                         bool use_fp64) {
  std::optional<kernel_copy> copy = to_kernel_copy(plan, use_fp64);
  if (!copy) {
    return std::nullopt;
  }
  const bool by_tiles = is_done_by_tiles(*copy, from.shape());
  const device_kernel* const kernel = from.find(kernel_for(*copy, by_tiles));
  if (kernel == nullptr) {
    return std::nullopt;
  }
  return chosen_copy{*copy, *kernel, {.shape = from.shape(), .by_tiles = by_tiles}};
}

}  // namespace

std::optional<sycl::event> copy_by_kernel_of(device_kernels& from, const copy_plan& plan,
                                             sycl::queue queue, bool use_fp64,
                                             const std::vector<sycl::event>& pending) {
  std::optional<chosen_copy> chosen = choose_kernel(from, plan, use_fp64);
  if (!chosen) {
    return std::nullopt;
  }
  return run(chosen->copy, chosen->split, queue, pending,
             [&](sycl::handler& handler, const events& before, const void* source,
                 void* destination, const kernel_launch& launch) {
               chosen->kernel.enqueue(handler, before, launch.range, source, destination,
                                      launch.walk);
             });
}

bool copy_on_stream(const copy_plan& plan, const sycl::queue& queue,
                    const std::vector<sycl::event>& pending) {
  const std::shared_ptr<device_kernels> kernels = kernels_of(queue);
  std::optional<chosen_copy> chosen = choose_kernel(*kernels, plan, kernels->has_fp64());
  if (!chosen) {
    return false;
  }
  const cuda::used_stream stream(queue);
  cuda::hold_up(stream.get(), pending);
  try {
    for_each_launch(
        chosen->copy, chosen->split,
        [&](const std::byte* source, std::byte* destination, const kernel_launch& launch) {
          chosen->kernel.start_on(stream.get(), launch.range, static_cast<const void*>(source),
                                  static_cast<void*>(destination), launch.walk);
        });
  } catch (...) {
    cuda::required_functions().synchronize_context();  // nobody is told of the earlier launches
    throw;
  }
  return true;
}

std::optional<sycl::event> copy_by_kernel(const copy_plan& plan, sycl::queue queue,
                                          const std::vector<sycl::event>& pending) {
  const std::shared_ptr<device_kernels> kernels = kernels_of(queue);
  return copy_by_kernel_of(*kernels, plan, std::move(queue), kernels->has_fp64(), pending);
}

std::optional<sycl::event> fill_by_kernel(const copy_plan& plan, const std::byte* element,
                                          sycl::queue queue,
                                          const std::vector<sycl::event>& pending) {
  const std::shared_ptr<device_kernels> kernels = kernels_of(queue);
  const auto wide =
      kernels->shape() == kernel_shape::narrow ? std::nullopt : widened(plan, element);
  if (wide) {
    return fill_by_kernel(wide->plan, wide->item.data(), std::move(queue), pending);
  }
  copy_plan own = plan;
  own.source = own.destination;
  own.source_type = own.destination_type;
  for (copy_dimension& d : own.dimensions()) {
    d.strides[source_side] = d.strides[destination_side];
  }
  const std::size_t element_size = plan.destination_type.itemsize();
  std::optional<kernel_copy> fill = to_kernel_copy(own, false);
  if (fill->destination_size != element_size) {
    return std::nullopt;
  }
  const device_kernel* kernel = kernels->find(fill_kernel(element_size));
  if (kernel == nullptr) {
    return std::nullopt;
  }
  std::optional<sycl::event> done;
  with_item_type(element_size, [&]<class Item>(std::type_identity<Item>) {
    Item item;
    std::memcpy(&item, element, sizeof item);
    done = run(*fill, {.shape = kernels->shape(), .fills = true}, queue, pending,
               [&](sycl::handler& handler, const events& before, const void*, void* destination,
                   const kernel_launch& launch) {
                 kernel->enqueue(handler, before, launch.range, item, destination, launch.walk);
               });
  });
  return done;
}

std::optional<std::vector<kernel_run>> positions_by_kernel(const copy_plan& plan,
                                                           const kernels::position_rule& rule,
                                                           std::uint32_t* outside,
                                                           device_kernels& from) {
  std::optional<kernel_copy> walked = to_kernel_copy(plan, false);
  if (!walked || walked->source_size != plan.source_type.itemsize()) {
    return std::nullopt;
  }
  const device_kernel* kernel = from.find(positions_kernel(plan.source_type.code()));
  // The numbers of a row are divided into small shares: measured on an H100, 64 K of them in 8
  // groups take 30 us.
  const bool is_row = walked->ndim == 2 && walked->all_dimensions[0].extent == 1;
  const kernel_shape shape =
      is_row && from.shape() == kernel_shape::tiled ? kernel_shape::wide : from.shape();
  std::vector<kernel_run> runs;
  for_each_launch(
      *walked, {.shape = shape},
      [&](const std::byte* source, std::byte* destination, const kernel_launch& launch) {
        runs.push_back(kernel->run(launch.range, static_cast<const void*>(source),
                                   static_cast<void*>(destination), launch.walk, rule, outside));
      });
  return runs;
}

}  // namespace usmx::inline v1::detail
