#include "usmx/layout/layout.hpp"

#include <algorithm>
#include <bitset>

#include "layout/layout.hpp"

namespace usmx::inline v1 {
namespace {

/// A list of up to max_ndim axes counted from the front, none twice.
class axis_list {
 public:
  axis_list(axis_span axes, int ndim, const char* what = nullptr) {
    for (const std::ptrdiff_t axis : axes) {
      const int normalized = normalized_axis(axis, ndim, what);
      if (contains(normalized)) throw_repeated(axes, what);
      seen_.set(static_cast<std::size_t>(normalized));
      axes_[size_++] = normalized;
    }
  }

  bool contains(int axis) const noexcept { return seen_.test(static_cast<std::size_t>(axis)); }
  std::span<const int> span() const noexcept { return {axes_.data(), size_}; }

 private:
  [[noreturn]] static void throw_repeated(axis_span axes, const char* what) {
    throw value_error(detail::message("repeated axis in `", what == nullptr ? "axis" : what,
                                      "`, found ", tuple_text(axes)));
  }

  std::array<int, max_ndim> axes_;
  std::size_t size_ = 0;
  std::bitset<max_ndim> seen_;
};

/// Builds an order of axes, beginning with the identity.
class axis_order {
 public:
  explicit axis_order(int ndim) noexcept : size_(static_cast<std::size_t>(ndim)) {
    for (int k = 0; k < ndim; ++k) axes_[static_cast<std::size_t>(k)] = k;
  }

  int& operator[](int k) noexcept { return axes_[static_cast<std::size_t>(k)]; }
  std::span<const int> span() const noexcept { return {axes_.data(), size_}; }

 private:
  std::array<int, max_ndim> axes_;
  std::size_t size_;
};

constexpr index_item all = index_item::slice(index_item::none, index_item::none, 1);
constexpr index_item reversed = index_item::slice(index_item::none, index_item::none, -1);

/// A basic index with one item for each axis.
template <class ItemOf>
layout subscript_each(const layout& source, int ndim, ItemOf item_of) {
  std::array<index_item, max_ndim> items;
  for (int k = 0; k < ndim; ++k) items[static_cast<std::size_t>(k)] = item_of(k);
  return subscript(source, {items.data(), static_cast<std::size_t>(ndim)});
}

std::ptrdiff_t extent(const layout& source, int axis) noexcept {
  return source.shape()[static_cast<std::size_t>(axis)];
}

}  // namespace

int normalized_axis(std::ptrdiff_t axis, int ndim, const char* what) {
  if (axis < -ndim || axis >= ndim) {
    throw axis_error(detail::message(what == nullptr ? "" : what, what == nullptr ? "" : ": ",
                                     "axis ", axis, " is out of bounds for array of dimension ",
                                     ndim));
  }
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

layout permuted_axes(const layout& source, axis_span axes) {
  if (axes.size() != source.shape().size()) {
    throw value_error(detail::message("`axes` must name each of the ", source.ndim(),
                                      " dimensions once, found ", tuple_text(axes)));
  }
  return permuted(source, axis_list(axes, source.ndim(), "axes").span());
}

layout moved_axes(const layout& source, axis_span from, axis_span to) {
  const axis_list sources(from, source.ndim(), "source");
  const axis_list destinations(to, source.ndim(), "destination");
  if (from.size() != to.size()) {
    throw value_error(
        detail::message("`source` and `destination` must have the same number of elements, found ",
                        tuple_text(from), " and ", tuple_text(to)));
  }
  axis_order order(source.ndim());
  for (std::size_t k = 0; k < from.size(); ++k) {
    order[destinations.span()[k]] = sources.span()[k];
  }
  int next = 0;
  for (int axis = 0; axis < source.ndim(); ++axis) {
    if (sources.contains(axis)) continue;
    while (destinations.contains(next)) ++next;
    order[next++] = axis;
  }
  return permuted(source, order.span());
}

layout swapped_axes(const layout& source, std::ptrdiff_t axis1, std::ptrdiff_t axis2) {
  const int first = normalized_axis(axis1, source.ndim(), "axis1");
  const int second = normalized_axis(axis2, source.ndim(), "axis2");
  axis_order order(source.ndim());
  std::swap(order[first], order[second]);
  return permuted(source, order.span());
}

layout matrix_transposed(const layout& source) {
  if (source.ndim() < 2) {
    throw value_error(detail::message(
        "a matrix transpose needs an array of at least 2 dimensions, found ", source.ndim()));
  }
  return swapped_axes(source, -1, -2);
}

layout flipped(const layout& source) {
  return subscript_each(source, source.ndim(), [](int) { return reversed; });
}

layout flipped(const layout& source, axis_span axes) {
  const axis_list turned(axes, source.ndim());
  return subscript_each(source, source.ndim(),
                        [&](int axis) { return turned.contains(axis) ? reversed : all; });
}

layout squeezed(const layout& source) {
  return subscript_each(source, source.ndim(), [&](int axis) {
    return extent(source, axis) == 1 ? index_item::integer(0) : all;
  });
}

layout squeezed(const layout& source, axis_span axes) {
  const axis_list dropped(axes, std::max(source.ndim(), 1));
  return subscript_each(source, source.ndim(), [&](int axis) {
    if (!dropped.contains(axis)) return all;
    if (extent(source, axis) != 1) {
      throw value_error(detail::message("an axis to squeeze out must have size 1, found axis ",
                                        axis, " with size ", extent(source, axis)));
    }
    return index_item::integer(0);
  });
}

layout expanded(const layout& source, axis_span axes) {
  const std::size_t ndim = source.shape().size() + axes.size();
  if (ndim > max_ndim) {
    throw index_error(
        detail::message("the result must have at most ", max_ndim, " dimensions, found ", ndim));
  }
  const axis_list added(axes, static_cast<int>(ndim));
  return subscript_each(source, static_cast<int>(ndim), [&](int axis) {
    return added.contains(axis) ? index_item::newaxis() : all;
  });
}

using detail::axis_span;
using detail::layout_builder;
using detail::multiply_or_zero;

namespace {

/// The stride a * b for an axis of length 1 if it can also be counted in bytes, else 0. Consumers
/// multiply every stride by the item's size.
std::ptrdiff_t unused_stride(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
  constexpr std::ptrdiff_t countable = detail::ptrdiff_max >> 4;  // items of up to 16 bytes
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

/// The number of dimensions of the result.
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
  const axis_span shape = source.shape();
  const axis_span strides = source.strides();
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
        if (item.step == 0) throw value_error("slice step cannot be zero");
        const detail::selected_indices range = detail::selected(item, shape[axis]);
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
