// The basic index of layout.hpp.
#include <algorithm>
#include <limits>

#include "layout/layout_builder.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

using detail::extents;
using detail::layout_builder;
using detail::multiply_or_zero;

namespace {

constexpr std::ptrdiff_t ptrdiff_max = std::numeric_limits<std::ptrdiff_t>::max();

/// a * b for an axis of length 1 if it can also be counted in bytes, else 0. Consumers multiply
/// every stride by the item's size.
std::ptrdiff_t unused_stride(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
  constexpr std::ptrdiff_t countable = ptrdiff_max >> 4;  // items of up to 16 bytes
  const std::ptrdiff_t product = multiply_or_zero(a, b);
  return product >= -countable && product <= countable ? product : 0;
}

/// The numbers of items of an index by what they do.
struct index_counts {
  std::size_t axes = 0;  // integers and slices: each takes one axis of the source
  std::size_t integers = 0;
  std::size_t newaxes = 0;
  std::size_t ellipses = 0;
};

index_counts count_items(std::span<const index_item> items) noexcept {
  index_counts counts;
  for (const index_item& item : items) {
    counts.axes += item.what == index_item::kind::integer || item.what == index_item::kind::slice;
    counts.integers += item.what == index_item::kind::integer;
    counts.newaxes += item.what == index_item::kind::newaxis;
    counts.ellipses += item.what == index_item::kind::ellipsis;
  }
  return counts;
}

/// How many dimensions the result has.
std::size_t checked_ndim(const index_counts& counts, std::size_t ndim) {
  if (counts.ellipses > 1) throw index_error("an index can only have a single ellipsis ('...')");
  if (counts.axes > ndim) {
    throw index_error(detail::message("too many indices for array: array is ", ndim,
                                      "-dimensional, but ", counts.axes, " were indexed"));
  }
  const std::size_t result_ndim = ndim - counts.integers + counts.newaxes;
  if (result_ndim > max_ndim) {
    throw index_error(detail::message("number of dimensions must be within [0, ", max_ndim,
                                      "], indexing result would have ", result_ndim));
  }
  return result_ndim;
}

std::ptrdiff_t wrapped_index(std::ptrdiff_t index, std::ptrdiff_t extent, std::size_t axis) {
  const std::ptrdiff_t wrapped = index < 0 ? index + extent : index;
  if (wrapped < 0 || wrapped >= extent) {
    throw index_error(detail::message("index ", index, " is out of bounds for axis ", axis,
                                      " with size ", extent));
  }
  return wrapped;
}

/// `bound` counted from the front and clamped to [smallest, largest], as PySlice_AdjustIndices
/// does for either bound of a slice.
std::ptrdiff_t clamped_bound(std::ptrdiff_t bound, std::ptrdiff_t extent, std::ptrdiff_t smallest,
                             std::ptrdiff_t largest) noexcept {
  const std::ptrdiff_t from_front = bound < 0 ? bound + extent : bound;
  return std::clamp(from_front, smallest, largest);
}

/// What a slice selects of an axis: `length` indices from `start` on, `step` apart.
struct slice_range {
  std::ptrdiff_t start;
  std::ptrdiff_t length;
  std::ptrdiff_t step;
};

slice_range ascending(const index_item& slice, std::ptrdiff_t extent) noexcept {
  const auto bound = [&](std::ptrdiff_t b, std::ptrdiff_t otherwise) {
    return b == index_item::none ? otherwise : clamped_bound(b, extent, 0, extent);
  };
  const std::ptrdiff_t start = bound(slice.start, 0);
  const std::ptrdiff_t stop = bound(slice.stop, extent);
  if (start >= stop) return {start, 0, slice.step};
  const std::ptrdiff_t last = stop - start - 1;
  // Most slices have step 1, and a division takes longer than the rest of this.
  return {start, (slice.step == 1 ? last : last / slice.step) + 1, slice.step};
}

slice_range descending(const index_item& slice, std::ptrdiff_t extent) noexcept {
  const auto bound = [&](std::ptrdiff_t b, std::ptrdiff_t otherwise) {
    return b == index_item::none ? otherwise : clamped_bound(b, extent, -1, extent - 1);
  };
  const std::ptrdiff_t start = bound(slice.start, extent - 1);
  const std::ptrdiff_t stop = bound(slice.stop, -1);
  const std::ptrdiff_t step = std::max(slice.step, -ptrdiff_max);  // as Python: -step must exist
  if (start <= stop) return {start, 0, step};
  return {start, (start - stop - 1) / -step + 1, step};
}

slice_range resolved(const index_item& slice, std::ptrdiff_t extent) {
  if (slice.step == 0) throw value_error("slice step cannot be zero");
  return slice.step > 0 ? ascending(slice, extent) : descending(slice, extent);
}

/// The offset after `index` strides along one axis. In a layout with elements it always fits. In
/// one without elements strides may be anything, and an offset that would not fit stays as it is.
std::ptrdiff_t moved(std::ptrdiff_t offset, std::ptrdiff_t index, std::ptrdiff_t stride) noexcept {
  std::ptrdiff_t distance;
  std::ptrdiff_t sum;
  const bool overflow = __builtin_mul_overflow(index, stride, &distance) ||
                        __builtin_add_overflow(offset, distance, &sum);
  return overflow ? offset : sum;
}

}  // namespace

layout subscript(const layout& source, std::span<const index_item> items) {
  const extents shape = source.shape();
  const extents strides = source.strides();
  const index_counts counts = count_items(items);

  layout result = layout_builder::blank(checked_ndim(counts, shape.size()));
  layout_builder into(result);
  std::ptrdiff_t offset = source.offset();
  std::size_t axis = 0;
  for (const index_item& item : items) {
    switch (item.what) {
      case index_item::kind::integer:
        offset = moved(offset, wrapped_index(item.start, shape[axis], axis), strides[axis]);
        ++axis;
        break;
      case index_item::kind::slice: {
        const slice_range range = resolved(item, shape[axis]);
        if (range.length == 0) {
          into.append(0, strides[axis]);
        } else {
          offset = moved(offset, range.start, strides[axis]);
          into.append(range.length, range.length > 1 ? multiply_or_zero(strides[axis], range.step)
                                                     : unused_stride(strides[axis], range.step));
        }
        ++axis;
        break;
      }
      case index_item::kind::ellipsis:
        for (std::size_t n = shape.size() - counts.axes; n > 0; --n) into.append(source, axis++);
        break;
      case index_item::kind::newaxis:
        into.append(1, 0);
        break;
    }
  }
  while (axis < shape.size()) into.append(source, axis++);
  into.finish(offset);
  return result;
}

layout element_in_c_order(const layout& source, std::ptrdiff_t index) {
  const std::ptrdiff_t size = source.size();
  std::ptrdiff_t rest = index < 0 ? index + size : index;
  if (rest < 0 || rest >= size) {
    throw index_error(
        detail::message("index ", index, " is out of bounds for an array of size ", size));
  }
  std::ptrdiff_t offset = source.offset();
  for (std::size_t axis = source.shape().size(); axis-- > 0;) {
    offset += rest % source.shape()[axis] * source.strides()[axis];
    rest /= source.shape()[axis];
  }
  return layout().with_offset(offset);
}

}  // namespace usmx::inline v1
