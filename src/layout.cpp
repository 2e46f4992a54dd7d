#include "usmx/layout.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <ostream>
#include <vector>

#include "usmx/error.hpp"

namespace usmx {
namespace {

using extents = std::span<const std::ptrdiff_t>;

constexpr std::ptrdiff_t ptrdiff_max = std::numeric_limits<std::ptrdiff_t>::max();

/// a * b where it fits, else 0: for strides that no element is reached by when they do not fit.
std::ptrdiff_t multiply_or_zero(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
  std::ptrdiff_t product;
  return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

void check_shape(extents shape) {
  if (shape.size() > max_ndim) {
    throw value_error(detail::message("'shape' must have at most ", max_ndim, " dimensions, found ",
                                      shape.size()));
  }
  if (std::any_of(shape.begin(), shape.end(), [](std::ptrdiff_t n) { return n < 0; })) {
    throw value_error(
        detail::message("'shape' must not have negative entries, found ", tuple_text(shape)));
  }
}

/// a * b for an axis of length 1, where it can be counted in bytes too, else 0. Consumers multiply
/// every stride by the item's size.
std::ptrdiff_t unused_stride(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
  constexpr std::ptrdiff_t countable = ptrdiff_max >> 4;  // items of up to 16 bytes
  const std::ptrdiff_t product = multiply_or_zero(a, b);
  return product >= -countable && product <= countable ? product : 0;
}

/// The product of a checked shape; none when it does not fit. Large extents beside a 0 do not
/// matter.
std::optional<std::ptrdiff_t> count_elements(extents shape) noexcept {
  std::ptrdiff_t count = 1;
  bool fits = true;
  for (const std::ptrdiff_t n : shape) {
    if (n == 0) return 0;
    fits = fits && !__builtin_mul_overflow(count, n, &count);
  }
  return fits ? std::optional(count) : std::nullopt;
}

std::ptrdiff_t checked_size(extents shape) {
  const auto size = count_elements(shape);
  if (!size) {
    throw overflow_error(detail::message("the number of elements must be at most ", ptrdiff_max,
                                         ", found shape ", tuple_text(shape)));
  }
  return *size;
}

/// The extent of a layout that has elements; none when the layout would not be valid.
std::optional<element_range> checked_extent(extents shape, extents strides,
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
  std::ptrdiff_t span;
  const bool overflow = __builtin_add_overflow(offset, below, &range.first) ||
                        __builtin_add_overflow(offset, above, &range.last) ||
                        __builtin_sub_overflow(above, below, &span) || span == ptrdiff_max;
  return overflow ? std::nullopt : std::optional(range);
}

void check_extent(extents shape, extents strides, std::ptrdiff_t offset) {
  if (!checked_extent(shape, strides, offset)) {
    throw overflow_error(detail::message(
        "the offset of every element, and how many offsets lie between them, must fit ptrdiff_t, "
        "found shape ",
        tuple_text(shape), ", strides ", tuple_text(strides), ", offset ", offset));
  }
}

}  // namespace

namespace detail {

/// The axes of a layout in the making. None of these functions checks what it is given: callers
/// have done so, or derive the axes from a valid layout in a way that keeps it valid.
class layout_builder {
 public:
  void append(std::ptrdiff_t extent, std::ptrdiff_t stride) noexcept {
    shape_[ndim_] = extent;
    strides_[ndim_++] = stride;
  }
  void append(const layout& source, std::size_t axis) noexcept {
    append(source.shape()[axis], source.strides()[axis]);
  }

  layout build(std::ptrdiff_t offset) const {
    const extents shape(shape_.data(), ndim_);
    return layout(shape, extents(strides_.data(), ndim_), offset, *count_elements(shape));
  }
  static layout build(extents shape, extents strides, std::ptrdiff_t offset, std::ptrdiff_t size) {
    return layout(shape, strides, offset, size);
  }

 private:
  std::size_t ndim_ = 0;
  // Left uninitialised: subscript is on a hot path and fills a few entries of these.
  std::array<std::ptrdiff_t, max_ndim> shape_;
  std::array<std::ptrdiff_t, max_ndim> strides_;
};

}  // namespace detail

using detail::layout_builder;

namespace {

/// Checks a shape, then lays it out compactly; axis_at(k) is the axis that varies k-th fastest.
template <class AxisAt>
layout compact(extents shape, std::ptrdiff_t offset, AxisAt axis_at) {
  check_shape(shape);
  const std::ptrdiff_t size = checked_size(shape);
  std::array<std::ptrdiff_t, max_ndim> entries;
  std::ptrdiff_t stride = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t axis = axis_at(k);
    entries[axis] = stride;
    stride = multiply_or_zero(stride, std::max<std::ptrdiff_t>(shape[axis], 1));
  }
  const extents strides(entries.data(), shape.size());
  if (size > 0) check_extent(shape, strides, offset);
  return layout_builder::build(shape, strides, offset, size);
}

}  // namespace

layout layout::c_order(extents shape, std::ptrdiff_t offset) {
  return compact(shape, offset, [&](std::size_t k) { return shape.size() - 1 - k; });
}

layout layout::f_order(extents shape, std::ptrdiff_t offset) {
  return compact(shape, offset, [](std::size_t k) { return k; });
}

layout layout::strided(extents shape, extents strides, std::ptrdiff_t offset) {
  check_shape(shape);
  if (strides.size() != shape.size()) {
    throw value_error(detail::message("'strides' must have ", shape.size(),
                                      shape.size() == 1 ? " entry" : " entries", " to match shape ",
                                      tuple_text(shape), ", found ", strides.size(), ": ",
                                      tuple_text(strides)));
  }
  const std::ptrdiff_t size = checked_size(shape);
  if (size > 0) check_extent(shape, strides, offset);
  return layout(shape, strides, offset, size);
}

std::optional<element_range> layout::extent() const noexcept {
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
  if (size_ > 0) check_extent(shape(), strides(), offset);
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
  return strided(shape(), extents(scaled_strides.data(), axes()),
                 checked_multiply(offset_, factor, "offset of the scaled layout"));
}

std::ostream& operator<<(std::ostream& out, const layout& source) {
  return out << "shape " << tuple_text(source.shape()) << ", strides "
             << tuple_text(source.strides()) << ", offset " << source.offset();
}

namespace {

/// How many items of an index do what.
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

void check_counts(const index_counts& counts, std::size_t ndim) {
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

/// The offset after `index` strides along one axis. In a layout with elements it always fits; in
/// one without, strides may be anything, and an offset that would not fit stays where it is.
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
  check_counts(counts, shape.size());

  layout_builder result;
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
          result.append(0, strides[axis]);
        } else {
          offset = moved(offset, range.start, strides[axis]);
          result.append(range.length, range.length > 1 ? multiply_or_zero(strides[axis], range.step)
                                                       : unused_stride(strides[axis], range.step));
        }
        ++axis;
        break;
      }
      case index_item::kind::ellipsis:
        for (std::size_t n = shape.size() - counts.axes; n > 0; --n) result.append(source, axis++);
        break;
      case index_item::kind::newaxis:
        result.append(1, 0);
        break;
    }
  }
  while (axis < shape.size()) result.append(source, axis++);
  return result.build(offset);
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
  layout_builder result;
  for (const int axis : axes) result.append(source, static_cast<std::size_t>(axis));
  return result.build(source.offset());
}

layout transposed(const layout& source) {
  layout_builder result;
  for (std::size_t axis = source.shape().size(); axis > 0; --axis) result.append(source, axis - 1);
  return result.build(source.offset());
}

layout compact_like(const layout& source) {
  const extents shape = source.shape();
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

layout broadcast(const layout& source, extents shape) {
  check_shape(shape);
  const std::size_t ndim = source.shape().size();
  const auto reject = [&] {
    throw value_error(detail::message("cannot broadcast shape ", tuple_text(source.shape()), " to ",
                                      tuple_text(shape)));
  };
  if (shape.size() < ndim) reject();
  checked_size(shape);
  layout_builder result;
  const std::size_t leading = shape.size() - ndim;
  for (std::size_t k = 0; k < leading; ++k) result.append(shape[k], 0);
  for (std::size_t k = 0; k < ndim; ++k) {
    const std::ptrdiff_t n = source.shape()[k];
    if (n != 1 && n != shape[leading + k]) reject();
    result.append(shape[leading + k], n == 1 ? 0 : source.strides()[k]);
  }
  return result.build(source.offset());
}

layout broadcast_assigned(const layout& values, extents shape) {
  extents from = values.shape();
  extents strides = values.strides();
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

/// NumPy's reshape without a copy, for a layout with elements and a shape of the same size: old and
/// new axes are taken in the smallest groups of equal size; the old ones of a group must merge into
/// one, which the new ones then split.
std::optional<layout> regrouped(const layout& source, extents shape) {
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
  return layout_builder::build(shape, extents(strides.data(), shape.size()), source.offset(),
                               source.size());
}

}  // namespace

std::optional<layout> reshaped(const layout& source, extents shape) {
  check_shape(shape);
  if (count_elements(shape) != source.size()) {
    throw value_error(detail::message("cannot reshape ", source.size(), " elements of shape ",
                                      tuple_text(source.shape()), " to shape ", tuple_text(shape)));
  }
  if (std::ranges::equal(source.shape(), shape)) return source;
  if (source.is_c_contiguous()) return layout::c_order(shape, source.offset());
  return regrouped(source, shape);
}

std::optional<layout> reshaped_f_order(const layout& source, extents shape) {
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

std::string tuple_text(extents entries) {
  std::string out = "(";
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k > 0) out += ", ";
    out += std::to_string(entries[k]);
  }
  return out + (entries.size() == 1 ? ",)" : ")");
}

}  // namespace usmx
