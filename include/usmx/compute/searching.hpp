// Searching: where values would stand in a sorted array, which elements an array has and where they
// are, and elements at indices. Python's functions of usmx. What is where an element is not zero,
// nonzero(), is in copy/select/selection.hpp.
//
//   const usmx::array positions = usmx::searchsorted(usmx::sort(x), values);
//   const usmx::array kinds = usmx::unique_values(x);
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {

/// A side of the elements that equal a value.
enum class search_side : std::uint8_t {
  left,   ///< Before all of them.
  right,  ///< After all of them.
};

/// The options of searching in a sorted array.
struct search_options {
  /// The side of equal elements on which a value would stand.
  search_side side = search_side::left;
  /// Indices that sort the array, where that is not sorted. Negative ones count from the end.
  std::optional<array> sorter = {};
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// Finds where values would have to be inserted into a sorted array of one dimension: a new array
/// of int64, of the shape of `values`, which are an array or a number. Integers of any two types
/// are compared exactly, and other types are promoted. NaN is greater than all numbers. Waits for
/// memory that others may work on, for the compiler at the first call for types, and for the work
/// on a sorter. Throws value_error if `sorted` has other dimensions, or the sorter another shape,
/// and for another side; type_error for structured elements, and for a sorter of other numbers than
/// integers; index_error for an index outside of the array; placement_error.
[[nodiscard]] USMX_API array searchsorted(const array& sorted, const kernel_argument& values,
                                          const search_options& how = {});

/// The options of isin().
struct membership_options {
  /// Whether the result says that there is no equal element.
  bool invert = false;
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// Says for each of the values, an array or a number, whether an array has an equal element: a new
/// array of bool, of the shape of `values`. A NaN equals nothing. Waits as sort() does. Throws
/// type_error for structured elements; placement_error.
[[nodiscard]] USMX_API array isin(const kernel_argument& values, const array& searched,
                                  const membership_options& how = {});

/// The different elements of an array, and what is known of them.
struct unique_all_result {
  /// The different elements, sorted. Each NaN is a value of its own.
  array values;
  /// The index of the first one of each in C order: int64.
  array indices;
  /// The index in `values` of each element, in the shape of the array: int64.
  array inverse_indices;
  /// How often each occurs: int64.
  array counts;
};
/// The different elements of an array, and how often each occurs.
struct unique_counts_result {
  /// The different elements, sorted. Each NaN is a value of its own.
  array values;
  /// How often each occurs: int64.
  array counts;
};
/// The different elements of an array, and which of them each element is.
struct unique_inverse_result {
  /// The different elements, sorted. Each NaN is a value of its own.
  array values;
  /// The index in `values` of each element, in the shape of the array: int64.
  array inverse_indices;
};

/// The options of finding different elements.
struct unique_options {
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// Finds the different elements, sorted, in a new array on the queue of `x` and of its kind. Waits.
/// Throws type_error for structured elements.
[[nodiscard]] USMX_API array unique_values(const array& x, const unique_options& how = {});
/// Finds the different elements, and how often each occurs. Waits and throws as unique_values().
[[nodiscard]] USMX_API unique_counts_result unique_counts(const array& x,
                                                          const unique_options& how = {});
/// Finds the different elements, and which of them each element is. Waits and throws as
/// unique_values().
[[nodiscard]] USMX_API unique_inverse_result unique_inverse(const array& x,
                                                            const unique_options& how = {});
/// Finds the different elements, where each is, and how often. Waits and throws as unique_values().
[[nodiscard]] USMX_API unique_all_result unique_all(const array& x, const unique_options& how = {});

/// Selects the elements at indices along an axis, whose position in the result the axes of
/// `indices` take. Without an axis, the elements are in one dimension, in C order. Negative indices
/// count from the end, true is 1 and false 0. The result is new, on the queue of `x` and of its
/// kind. Waits. Throws index_error for an index outside of the axis, and for other indices than
/// integers; axis_error; placement_error.
[[nodiscard]] USMX_API array take(const array& x, const array& indices,
                                  std::optional<std::ptrdiff_t> axis = {});
/// Selects elements along an axis, at indices for each position on the other axes, whose extents
/// are broadcast together. Waits and throws as take(), and value_error for other dimensions than
/// those of `x`. A new C-contiguous array.
[[nodiscard]] USMX_API array take_along_axis(const array& x, const array& indices,
                                             std::ptrdiff_t axis = -1);
/// Finds the positions in C order of the elements that are not zero: a new array of int64, of one
/// dimension. Waits and throws as nonzero() does.
[[nodiscard]] USMX_API array flatnonzero(const array& x);
/// Finds the indices of the elements that are not zero: a new array of int64, with a row for each
/// element and a column for each dimension. Waits and throws as nonzero() does.
[[nodiscard]] USMX_API array argwhere(const array& x);

}  // namespace usmx::inline v1
