// Sorting along an axis: Python's functions of usmx. NaN is greater than all numbers, and equal
// elements keep their order.
//
//   const usmx::array y = usmx::sort(x, {.axis = 0, .descending = true});
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/spellings.hpp"

namespace usmx::inline v1 {

/// The options of sorting.
struct sort_options {
  /// The axis; a negative one counts from the end. None: all elements in C order, in one dimension.
  std::optional<std::ptrdiff_t> axis = -1;
  /// Whether the greatest element comes first.
  bool descending = false;
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// Sorts the elements along an axis, in a new array on the queue of `x` and of its kind. Waits for
/// memory that others may work on, and for the compiler at the first call for a type. Throws
/// axis_error for an axis that there is not, type_error for structured elements.
[[nodiscard]] USMX_API array sort(const array& x, const sort_options& how = {});
/// Sorts along this axis: `sort(x, 0)`.
template <std::integral Axis>
  requires(!std::same_as<Axis, bool>)
[[nodiscard]] array sort(const array& x, Axis axis) {
  return sort(x, sort_options{.axis = static_cast<std::ptrdiff_t>(axis)});
}
/// @cond
template <class Nothing = void>
array sort(const array& x, const detail::axis_spellings&) {
  static_assert(detail::never<Nothing>, "the axis is {.axis = 1}, or just 1");
  return x;
}
/// @endcond
/// Finds the indices that sort the elements along an axis: a new array of int64. One without
/// dimensions has an axis here. Waits and throws as sort() does.
[[nodiscard]] USMX_API array argsort(const array& x, const sort_options& how = {});
/// Finds the indices that sort along this axis: `argsort(x, 0)`.
template <std::integral Axis>
  requires(!std::same_as<Axis, bool>)
[[nodiscard]] array argsort(const array& x, Axis axis) {
  return argsort(x, sort_options{.axis = static_cast<std::ptrdiff_t>(axis)});
}
/// @cond
template <class Nothing = void>
array argsort(const array& x, const detail::axis_spellings&) {
  static_assert(detail::never<Nothing>, "the axis is {.axis = 1}, or just 1");
  return x;
}
/// @endcond
/// Puts elements along an axis where sorting puts them: those at the indices `kth`, of which
/// negative ones count from the end, have nothing greater before them and nothing less after them.
/// A new array, in which all elements are sorted. Waits and throws as sort() does, and throws
/// value_error for an index outside of the axis.
[[nodiscard]] USMX_API array partition(const array& x, const std::vector<std::ptrdiff_t>& kth,
                                       const sort_options& how = {});
/// Puts one element where sorting puts it: `partition(x, 3)`.
[[nodiscard]] inline array partition(const array& x, std::ptrdiff_t kth,
                                     const sort_options& how = {}) {
  return partition(x, std::vector{kth}, how);
}
/// Finds the indices that partition the elements along an axis: a new array of int64. One without
/// dimensions has an axis here. Waits and throws as partition() does.
[[nodiscard]] USMX_API array argpartition(const array& x, const std::vector<std::ptrdiff_t>& kth,
                                          const sort_options& how = {});
/// Finds the indices that put one element where sorting puts it.
[[nodiscard]] inline array argpartition(const array& x, std::ptrdiff_t kth,
                                        const sort_options& how = {}) {
  return argpartition(x, std::vector{kth}, how);
}

}  // namespace usmx::inline v1
