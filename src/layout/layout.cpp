#include "layout/layout.hpp"

#include <cstdlib>
#include <numeric>
#include <ostream>
#include <vector>

#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

using detail::axis_span;
using detail::count_elements;
using detail::layout_builder;
using detail::multiply_or_zero;

namespace {

void check_shape(axis_span shape) {
  if (shape.size() > max_ndim) {
    throw value_error(detail::message("'shape' must have at most ", max_ndim, " dimensions, found ",
                                      shape.size()));
  }
  if (std::any_of(shape.begin(), shape.end(), [](std::ptrdiff_t n) { return n < 0; })) {
    throw value_error(
        detail::message("'shape' must not have negative entries, found ", tuple_text(shape)));
  }
}

std::ptrdiff_t checked_size(axis_span shape) {
  const auto size = count_elements(shape);
  if (!size) {
    throw overflow_error(detail::message("the number of elements must be at most ",
                                         detail::ptrdiff_max, ", found shape ", tuple_text(shape)));
  }
  return *size;
}

/// The span of a layout that has elements, or none if the layout would not be valid.
std::optional<element_range> checked_span(axis_span shape, axis_span strides,
                                          std::ptrdiff_t offset) noexcept {
  std::ptrdiff_t below = 0;  // sums of index * stride relative to element zero: lowest, highest
  std::ptrdiff_t above = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::ptrdiff_t reach;
    if (__builtin_mul_overflow(shape[k] - 1, strides[k], &reach)) return std::nullopt;
    std::ptrdiff_t& side = reach < 0 ? below : above;
    if (__builtin_add_overflow(side, reach, &side)) return std::nullopt;
  }
  element_range range;
  std::ptrdiff_t length;
  const bool overflow = __builtin_add_overflow(offset, below, &range.first) ||
                        __builtin_add_overflow(offset, above, &range.last) ||
                        __builtin_sub_overflow(above, below, &length) ||
                        length == detail::ptrdiff_max;
  return overflow ? std::nullopt : std::optional(range);
}

void check_span(axis_span shape, axis_span strides, std::ptrdiff_t offset) {
  if (!checked_span(shape, strides, offset)) {
    throw overflow_error(detail::message(
        "the offset of every element, and how many offsets lie between them, must fit ptrdiff_t, "
        "found shape ",
        tuple_text(shape), ", strides ", tuple_text(strides), ", offset ", offset));
  }
}

/// Checks a shape, then lays it out compactly; axis_at(k) is the axis that varies k-th fastest.
template <class AxisAt>
layout compact(axis_span shape, std::ptrdiff_t offset, AxisAt axis_at) {
  check_shape(shape);
  const std::ptrdiff_t size = checked_size(shape);
  std::array<std::ptrdiff_t, max_ndim> entries;
  std::ptrdiff_t stride = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t axis = axis_at(k);
    entries[axis] = stride;
    stride = multiply_or_zero(stride, std::max<std::ptrdiff_t>(shape[axis], 1));
  }
  const axis_span strides(entries.data(), shape.size());
  if (size > 0) check_span(shape, strides, offset);
  return layout_builder::build(shape, strides, offset, size);
}

}  // namespace

layout layout::c_order(axis_span shape, std::ptrdiff_t offset) {
  return compact(shape, offset, [&](std::size_t k) { return shape.size() - 1 - k; });
}

layout layout::f_order(axis_span shape, std::ptrdiff_t offset) {
  return compact(shape, offset, [](std::size_t k) { return k; });
}

layout layout::strided(axis_span shape, axis_span strides, std::ptrdiff_t offset) {
  check_shape(shape);
  if (strides.size() != shape.size()) {
    throw value_error(detail::message("'strides' must have ", shape.size(),
                                      shape.size() == 1 ? " entry" : " entries", " to match shape ",
                                      tuple_text(shape), ", found ", strides.size(), ": ",
                                      tuple_text(strides)));
  }
  const std::ptrdiff_t size = checked_size(shape);
  if (size > 0) check_span(shape, strides, offset);
  return layout(shape, strides, offset, size);
}

std::optional<layout> layout::strided_in_bytes(axis_span shape, axis_span strides,
                                               std::size_t itemsize) {
  const auto item = static_cast<std::ptrdiff_t>(itemsize);
  if (!std::ranges::all_of(strides, [&](std::ptrdiff_t bytes) { return bytes % item == 0; })) {
    return std::nullopt;
  }
  std::vector<std::ptrdiff_t> elements(strides.begin(), strides.end());
  for (std::ptrdiff_t& stride : elements) stride /= item;
  return strided(shape, elements);
}

std::optional<element_range> layout::span() const noexcept {
  if (size_ == 0) return std::nullopt;
  element_range range{offset_, offset_};
  for (int k = 0; k < ndim_; ++k) {
    const std::ptrdiff_t reach = (entries()[k] - 1) * entries()[ndim_ + k];
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

namespace {

/// Whether the axes, the fastest first, lie one after the other without gaps.
template <class AxisAt>
bool is_compact(const layout& source, AxisAt axis_at) noexcept {
  if (source.size() == 0) return true;
  const std::size_t ndim = source.shape().size();
  std::ptrdiff_t expected = 1;  // never more than the size
  for (std::size_t k = 0; k < ndim; ++k) {
    const std::size_t axis = axis_at(k);
    const std::ptrdiff_t n = source.shape()[axis];
    if (n == 1) continue;
    if (source.strides()[axis] != expected) return false;
    expected *= n;
  }
  return true;
}

}  // namespace

bool layout::is_c_contiguous() const noexcept {
  return is_compact(*this, [last = axes() - 1](std::size_t k) { return last - k; });
}

bool layout::is_f_contiguous() const noexcept {
  return is_compact(*this, [](std::size_t k) { return k; });
}

layout layout::with_offset(std::ptrdiff_t offset) const {
  if (size_ > 0) check_span(shape(), strides(), offset);
  return layout(shape(), strides(), offset, size_);
}

layout layout::scaled(std::ptrdiff_t factor) const {
  if (factor <= 0) {
    throw value_error(detail::message("'factor' must be greater than 0, found ", factor));
  }
  std::array<std::ptrdiff_t, max_ndim> scaled_strides;
  for (std::size_t k = 0; k < axes(); ++k) {
    const bool reaches_elements = size_ > 0 && shape()[k] > 1;
    scaled_strides[k] = reaches_elements
                            ? checked_multiply(strides()[k], factor, "stride of the scaled layout")
                            : multiply_or_zero(strides()[k], factor);
  }
  return strided(shape(), axis_span(scaled_strides.data(), axes()),
                 checked_multiply(offset_, factor, "offset of the scaled layout"));
}

std::ostream& operator<<(std::ostream& out, const layout& source) {
  return out << "shape " << tuple_text(source.shape()) << ", strides "
             << tuple_text(source.strides()) << ", offset " << source.offset();
}

namespace {

void check_permutation(std::span<const int> axes, int ndim) {
  std::array<bool, max_ndim> seen{};
  bool valid = axes.size() == static_cast<std::size_t>(ndim);
  for (std::size_t k = 0; valid && k < axes.size(); ++k) {
    valid = axes[k] >= 0 && axes[k] < ndim && !seen[static_cast<std::size_t>(axes[k])];
    if (valid) seen[static_cast<std::size_t>(axes[k])] = true;
  }
  if (!valid) {
    const std::vector<std::ptrdiff_t> found(axes.begin(), axes.end());
    throw value_error(detail::message("'axes' must name each of the ", ndim,
                                      " dimensions once, found ", tuple_text(found)));
  }
}

}  // namespace

layout permuted(const layout& source, std::span<const int> axes) {
  check_permutation(axes, source.ndim());
  layout result = layout_builder::blank(axes.size());
  layout_builder into(result);
  for (const int axis : axes) into.append(source, static_cast<std::size_t>(axis));
  into.finish(source.offset());
  return result;
}

layout transposed(const layout& source) {
  layout result = layout_builder::blank(source.shape().size());
  layout_builder into(result);
  for (std::size_t axis = source.shape().size(); axis > 0; --axis) into.append(source, axis - 1);
  into.finish(source.offset());
  return result;
}

namespace {

/// A layout of that shape, which has as many axes as the source, in the order of the source's axes.
layout compact_along(const layout& source, axis_span shape) {
  if (source.is_c_contiguous()) return layout::c_order(shape);
  if (source.is_f_contiguous()) return layout::f_order(shape);
  std::array<std::size_t, max_ndim> storage;
  const std::span<std::size_t> axes(storage.data(), shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::ranges::reverse(axes);  // the innermost first
  std::ranges::stable_sort(axes, {}, [&](std::size_t axis) {
    const std::ptrdiff_t stride = source.strides()[axis];
    return stride < 0 ? -static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
  });
  return compact(shape, 0, [&](std::size_t k) { return axes[k]; });
}

}  // namespace

layout detail::with_normal_strides(const layout& source) {
  const axis_span shape = source.shape();
  if (source.size() == 0) return layout::c_order(shape, source.offset());
  const bool is_f = source.is_f_contiguous() && !source.is_c_contiguous();
  std::array<std::ptrdiff_t, max_ndim> entries;
  std::ptrdiff_t next = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t axis = is_f ? k : shape.size() - 1 - k;
    entries[axis] = shape[axis] == 1 ? next : source.strides()[axis];
    if (shape[axis] != 1) next = multiply_or_zero(std::abs(entries[axis]), shape[axis]);
  }
  return layout_builder::build(shape, axis_span(entries.data(), shape.size()), source.offset(),
                               source.size());
}

layout compact_like(const layout& source) { return compact_along(source, source.shape()); }

layout broadcast(const layout& source, axis_span shape) {
  check_shape(shape);
  const std::size_t ndim = source.shape().size();
  const auto reject = [&] {
    throw value_error(detail::message("cannot broadcast shape ", tuple_text(source.shape()), " to ",
                                      tuple_text(shape)));
  };
  if (shape.size() < ndim) reject();
  checked_size(shape);
  layout result = layout_builder::blank(shape.size());
  layout_builder into(result);
  const std::size_t leading = shape.size() - ndim;
  for (std::size_t k = 0; k < leading; ++k) into.append(shape[k], 0);
  for (std::size_t k = 0; k < ndim; ++k) {
    const std::ptrdiff_t n = source.shape()[k];
    if (n != 1 && n != shape[leading + k]) reject();
    into.append(shape[leading + k], n == 1 ? 0 : source.strides()[k]);
  }
  into.finish(source.offset());
  return result;
}

layout broadcast_assigned(const layout& values, axis_span shape) {
  axis_span from = values.shape();
  axis_span strides = values.strides();
  while (from.size() > shape.size() && from.front() == 1) {
    from = from.subspan(1);
    strides = strides.subspan(1);
  }
  try {
    return broadcast(layout::strided(from, strides, values.offset()), shape);
  } catch (const value_error&) {
    throw value_error(detail::message("could not broadcast input array from shape ",
                                      tuple_text(values.shape()), " into shape ",
                                      tuple_text(shape)));
  }
}

namespace {

/// The axes of a layout that do not have extent 1: the others do not constrain a new shape.
struct nontrivial_axes {
  std::array<std::ptrdiff_t, max_ndim> shape;
  std::array<std::ptrdiff_t, max_ndim> strides;
  std::size_t count = 0;

  explicit nontrivial_axes(const layout& source) noexcept {
    for (std::size_t k = 0; k < source.shape().size(); ++k) {
      if (source.shape()[k] == 1) continue;
      shape[count] = source.shape()[k];
      strides[count++] = source.strides()[k];
    }
  }

  /// Whether the axes [first, end) are one axis that was split.
  bool are_mergeable(std::size_t first, std::size_t end) const noexcept {
    for (std::size_t k = first; k + 1 < end; ++k) {
      std::ptrdiff_t merged;
      // A product that does not fit is no stride of a layout that has elements.
      if (__builtin_mul_overflow(shape[k + 1], strides[k + 1], &merged)) return false;
      if (strides[k] != merged) return false;
    }
    return true;
  }
};

/// NumPy's reshape without a copy, for a layout with elements and a shape of the same size. Old and
/// new axes are divided into the smallest groups of equal size. The old axes of a group must merge
/// into one, which the new axes then split.
std::optional<layout> regrouped(const layout& source, axis_span shape) {
  const nontrivial_axes old(source);
  std::array<std::ptrdiff_t, max_ndim> strides;
  std::size_t old_end = 0;
  std::size_t new_end = 0;
  std::ptrdiff_t last_stride = 1;
  while (old_end < old.count) {
    const std::size_t old_first = old_end;
    const std::size_t new_first = new_end;
    std::ptrdiff_t old_size = old.shape[old_end++];
    std::ptrdiff_t new_size = shape[new_end++];
    while (old_size != new_size) {
      if (new_size < old_size) {
        new_size *= shape[new_end++];
      } else {
        old_size *= old.shape[old_end++];
      }
    }
    if (!old.are_mergeable(old_first, old_end)) return std::nullopt;
    last_stride = old.strides[old_end - 1];
    std::ptrdiff_t stride = last_stride;
    for (std::size_t k = new_end; k > new_first; --k) {
      strides[k - 1] = stride;
      stride = multiply_or_zero(stride, shape[k - 1]);
    }
  }
  std::fill(strides.begin() + new_end, strides.begin() + shape.size(), last_stride);
  return layout_builder::build(shape, axis_span(strides.data(), shape.size()), source.offset(),
                               source.size());
}

}  // namespace

std::optional<layout> reshaped(const layout& source, axis_span shape) {
  check_shape(shape);
  if (count_elements(shape) != source.size()) {
    throw value_error(detail::message("cannot reshape ", source.size(), " elements of shape ",
                                      tuple_text(source.shape()), " to shape ", tuple_text(shape)));
  }
  if (std::ranges::equal(source.shape(), shape)) return source;
  if (source.is_c_contiguous()) return layout::c_order(shape, source.offset());
  return regrouped(source, shape);
}

std::optional<layout> reshaped_f_order(const layout& source, axis_span shape) {
  const std::vector<std::ptrdiff_t> reversed(shape.rbegin(), shape.rend());
  const auto result = reshaped(transposed(source), reversed);
  return result ? std::optional(transposed(*result)) : std::nullopt;
}

void resolve_extent(std::span<std::ptrdiff_t> shape, std::ptrdiff_t size) {
  const auto unknown = std::find(shape.begin(), shape.end(), -1);
  if (unknown == shape.end()) return;
  const std::vector<std::ptrdiff_t> given(shape.begin(), shape.end());
  if (std::any_of(given.begin(), given.end(), [](std::ptrdiff_t n) { return n < -1; }) ||
      std::find(unknown + 1, shape.end(), -1) != shape.end()) {
    throw value_error(detail::message(
        "only one entry of 'shape' may be negative, and that -1, found ", tuple_text(given)));
  }
  *unknown = 1;
  const auto others = count_elements(shape);
  if (!others || *others == 0 || size % *others != 0) {
    throw value_error(
        detail::message("cannot reshape ", size, " elements to shape ", tuple_text(given)));
  }
  *unknown = size / *others;
}

std::ptrdiff_t checked_add(std::ptrdiff_t a, std::ptrdiff_t b, const char* what) {
  std::ptrdiff_t sum;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw overflow_error(detail::message(what, ": ", a, " + ", b, " does not fit ptrdiff_t"));
  }
  return sum;
}

std::ptrdiff_t checked_multiply(std::ptrdiff_t a, std::ptrdiff_t b, const char* what) {
  std::ptrdiff_t product;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw overflow_error(detail::message(what, ": ", a, " * ", b, " does not fit ptrdiff_t"));
  }
  return product;
}

std::string tuple_text(axis_span entries) {
  std::string out = "(";
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k > 0) out += ", ";
    out += std::to_string(entries[k]);
  }
  return out + (entries.size() == 1 ? ",)" : ")");
}

namespace {

/// Whether an axis has a position in the order of memory. One without a stride, because its
/// elements repeat or there is only one, has none.
bool has_stride(const layout& where, std::size_t axis) {
  return where.shape()[axis] != 1 && where.strides()[axis] != 0;
}

}  // namespace

element_order resolved(element_order order, const layout& source) noexcept {
  if (order != element_order::any) return order;
  const bool only_f = source.is_f_contiguous() && !source.is_c_contiguous();
  return only_f ? element_order::f : element_order::c;
}

bool is_contiguous_in(const layout& source, element_order order) noexcept {
  switch (order) {
    case element_order::c:
      return source.is_c_contiguous();
    case element_order::f:
      return source.is_f_contiguous();
    case element_order::any:
      return source.is_c_contiguous() || source.is_f_contiguous();
    case element_order::keep:
      break;
  }
  return true;
}

layout compact(std::span<const std::ptrdiff_t> shape, element_order order, std::ptrdiff_t offset) {
  return order == element_order::f ? layout::f_order(shape, offset)
                                   : layout::c_order(shape, offset);
}

layout compact_like(const layout& source, element_order order) {
  return compact_like(source, order, source.shape());
}

layout compact_like(const layout& source, element_order order,
                    std::span<const std::ptrdiff_t> shape) {
  const bool keeps = order == element_order::keep && shape.size() == source.shape().size();
  return keeps ? compact_along(source, shape) : compact(shape, resolved(order, source));
}

layout with_axes_as_in_memory(const layout& source) {
  const auto ndim = source.shape().size();
  std::array<int, max_ndim> storage;
  const std::span<int> axes(storage.data(), ndim);  // the innermost first
  for (std::size_t sorted = 0; sorted < ndim; ++sorted) {
    const std::size_t axis = ndim - 1 - sorted;
    std::size_t position = sorted;
    for (std::size_t k = sorted; k > 0; --k) {
      const auto inner = static_cast<std::size_t>(axes[k - 1]);
      if (!has_stride(source, axis) || !has_stride(source, inner)) {
        continue;
      }
      if (std::abs(source.strides()[inner]) <= std::abs(source.strides()[axis])) {
        break;
      }
      position = k - 1;
    }
    std::copy_backward(axes.begin() + static_cast<std::ptrdiff_t>(position),
                       axes.begin() + static_cast<std::ptrdiff_t>(sorted),
                       axes.begin() + static_cast<std::ptrdiff_t>(sorted) + 1);
    axes[position] = static_cast<int>(axis);
  }
  std::ranges::reverse(axes);
  return permuted(source, axes);
}

}  // namespace usmx::inline v1
