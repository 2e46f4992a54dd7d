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

}  // namespace usmx::inline v1
