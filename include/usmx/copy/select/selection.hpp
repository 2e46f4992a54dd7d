// What `a[key]` addresses when arrays of integers or masks are among the items of the key, by
// NumPy's rules, and where the true elements of a mask are. Reading and writing what is selected:
// gather.hpp. Keys without arrays need none of this: subscript in layout.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

namespace detail {
class staging;
}

/// How many elements are not zero (true, for a mask). Throws type_error for structured elements.
/// Work pending on the memory must have finished.
USMX_API std::ptrdiff_t count_nonzero(const array_view&);

/// Writes the index of each element that is not zero, in C order: its index in dimension k to
/// coordinates[k], one int64 array of one dimension for each dimension. The caller has counted: of
/// more than fit the first ones are written. Waits. Throws value_error when the number of arrays,
/// their type or their shapes are others, read_only_error, type_error for structured elements.
USMX_API void nonzero(const array_view&, std::span<const array_view> coordinates);

/// One item of a key: a basic one, an array of integers, which selects along one axis, or a mask
/// (an array of bools), which selects along as many axes as it has dimensions.
using key_item = std::variant<index_item, array_view>;

/// An array of integers that selects along one dimension.
struct axis_index {
  /// As the user counts, for messages.
  int axis;
  /// Of the selection's basic().
  int dimension;
  /// How many there are to select from.
  std::ptrdiff_t extent;
  /// The integers, in memory that the host may touch; `where` repeats them to the common shape.
  const std::byte* values;
  type_code type;
  layout where;
};

/// The part of an array that a key with arrays in it addresses. The arrays' memory must live, and
/// stay as it is, as long as the selection; masks and what the host cannot touch have been copied.
class USMX_API selection {
 public:
  /// Work pending on the key's arrays must have finished. Throws index_error as subscript does, for
  /// an array that holds neither integers nor bools, a mask of another shape than the axes that it
  /// selects along, and arrays of shapes that cannot be broadcast together. Whether the integers
  /// lie inside their axes is asked later: by check, or when they are used.
  static selection of(const layout& where, std::span<const key_item> key);

  /// What the basic items leave; the dimensions of indices() are still whole.
  const layout& basic() const noexcept { return basic_; }
  std::span<const axis_index> indices() const noexcept { return indices_; }
  /// What the arrays' shapes are together.
  std::span<const std::ptrdiff_t> common_shape() const noexcept { return common_shape_; }
  /// Where the common shape is in shape(): NumPy puts it in the place of the arrays when they, and
  /// integers, are neighbours in the key, else to the front.
  int position() const noexcept { return position_; }
  /// Of what is selected.
  std::span<const std::ptrdiff_t> shape() const noexcept { return shape_; }

  /// Throws index_error naming index, axis and size when an integer is outside of its axis, unless
  /// (as in NumPy) the common shape has no elements. Negative ones count from the end.
  void check() const;

  /// Copies those arrays of integers that overlap the memory of `written`, so that writing there
  /// does not change them.
  void keep_from(const array_view& written);

 private:
  explicit selection(layout basic) : basic_(std::move(basic)) {}
  void add(int axis, int dimension, std::ptrdiff_t extent, const array_view& values);
  void add_mask(int axis, int dimension, const layout& where, const array_view& mask);
  const array_view& keep(detail::staging&&);
  void broadcast_indices();
  void find_shape();

  layout basic_;
  std::vector<axis_index> indices_;
  std::vector<std::ptrdiff_t> common_shape_;
  std::vector<std::ptrdiff_t> shape_;
  int position_ = 0;
  // What the indices point to that is not the user's.
  std::vector<std::shared_ptr<const detail::staging>> kept_;
};

}  // namespace usmx::inline v1
