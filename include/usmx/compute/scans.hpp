// Cumulative sums and products: the results so far, along an axis. Those of Python's usmx.
//
//   const usmx::array y = usmx::cumulative_sum(x, {.axis = 0});
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// The options of a cumulative sum or product.
struct cumulative_options {
  /// The axis; a negative one counts from the end. None is for one dimension, and for none.
  std::optional<std::ptrdiff_t> axis = {};
  /// The type in which it computes. By default that of the elements; for bool and integers it is
  /// int64, or uint64 for unsigned ones. It is that of `out` only if that is wider.
  std::optional<dtype> type = {};
  /// Whether the result begins with the sum or product of nothing, and so is longer by one.
  bool include_initial = false;
  /// An array for the result, of its shape, to whose type it can be cast without a change of kind;
  /// integers of either sign wrap around.
  std::optional<array> out = {};
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// Adds up the elements before each one and itself. The result is new, on the queue of `x` and of
/// its kind, or `out`. Sums of float32 and complex64 are rounded once, on devices that have
/// float64. Waits for memory that others may work on, and for the compiler at the first call for a
/// type. Throws value_error without an axis for several dimensions, and for an `out` of another
/// shape or queue; axis_error for an axis that there is not; type_error for structured elements,
/// and for types that the elements or the result cannot be cast to without a change of kind;
/// read_only_error.
USMX_API array cumulative_sum(const array& x, const cumulative_options& how = {});
/// Adds up along this axis: `cumulative_sum(x, 0)`.
template <std::integral Axis>
  requires(!std::same_as<Axis, bool>)
array cumulative_sum(const array& x, Axis axis) {
  return cumulative_sum(x, cumulative_options{.axis = static_cast<std::ptrdiff_t>(axis)});
}
/// @cond
template <class Nothing = void>
array cumulative_sum(const array& x, const detail::axis_spellings&) {
  static_assert(detail::never<Nothing>, "the axis is {.axis = 1}, or just 1");
  return x;
}
/// @endcond
/// Multiplies them. Throws as cumulative_sum() does.
USMX_API array cumulative_prod(const array& x, const cumulative_options& how = {});
/// Multiplies along this axis: `cumulative_prod(x, 0)`.
template <std::integral Axis>
  requires(!std::same_as<Axis, bool>)
array cumulative_prod(const array& x, Axis axis) {
  return cumulative_prod(x, cumulative_options{.axis = static_cast<std::ptrdiff_t>(axis)});
}
/// @cond
template <class Nothing = void>
array cumulative_prod(const array& x, const detail::axis_spellings&) {
  static_assert(detail::never<Nothing>, "the axis is {.axis = 1}, or just 1");
  return x;
}
/// @endcond

}  // namespace usmx::inline v1
