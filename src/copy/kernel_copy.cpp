#include "copy/kernel_copy.hpp"

#include <algorithm>
#include <cstdint>

namespace usmx::inline v1::detail {
namespace {

/// The largest power of two that divides all addresses of the elements on that side.
std::size_t alignment_of(const void* first, std::span<const copy_dimension> dimensions,
                         std::ptrdiff_t copy_dimension::* stride) {
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

std::ptrdiff_t magnitude(std::ptrdiff_t stride) { return stride < 0 ? -stride : stride; }

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

/// None when elements to convert are not aligned.
std::optional<kernel_copy> of_items(const copy_plan& plan, bool use_fp64) {
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

}  // namespace

bool is_transposed(const copy_dimension& rows, const copy_dimension& columns) noexcept {
  constexpr std::ptrdiff_t worthwhile = 4;
  return rows.extent >= worthwhile && columns.extent >= worthwhile &&
         magnitude(rows.source_stride) < magnitude(columns.source_stride);
}

std::optional<kernel_copy> to_kernel_copy(const copy_plan& plan, bool use_fp64) {
  std::optional<kernel_copy> copy = of_items(plan, use_fp64);
  if (copy) {
    put_rows_last(*copy);
  }
  return copy;
}

}  // namespace usmx::inline v1::detail
