// Where the elements of an array lie: shape, strides and offset, all counted in elements, never in
// bytes, and the arithmetic on them. Nothing here wraps around: what ptrdiff_t cannot hold throws
// overflow_error. A layout knows no memory and no element type. No SYCL here. Next:
// strided_view.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// As NumPy 2 and PEP 3118 have it.
inline constexpr int max_ndim = 64;

/// A closed range of element offsets.
struct element_range {
  std::ptrdiff_t first;
  std::ptrdiff_t last;
  friend bool operator==(const element_range&, const element_range&) = default;
};

/// One item of a basic index `a[i, j:k:s, ..., None]`.
struct index_item {
  enum class kind { integer, slice, ellipsis, newaxis };
  /// Stands for a bound of a slice that was left out. As a bound it cannot be written: none + 1
  /// means the same on every axis. (As a step it is the number that it is.)
  static constexpr std::ptrdiff_t none = PTRDIFF_MIN;

  kind what;
  std::ptrdiff_t start = none;  // the integer, or the slice's start
  std::ptrdiff_t stop = none;
  std::ptrdiff_t step = 1;  // never 0 (checked by subscript)

  static constexpr index_item integer(std::ptrdiff_t i) noexcept { return {kind::integer, i}; }
  static constexpr index_item slice(std::ptrdiff_t start, std::ptrdiff_t stop,
                                    std::ptrdiff_t step) noexcept {
    return {kind::slice, start, stop, step};
  }
  static constexpr index_item ellipsis() noexcept { return {kind::ellipsis}; }
  static constexpr index_item newaxis() noexcept { return {kind::newaxis}; }
};

/// `start:stop:step`; `range()` is `:`.
constexpr index_item range(std::ptrdiff_t start = index_item::none,
                           std::ptrdiff_t stop = index_item::none,
                           std::ptrdiff_t step = 1) noexcept {
  return index_item::slice(start, stop, step);
}

namespace detail {
class layout_builder;
}

/// Shape, strides and offset. A copyable value; up to `inline_ndim` dimensions it needs no heap.
///
/// A layout that exists is valid: there are at most max_ndim dimensions, no extent is negative, and
/// size() fits ptrdiff_t. Where there are elements, so do the offsets of the lowest and the highest
/// one and the number of offsets from one to the other; hence every sum of index * stride does,
/// with or without the offset, and whatever is cut out of a valid layout is valid. Where there are
/// none, strides and offset may be anything.
class USMX_API layout {
 public:
  static constexpr int inline_ndim = 6;

  /// 0-d, offset 0: one element.
  layout() noexcept {}
  /// Shape (0,), stride 1, offset 0.
  static layout without_elements() noexcept {
    layout result;
    result.ndim_ = 1;
    result.size_ = 0;
    result.inline_[0] = 0;
    result.inline_[1] = 1;
    return result;
  }
  layout(const layout& other)
      : layout(other.shape(), other.strides(), other.offset_, other.size_) {}
  /// What was moved from becomes the layout of layout().
  layout(layout&& other) noexcept { take(other); }
  layout& operator=(const layout& other) {
    if (this != &other) *this = layout(other);
    return *this;
  }
  layout& operator=(layout&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~layout() = default;

  /// Row-major compact. Throws value_error on a negative extent or more than max_ndim of them,
  /// overflow_error when the number of elements, or the last offset, does not fit ptrdiff_t.
  /// Where an extent is 0, strides are made as if it were 1, and those that would not fit are 0.
  static layout c_order(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t offset = 0);
  /// Column-major compact. Otherwise as c_order.
  static layout f_order(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t offset = 0);
  /// Any strides, zero and negative ones included. Throws value_error as c_order and when the
  /// lengths differ, overflow_error when the size or the extent cannot be represented.
  static layout strided(std::span<const std::ptrdiff_t> shape,
                        std::span<const std::ptrdiff_t> strides, std::ptrdiff_t offset = 0);

  /// Strides counted in bytes, of elements of `itemsize` > 0 bytes; none unless each is a whole
  /// number of elements. Otherwise as strided.
  static std::optional<layout> strided_in_bytes(std::span<const std::ptrdiff_t> shape,
                                                std::span<const std::ptrdiff_t> strides,
                                                std::size_t itemsize);

  int ndim() const noexcept { return ndim_; }
  std::span<const std::ptrdiff_t> shape() const noexcept { return {entries(), axes()}; }
  std::span<const std::ptrdiff_t> strides() const noexcept { return {entries() + ndim_, axes()}; }
  /// Of the element with index 0 in every dimension.
  std::ptrdiff_t offset() const noexcept { return offset_; }
  /// Number of elements.
  std::ptrdiff_t size() const noexcept { return size_; }

  /// The offsets of the lowest and the highest element; none when there are no elements. How many
  /// offsets that is, last - first + 1, fits ptrdiff_t.
  std::optional<element_range> extent() const noexcept;
  /// As NumPy's flags: dimensions of 1 do not count, an empty array is contiguous both ways.
  bool is_c_contiguous() const noexcept;
  bool is_f_contiguous() const noexcept;

  /// The same shape and strides from another offset. Throws overflow_error.
  layout with_offset(std::ptrdiff_t offset) const;
  /// Every stride and the offset times `factor`, as when an element is split into parts. A stride
  /// that no element is reached by, and that would not fit, becomes 0. Throws value_error unless
  /// factor > 0, overflow_error.
  layout scaled(std::ptrdiff_t factor) const;

  /// Shape, strides and offset are equal number by number, also where no element is reached by
  /// them.
  friend bool operator==(const layout& a, const layout& b) noexcept {
    return a.ndim_ == b.ndim_ && a.offset_ == b.offset_ &&
           std::equal(a.entries(), a.entries() + 2 * a.axes(), b.entries());
  }

 private:
  friend class detail::layout_builder;

  /// Room for so many axes, whose entries are still to be written.
  explicit layout(int ndim) : ndim_(ndim) {
    if (ndim_ > inline_ndim) heap_.reset(new std::ptrdiff_t[2 * axes()]);
  }
  /// Takes checked parts as they are: shape and strides have the same length, size is theirs.
  layout(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
         std::ptrdiff_t offset, std::ptrdiff_t size)
      : layout(static_cast<int>(shape.size())) {
    offset_ = offset;
    size_ = size;
    std::ptrdiff_t* const to = mutable_entries();
    for (std::size_t k = 0; k < axes(); ++k) {
      to[k] = shape[k];
      to[axes() + k] = strides[k];
    }
  }

  std::size_t axes() const noexcept { return static_cast<std::size_t>(ndim_); }
  const std::ptrdiff_t* entries() const noexcept { return heap_ ? heap_.get() : inline_; }
  std::ptrdiff_t* mutable_entries() noexcept { return heap_ ? heap_.get() : inline_; }

  /// Moves `other` into this and leaves layout() behind.
  void take(layout& other) noexcept {
    ndim_ = std::exchange(other.ndim_, 0);
    offset_ = std::exchange(other.offset_, 0);
    size_ = std::exchange(other.size_, 1);
    heap_ = std::move(other.heap_);
    // All of it: a copy of a fixed size takes less time than one of the few entries in use. What is
    // not in use has no value, which the compiler need not mention.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
    std::memcpy(inline_, other.inline_, sizeof inline_);
#pragma GCC diagnostic pop
  }

  int ndim_ = 0;
  std::ptrdiff_t offset_ = 0;
  std::ptrdiff_t size_ = 1;
  // The ndim_ entries of the shape, then those of the strides: in heap_ when it is set, else in
  // inline_, whose other entries stay uninitialised.
  std::unique_ptr<std::ptrdiff_t[]> heap_;
  std::ptrdiff_t inline_[2 * inline_ndim];
};

/// "shape (2, 3), strides (3, 1), offset 0"
USMX_API std::ostream& operator<<(std::ostream&, const layout&);

/// What `a[items]` addresses in Python. Missing trailing items and one ellipsis stand for whole
/// dimensions. Throws index_error when an integer is outside its axis (naming index, axis and
/// size), when items are too many for the layout or the result has more than max_ndim dimensions,
/// and on a second ellipsis; value_error on a step of 0. Strides and offsets are those that NumPy
/// shows: a slice without elements moves nothing, a new axis has stride 0. Strides that no element
/// is reached by, and that would not fit, are 0.
USMX_API layout subscript(const layout&, std::span<const index_item> items);
/// The one element that stands at `index` in C order, which counts from the end when it is
/// negative. Throws index_error naming index and size.
USMX_API layout element_in_c_order(const layout&, std::ptrdiff_t index);
/// Dimension k of the result is dimension axes[k]. Throws value_error unless axes is a permutation
/// of 0 ... ndim - 1.
USMX_API layout permuted(const layout&, std::span<const int> axes);
/// All dimensions in reverse order.
USMX_API layout transposed(const layout&);
/// The layout repeated to `shape`: new leading dimensions and those of size 1 get stride 0. Throws
/// value_error unless the shapes are compatible, overflow_error.
USMX_API layout broadcast(const layout&, std::span<const std::ptrdiff_t> shape);
/// The same for values that are assigned to elements of that shape: leading dimensions of 1 that
/// there are too many of are dropped, as NumPy does.
USMX_API layout broadcast_assigned(const layout& values, std::span<const std::ptrdiff_t> shape);
/// The same elements in C order under another shape, with the strides that NumPy gives; none when
/// only a copy could have it. Throws value_error when the sizes differ. No -1 here: see
/// resolve_extent.
USMX_API std::optional<layout> reshaped(const layout&, std::span<const std::ptrdiff_t> shape);
/// The same with the elements taken and laid out in Fortran order: the first index varies fastest.
USMX_API std::optional<layout> reshaped_f_order(const layout&,
                                                std::span<const std::ptrdiff_t> shape);
/// Puts the extent that makes `size` elements in the place of a -1. Throws value_error when there
/// are several, another entry is negative, or no extent does.
USMX_API void resolve_extent(std::span<std::ptrdiff_t> shape, std::ptrdiff_t size);

/// The compact layout of the same shape whose axes have the order of the source's: NumPy's order
/// 'K'. C order if the source is C-contiguous, else Fortran order if it is that, else the axes lie
/// as their strides' absolute values say, and equal ones as in C. Offset 0, no stride negative.
/// Throws overflow_error.
USMX_API layout compact_like(const layout& source);

/// a + b and a * b, or overflow_error: "<what>: <a> + <b> does not fit ptrdiff_t".
USMX_API std::ptrdiff_t checked_add(std::ptrdiff_t a, std::ptrdiff_t b, const char* what);
USMX_API std::ptrdiff_t checked_multiply(std::ptrdiff_t a, std::ptrdiff_t b, const char* what);

/// "(2, 3)", "(4,)", "()", as Python prints a tuple: for messages.
USMX_API std::string tuple_text(std::span<const std::ptrdiff_t>);

}  // namespace usmx::inline v1
