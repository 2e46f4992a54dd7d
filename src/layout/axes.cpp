#include "usmx/layout/axes.hpp"

#include <algorithm>
#include <array>
#include <bitset>

#include "usmx/base/error.hpp"

namespace usmx::inline v1 {
namespace {

/// Up to max_ndim axes counted from the front, none twice.
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

}  // namespace usmx::inline v1
