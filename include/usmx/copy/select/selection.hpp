// Selections: what `a[key]` addresses when arrays of integers or masks are among the items of the
// key, by NumPy's rules; where the elements of a mask that are true lie; and reading and writing
// the selected elements. For keys without arrays `subscript` in layout/layout.hpp is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

namespace internal {
class staging;
}
class selection;
namespace detail {
class mask_scan;
/// The mask that is the whole key and is not turned into arrays of integers yet; null for any other
/// key. Private to the library.
mask_scan* only_mask(const selection&);
}  // namespace detail

/// Counts the elements that are not zero, which are the true ones of a mask. Waits for the work
/// before it, as `copy` does. Throws type_error when the elements are of a structured type,
/// value_error when the array has no memory.
USMX_API std::ptrdiff_t count_nonzero(const array&);

/// Writes the index of each element that is not zero, in C order, and waits, as `copy` does: its
/// index in dimension k goes to coordinates[k]. There is one array for each dimension; all are
/// int64, of one dimension and of one size, which the caller got from count_nonzero. If more
/// elements are not zero, only the first ones are written. Throws value_error when the number, the
/// types or the shapes of the arrays are others or one has no memory, read_only_error when one of
/// them is read-only, type_error when the elements are of a structured type.
USMX_API void nonzero(const array&, std::span<const array> coordinates);
/// Gives the index of each element that is not zero in new arrays, one for each dimension, on the
/// array's queue and of its kind of memory. Waits. Takes one pass less over the elements than
/// count_nonzero() and nonzero() where they are in device memory. Throws allocation_error when
/// there is no such memory.
[[nodiscard]] USMX_API std::vector<array> nonzero(const array&);

/// The integers 0, 1, 2, ... of an axis, which select along it: an array of `ndim` dimensions, all
/// of extent 1 but one, which has the axis' extent. NumPy's ogrid makes such arrays; this one needs
/// no memory.
struct each_index {
  /// The dimension that has the axis' extent.
  int dimension;
  /// How many dimensions there are.
  int ndim;
};

/// An item of a key: a basic item, an array of integers, which selects along one axis, or a mask
/// (an array of bools), which selects along as many axes as it has dimensions. A view stands for
/// integers or a mask in ordinary host memory.
using key_item = std::variant<index_item, array, array_view, each_index>;

/// An array of integers that selects along one axis. A mask makes one for each of its dimensions.
struct axis_index {
  /// The axis, counted as the user does: for messages.
  int axis;
  /// The dimension of selection::basic() that the integers count along.
  int dimension;
  /// The extent of the axis, which the integers select from.
  std::ptrdiff_t extent;
  /// The integers, repeated to the common shape, where the key's array has them or in a copy.
  array_view elements;
  /// Whether the index is an each_index, whose elements have no memory.
  bool is_each = false;
};

/// The part of an array that a key with arrays in it addresses, by NumPy's rules. The elements of
/// the key's arrays must stay as they are as long as the selection lives, and the memory of its
/// views must live as long. Masks have become arrays of integers. Of a key that is one mask, and
/// nothing else, the first question for its elements or their number may do that, and wait: two
/// threads must not ask one selection at once.
class USMX_API selection {
 public:
  /// Makes the selection of a key for arrays of layout `where`. Waits for the work before reading
  /// the key's arrays, as `copy` does. Throws value_error when one of the views is of USM, when
  /// there is an each_index and no array, or for a step of 0; index_error when an array holds
  /// neither integers nor bools, when a mask has another shape than the axes that it selects along,
  /// when the shapes of the arrays cannot be broadcast together, when an integer among the basic
  /// items is outside of its axis, when there are too many items or when there are two ellipses.
  /// Whether the integers of arrays lie inside their axes is checked later: by check(), or when
  /// they are used.
  static selection of(const layout& where, std::span<const key_item> key);

  /// The layout that the basic items of the key leave. The dimensions that arrays select along are
  /// still whole.
  const layout& basic() const noexcept { return basic_; }
  /// The arrays of integers, those that masks make included.
  std::span<const axis_index> indices() const;
  /// The shape that all arrays of the key are broadcast to.
  std::span<const std::ptrdiff_t> common_shape() const;
  /// The first dimension of shape() that belongs to the common shape. NumPy puts the common shape
  /// in the place of the arrays if arrays and integers are neighbours in the key, else to the
  /// front.
  int position() const noexcept { return position_; }
  /// The shape of the selected elements.
  std::span<const std::ptrdiff_t> shape() const;

  /// Whether no element can be selected twice, as by one mask.
  bool is_unique() const noexcept { return unique_; }

  /// Throws index_error, which names index, axis and size, when an integer of an array is outside
  /// of its axis. Negative integers count from the end of the axis. Without elements in the common
  /// shape nothing is checked, as in NumPy.
  void check() const;

  /// Whether the host may touch the memory of all integers.
  bool is_on_host() const;
  /// A selection of the same elements with all integers in memory that the host may touch. Waits
  /// for copies.
  selection on_host() const;

  /// Copies the arrays of integers that overlap the memory of `written`, so that writing there does
  /// not change them.
  void keep_from(const array_view& written);

 private:
  explicit selection(layout basic) : basic_(std::move(basic)) {}
  void add(int axis, int dimension, std::ptrdiff_t extent, const array_view& values);
  void add_mask(int axis, int dimension, const layout& where, const array_view& mask);
  void add_each(int axis, int dimension, std::ptrdiff_t extent, const each_index&,
                const sycl::queue&);
  friend detail::mask_scan* detail::only_mask(const selection&);
  void count_only_mask() const;
  void write_only_mask() const;
  const array_view& keep(internal::staging&&) const;
  array_view keep(const array&) const;
  void broadcast_indices();
  void find_shape();

  layout basic_;
  std::shared_ptr<detail::mask_scan> only_mask_;
  // Empty until somebody asks for them where there is only a mask.
  mutable std::vector<axis_index> indices_;
  mutable std::vector<std::ptrdiff_t> common_shape_;
  mutable std::vector<std::ptrdiff_t> shape_;
  int position_ = 0;
  bool unique_ = false;
  // The memory that indices_ point to: copies, and the memory of the key's arrays.
  mutable std::vector<std::shared_ptr<const internal::staging>> kept_;
  mutable std::vector<std::shared_ptr<const buffer>> memory_;
};

/// Copies the selected elements of `source` to `destination`, and waits, as `copy` does. The
/// selection was made for the layout of `source`. `destination` overlaps neither `source` nor the
/// selection's arrays. Throws value_error when `destination` has another shape than the selection
/// or another element type than `source`, or when an array has no memory; read_only_error when it
/// is read-only, index_error when an integer is outside of its axis; then part of `destination` may
/// have been written.
///
/// Memory that the host may not touch is copied to compact host memory first: all of `source` that
/// the basic items of the key leave, and the result.
USMX_API void gather(const array& source, const selection&, const array& destination);

/// Sets the selected elements of `destination` to `values`, and waits, as `copy` does. The
/// selection was made for the layout of `destination`. The shape of `values` is broadcast to the
/// selection's; leading dimensions of 1 do not count. If the selection names an element several
/// times, the last value in C order stays. `values` and the selection's arrays may overlap
/// `destination`. Throws value_error when the shapes do not fit, `values` is of another element
/// type or an array has no memory; index_error when an integer is outside of its axis,
/// read_only_error when `destination` is read-only; nothing is written then.
///
/// Memory that the host may not touch is fetched, changed and written back: elements that others
/// change meanwhile get their old values again.
USMX_API void scatter(const array& values, selection, const array& destination);
/// Sets the selected elements of `destination` to values in ordinary host memory, and waits. Throws
/// as for an array of values, and value_error when `values` is a view of USM.
USMX_API void scatter(const array_view& values, selection, const array& destination);

}  // namespace usmx::inline v1
