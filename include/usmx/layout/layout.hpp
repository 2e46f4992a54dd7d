// The layout of an array's elements: shape, strides and offset, which all count elements, never
// bytes. Functions here throw overflow_error for a number that does not fit std::ptrdiff_t. A
// layout knows neither memory nor an element type. This header does not need SYCL. Next:
// strided_view.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/index_item.hpp"

namespace usmx::inline v1 {

/// The largest number of dimensions. It is that of NumPy 2 and PEP 3118.
inline constexpr int max_ndim = 64;

/// A range of element offsets that includes both ends.
struct element_range {
  /// The lowest offset.
  std::ptrdiff_t first;
  /// The highest offset.
  std::ptrdiff_t last;
  /// Whether both ranges have the same ends.
  friend bool operator==(const element_range&, const element_range&) = default;
};

namespace detail {
class layout_builder;
}

/// Shape, strides and offset, as a value that can be copied.
///
/// Every layout is valid: it has at most max_ndim dimensions, no extent is negative, and size()
/// fits std::ptrdiff_t. If there are elements, the lowest and the highest offset fit
/// std::ptrdiff_t, and so does the number of offsets from one to the other. Hence every sum of
/// index * stride fits it, with and without the offset, and every part of a layout is valid. If
/// there are no elements, strides and offset may have any value.
class USMX_API layout {
 public:
  /// The largest number of dimensions for which a layout allocates no memory.
  static constexpr int inline_ndim = 6;

  /// A layout of one element: it has no dimensions, and offset 0.
  layout() noexcept {}
  /// A layout of no elements: shape (0,), stride 1 and offset 0.
  static layout without_elements() noexcept {
    layout result;
    result.ndim_ = 1;
    result.size_ = 0;
    result.inline_[0] = 0;
    result.inline_[1] = 1;
    return result;
  }
  /// Copies a layout.
  layout(const layout& other)
      : layout(other.shape(), other.strides(), other.offset_, other.size_) {}
  /// Moves a layout. `other` becomes a layout of one element, with offset 0.
  layout(layout&& other) noexcept { take(other); }
  /// Copies a layout.
  layout& operator=(const layout& other) {
    if (this != &other) *this = layout(other);
    return *this;
  }
  /// Moves a layout. `other` becomes a layout of one element, with offset 0.
  layout& operator=(layout&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  /// Frees the memory of a layout with many dimensions.
  ~layout() = default;

  /// A row-major layout without gaps, whose first element is at `offset`, in elements. Throws
  /// value_error for a negative extent or more than max_ndim of them, and overflow_error when the
  /// number of elements or the last offset does not fit std::ptrdiff_t. For the strides, an extent
  /// of 0 counts as 1, and a stride that would not fit is 0.
  static layout c_order(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t offset = 0);
  /// Takes the shape in braces: `layout::c_order({2, 3})`.
  static layout c_order(std::initializer_list<std::ptrdiff_t> shape, std::ptrdiff_t offset = 0) {
    return c_order(std::span(shape.begin(), shape.size()), offset);
  }
  /// A column-major layout without gaps, whose first element is at `offset`, in elements. Throws as
  /// c_order().
  static layout f_order(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t offset = 0);
  /// Takes the shape in braces: `layout::f_order({2, 3})`.
  static layout f_order(std::initializer_list<std::ptrdiff_t> shape, std::ptrdiff_t offset = 0) {
    return f_order(std::span(shape.begin(), shape.size()), offset);
  }
  /// A layout with these strides, in elements. They may be zero or negative. `offset` is that of
  /// the element whose indices are all 0. Throws value_error for a negative extent, for more than
  /// max_ndim of them and when the lengths differ. Throws overflow_error when the number of
  /// elements, an offset or the number of offsets between the elements does not fit std::ptrdiff_t.
  static layout strided(std::span<const std::ptrdiff_t> shape,
                        std::span<const std::ptrdiff_t> strides, std::ptrdiff_t offset = 0);
  /// Takes the numbers in braces: `layout::strided({2, 3}, {3, 1})`.
  static layout strided(std::initializer_list<std::ptrdiff_t> shape,
                        std::initializer_list<std::ptrdiff_t> strides, std::ptrdiff_t offset = 0) {
    return strided(std::span(shape.begin(), shape.size()),
                   std::span(strides.begin(), strides.size()), offset);
  }

  /// A layout with strides in bytes, for elements of `itemsize` > 0 bytes, and offset 0. Returns
  /// none when a stride is not a multiple of `itemsize`. Throws as strided().
  static std::optional<layout> strided_in_bytes(std::span<const std::ptrdiff_t> shape,
                                                std::span<const std::ptrdiff_t> strides,
                                                std::size_t itemsize);

  /// Number of dimensions.
  int ndim() const noexcept { return ndim_; }
  /// The extents. The span is valid until the layout is changed or destroyed.
  std::span<const std::ptrdiff_t> shape() const noexcept { return {entries(), axes()}; }
  /// The strides in elements. The span is valid until the layout is changed or destroyed.
  std::span<const std::ptrdiff_t> strides() const noexcept { return {entries() + ndim_, axes()}; }
  /// Offset of the element whose indices are all 0, in elements.
  std::ptrdiff_t offset() const noexcept { return offset_; }
  /// Number of elements.
  std::ptrdiff_t size() const noexcept { return size_; }

  /// The lowest and the highest offset of an element, or none if there are no elements. The number
  /// of these offsets, last - first + 1, fits std::ptrdiff_t.
  std::optional<element_range> span() const noexcept;
  /// Whether the elements lie in C order without gaps, as NumPy's flag C_CONTIGUOUS says: strides
  /// of axes of size 1 do not count, and a layout without elements is contiguous.
  bool is_c_contiguous() const noexcept;
  /// Whether the elements lie in Fortran order without gaps, as NumPy's flag F_CONTIGUOUS says: see
  /// is_c_contiguous().
  bool is_f_contiguous() const noexcept;

  /// A layout of the same shape and strides with another offset. Throws overflow_error when the
  /// offset of an element would not fit std::ptrdiff_t.
  layout with_offset(std::ptrdiff_t offset) const;
  /// Multiplies all strides and the offset by `factor`, as for elements that are split into so many
  /// parts. A stride that does not fit std::ptrdiff_t becomes 0 if no element needs it. Throws
  /// value_error unless factor > 0, and overflow_error when a stride or an offset that is needed
  /// does not fit.
  layout scaled(std::ptrdiff_t factor) const;

  /// Whether shapes, strides and offsets are equal, even those that no element needs.
  friend bool operator==(const layout& a, const layout& b) noexcept {
    return a.ndim_ == b.ndim_ && a.offset_ == b.offset_ &&
           std::memcmp(a.entries(), b.entries(), 2 * a.axes() * sizeof(std::ptrdiff_t)) == 0;
  }

 private:
  friend class detail::layout_builder;

  /// Makes room for so many axes. Their entries have no values yet.
  explicit layout(int ndim) : ndim_(ndim) {
    if (ndim_ > inline_ndim) heap_.reset(new std::ptrdiff_t[2 * axes()]);
  }
  /// Takes shape, strides and size without a check. Shape and strides have the same length.
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

  /// Moves `other` into this layout. `other` becomes what layout() makes.
  void take(layout& other) noexcept {
    ndim_ = std::exchange(other.ndim_, 0);
    offset_ = std::exchange(other.offset_, 0);
    size_ = std::exchange(other.size_, 1);
    heap_ = std::move(other.heap_);
    // Copies all entries, since a copy of a fixed size takes less time than one of the few that are
    // in use. The others have no values, which the compiler need not mention.
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

/// Writes the layout as "shape (2, 3), strides (3, 1), offset 0".
USMX_API std::ostream& operator<<(std::ostream&, const layout&);

/// The elements that `a[items]` has in NumPy. Items that are missing at the end, and an ellipsis,
/// stand for whole axes. Strides and offset are NumPy's, too: a slice without elements does not
/// change the offset, and a new axis has stride 0. A stride that would not fit std::ptrdiff_t and
/// that no element needs is 0. Throws index_error when an integer is outside of its axis, when
/// there are more items than axes, when there are two ellipses, and when the result would have more
/// than max_ndim dimensions. Throws value_error when a step is 0.
[[nodiscard]] USMX_API layout subscript(const layout&, std::span<const index_item> items);
/// The element at place `index` in C order, as a layout without dimensions. A negative index counts
/// from the end. Throws index_error when there is no such element.
[[nodiscard]] USMX_API layout element_in_c_order(const layout&, std::ptrdiff_t index);
/// Reorders the axes: axis k of the result is axis axes[k]. Throws value_error unless `axes` is a
/// permutation of 0 ... ndim - 1. permuted_axes() takes negative axes, too.
[[nodiscard]] USMX_API layout permuted(const layout&, std::span<const int> axes);
/// Reverses the order of the axes.
[[nodiscard]] USMX_API layout transposed(const layout&);
/// Repeats the elements to `shape`, as NumPy's broadcast_to does: new leading axes and axes of size
/// 1 get stride 0. Throws value_error unless the shapes are compatible, and overflow_error when the
/// number of elements does not fit std::ptrdiff_t.
[[nodiscard]] USMX_API layout broadcast(const layout&, std::span<const std::ptrdiff_t> shape);
/// Repeats values that are assigned to elements of that shape. As in NumPy, this drops leading axes
/// of size 1 if `values` has more axes than `shape`, and then repeats the values as broadcast()
/// does. Throws value_error unless the shapes are compatible, and overflow_error when the number of
/// elements does not fit std::ptrdiff_t.
USMX_API layout broadcast_assigned(const layout& values, std::span<const std::ptrdiff_t> shape);
/// The layout of the elements, taken in C order, with another shape and NumPy's strides. Returns
/// none when only a copy can have that shape. Throws value_error when the number of elements
/// differs, and for a negative extent: resolve_extent() replaces a -1.
[[nodiscard]] USMX_API std::optional<layout> reshaped(const layout&,
                                                      std::span<const std::ptrdiff_t> shape);
/// The layout of the elements with another shape, where both old and new shape count them in
/// Fortran order: the first index varies fastest. Returns none, and throws, as reshaped().
[[nodiscard]] USMX_API std::optional<layout> reshaped_f_order(
    const layout&, std::span<const std::ptrdiff_t> shape);
/// Replaces an entry -1 of `shape` by the extent that makes `size` elements. Without such an entry,
/// it does nothing. Throws value_error when another entry is negative, too, or when no extent makes
/// `size` elements.
USMX_API void resolve_extent(std::span<std::ptrdiff_t> shape, std::ptrdiff_t size);

/// A layout without gaps that has the source's shape, offset 0 and the order of the source's axes,
/// which is NumPy's order 'K'. The order is C if the source is C-contiguous, else Fortran if the
/// source is Fortran-contiguous. Otherwise the axes follow the absolute values of their strides,
/// and axes of equal strides are in C order. Throws overflow_error when the last offset does not
/// fit std::ptrdiff_t.
[[nodiscard]] USMX_API layout compact_like(const layout& source);

/// Returns a + b. Throws overflow_error when the sum does not fit std::ptrdiff_t. The message
/// begins with `what`.
USMX_API std::ptrdiff_t checked_add(std::ptrdiff_t a, std::ptrdiff_t b, const char* what);
/// Returns a * b, and throws as checked_add().
USMX_API std::ptrdiff_t checked_multiply(std::ptrdiff_t a, std::ptrdiff_t b, const char* what);

/// Writes numbers as Python prints a tuple, for messages: "(2, 3)", "(4,)" or "()".
USMX_API std::string tuple_text(std::span<const std::ptrdiff_t>);

/// A list of axes. A negative axis counts from the end.
using axis_span = std::span<const std::ptrdiff_t>;

/// Returns `axis` counted from the front. Throws axis_error when an array of `ndim` dimensions does
/// not have the axis. Its message begins with `what` if that is not null.
USMX_API int normalized_axis(std::ptrdiff_t axis, int ndim, const char* what = nullptr);

/// Reorders the axes: axis k of the result is axis axes[k]. Throws axis_error when there is no such
/// axis, and value_error unless `axes` names every axis once.
[[nodiscard]] USMX_API layout permuted_axes(const layout&, axis_span axes);
/// Moves axis source[k] to place destination[k]. The other axes keep their order. Throws axis_error
/// when there is no such axis, and value_error when the lists have different lengths or one of them
/// names an axis twice.
[[nodiscard]] USMX_API layout moved_axes(const layout&, axis_span source, axis_span destination);
/// Exchanges two axes. Throws axis_error when there is no such axis.
[[nodiscard]] USMX_API layout swapped_axes(const layout&, std::ptrdiff_t axis1,
                                           std::ptrdiff_t axis2);
/// Exchanges the last two axes. Throws value_error when there are fewer than two.
[[nodiscard]] USMX_API layout matrix_transposed(const layout&);
/// Reverses the order of the elements along all axes.
[[nodiscard]] USMX_API layout flipped(const layout&);
/// Reverses the order of the elements along these axes. Throws axis_error when there is no such
/// axis, and value_error when one is named twice.
[[nodiscard]] USMX_API layout flipped(const layout&, axis_span axes);
/// Removes all axes of size 1.
[[nodiscard]] USMX_API layout squeezed(const layout&);
/// Removes these axes. Throws axis_error when there is no such axis, and value_error when the size
/// of one is not 1 or one is named twice. As in NumPy, a layout without dimensions accepts axis 0.
[[nodiscard]] USMX_API layout squeezed(const layout&, axis_span axes);
/// Adds axes of size 1 and stride 0. `axes` are their places in the result. Throws axis_error when
/// the result has no such axis, value_error when one is named twice, and index_error when the
/// result would have more than max_ndim dimensions.
[[nodiscard]] USMX_API layout expanded(const layout&, axis_span axes);

/// An order of elements in memory. The values are the letters of NumPy's argument `order`.
enum class element_order : char {
  c = 'C',     ///< Row-major: the last index varies fastest.
  f = 'F',     ///< Column-major: the first index varies fastest.
  any = 'A',   ///< Row-major or column-major, whichever the layout in question has.
  keep = 'K',  ///< The order of the axes that the layout in question has.
};

/// Replaces `any` by the order that it means for the layout: f if the layout is contiguous in
/// Fortran order only, else c. Returns any other order as it is.
USMX_API element_order resolved(element_order, const layout&) noexcept;

/// Whether the elements lie in that order without gaps. For `any`, one of C and Fortran order is
/// enough. For `keep` the result is always true, even if there are gaps, because every order will
/// do.
USMX_API bool is_contiguous_in(const layout&, element_order) noexcept;

/// A layout of that shape without gaps: layout::f_order() for f, layout::c_order() for all other
/// values.
[[nodiscard]] USMX_API layout compact(std::span<const std::ptrdiff_t> shape, element_order,
                                      std::ptrdiff_t offset = 0);
/// A layout without gaps that has the source's shape and offset 0, in an order that may depend on
/// the source. Throws overflow_error when the last offset does not fit std::ptrdiff_t.
[[nodiscard]] USMX_API layout compact_like(const layout& source, element_order);
/// A layout of another shape without gaps, in an order that may depend on the source. For `keep`,
/// the axes have the source's order if there are as many of them, and C order otherwise. Throws as
/// compact().
[[nodiscard]] USMX_API layout compact_like(const layout& source, element_order,
                                           std::span<const std::ptrdiff_t> shape);

/// The layout of the elements with the axes in the order in which NumPy's iterators walk through
/// memory: the axis with the longest stride first. So the elements of the result follow each other
/// in C order as those of the source do in memory, but negative strides stay negative. An axis of
/// size 1 or of stride 0 has no position in memory: it keeps its own, and other axes may move past
/// it.
USMX_API layout with_axes_as_in_memory(const layout& source);

namespace detail {

/// A range of integers that knows its size. The concepts of <ranges> would say it shorter, but
/// every extension would compile that header: it is a twentieth of the time of
/// usmx/python/nanobind.hpp.
template <class Range>
concept sized_range_of_integers = requires(const Range& range) {
  { std::size(range) } -> std::convertible_to<std::size_t>;
  std::end(range);
  requires std::integral<std::iter_value_t<decltype(std::begin(range))>>;
};

}  // namespace detail

/// A shape that a function takes as a parameter. Callers pass a list in braces, a range of integers
/// such as a vector, or an integer, which is the extent of one dimension. The object refers to the
/// extents, which must outlive it. Only extents of another type than std::ptrdiff_t are copied.
class shape_argument {
 public:
  /// The extents of a list in braces.
  shape_argument(std::initializer_list<std::ptrdiff_t> extents) noexcept
      : extents_(extents.begin(), extents.size()) {}
  /// The extents of a range of integers. If they are not std::ptrdiff_t, this throws value_error
  /// for more than max_ndim of them, and overflow_error when one does not fit std::ptrdiff_t.
  template <detail::sized_range_of_integers Extents>
  shape_argument(const Extents& extents) {
    if constexpr (std::convertible_to<const Extents&, std::span<const std::ptrdiff_t>>) {
      extents_ = extents;
    } else {
      copy(extents);
    }
  }
  /// The extent of one dimension. Throws overflow_error when it does not fit std::ptrdiff_t.
  template <std::integral Extent>
  shape_argument(Extent extent) {
    const Extent extents[] = {extent};
    copy(extents);
  }
  shape_argument(const shape_argument&) = delete;
  shape_argument& operator=(const shape_argument&) = delete;

  /// The extents.
  operator std::span<const std::ptrdiff_t>() const noexcept { return extents_; }

 private:
  template <class Extents>
  void copy(const Extents& extents) {
    const std::size_t count = std::size(extents);
    if (count > copied_.size()) {
      throw value_error(
          detail::message("expected at most ", max_ndim, " dimensions, found ", count));
    }
    std::size_t k = 0;
    for (const auto extent : extents) {
      if (!std::in_range<std::ptrdiff_t>(extent)) {
        throw overflow_error(
            detail::message("extent ", extent, " of dimension ", k, " does not fit ptrdiff_t"));
      }
      copied_[k++] = static_cast<std::ptrdiff_t>(extent);
    }
    extents_ = std::span(copied_).first(count);
  }

  std::span<const std::ptrdiff_t> extents_;
  std::array<std::ptrdiff_t, max_ndim> copied_;  // without a value where nothing is copied
};

namespace detail {

/// An extent of any integer type, which braces do not narrow.
class any_extent {
 public:
  template <std::integral Integer>
  constexpr any_extent(Integer extent) : value_(static_cast<std::ptrdiff_t>(extent)) {
    if (!std::in_range<std::ptrdiff_t>(extent)) {
      throw overflow_error(message("extent ", extent, " does not fit ptrdiff_t"));
    }
  }
  constexpr operator std::ptrdiff_t() const noexcept { return value_; }

 private:
  std::ptrdiff_t value_;
};

/// The extents of N dimensions in braces: a function with such a parameter deduces N.
template <std::size_t N>
using braced_shape = const any_extent (&)[N];

/// A shape whose type says the number of dimensions: an integer, which is one extent, or a
/// std::array of integers.
template <class Shape>
inline constexpr std::size_t rank_of_shape = std::integral<Shape> ? 1 : std::size_t(-1);
template <std::integral Integer, std::size_t N>
inline constexpr std::size_t rank_of_shape<std::array<Integer, N>> = N;
template <class Shape>
concept shape_of_known_rank = rank_of_shape<Shape> != std::size_t(-1);
/// A shape whose length is known when the program runs.
template <class Shape>
concept shape_of_any_rank = !shape_of_known_rank<Shape> && sized_range_of_integers<Shape>;

/// A shape that may have N dimensions.
template <class Shape, std::size_t N>
concept shape_of_rank = rank_of_shape<Shape> == N || shape_of_any_rank<Shape>;

template <std::size_t N>
std::array<std::ptrdiff_t, N> fixed_shape(braced_shape<N> shape) {
  std::array<std::ptrdiff_t, N> result;
  for (std::size_t k = 0; k < N; ++k) result[k] = shape[k];
  return result;
}
/// Throws value_error for another number of dimensions than N.
template <std::size_t N, shape_of_rank<N> Shape>
std::array<std::ptrdiff_t, N> fixed_shape(const Shape& shape) {
  std::array<std::ptrdiff_t, N> result{};
  if constexpr (std::integral<Shape>) {
    result[0] = any_extent(shape);
  } else {
    if (std::size(shape) != N) {
      throw value_error(
          message("shape must have ", N, " dimensions, found ", std::size(shape), " extents"));
    }
    std::size_t k = 0;
    for (const auto extent : shape) result[k++] = any_extent(extent);
  }
  return result;
}

}  // namespace detail
}  // namespace usmx::inline v1
