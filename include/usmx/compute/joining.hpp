// New arrays of the elements of others, joined, repeated or moved: Python's functions of usmx. What
// is a view is a function of layouts, for array::with_layout().
//
//   const usmx::array both = usmx::concat({x, y}, 0);
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Joins arrays along an axis, or the elements of all in C order, in a new C-contiguous array on
/// their queue: of the type that theirs are promoted to, and of the kind of memory of which one is,
/// first device, then shared memory. Does not wait. Throws value_error without arrays, and for
/// shapes that differ elsewhere; axis_error; overflow_error; placement_error; type_error for
/// structured elements of two types.
[[nodiscard]] USMX_API array concat(std::span<const array> arrays,
                                    std::optional<std::ptrdiff_t> axis = 0);
/// Joins the arrays in braces.
[[nodiscard]] inline array concat(std::initializer_list<array> arrays,
                                  std::optional<std::ptrdiff_t> axis = 0) {
  return concat(std::span(arrays.begin(), arrays.size()), axis);
}
/// Joins arrays of one shape along a new axis. Throws as concat().
[[nodiscard]] USMX_API array stack(std::span<const array> arrays, std::ptrdiff_t axis = 0);
/// Joins the arrays in braces along a new axis.
[[nodiscard]] inline array stack(std::initializer_list<array> arrays, std::ptrdiff_t axis = 0) {
  return stack(std::span(arrays.begin(), arrays.size()), axis);
}
/// Repeats each element `count` times along an axis, or of all elements in C order, in a new array.
/// Throws value_error for a negative count, axis_error, overflow_error.
[[nodiscard]] USMX_API array repeat(const array& x, std::ptrdiff_t count,
                                    std::optional<std::ptrdiff_t> axis = {});
/// Repeats an array along its last axes, or new ones before these, in a new array. Throws
/// value_error for a negative count, overflow_error.
[[nodiscard]] USMX_API array tile(const array& x, const std::vector<std::ptrdiff_t>& counts);
/// Moves elements along axes, in a new array; those that leave it come in at the other end. Throws
/// axis_error, and value_error for other numbers of shifts than of axes.
[[nodiscard]] USMX_API array roll(const array& x, const std::vector<std::ptrdiff_t>& shifts,
                                  const std::vector<std::ptrdiff_t>& axes);
/// Moves elements along an axis, or in C order.
[[nodiscard]] USMX_API array roll(const array& x, std::ptrdiff_t shift,
                                  std::optional<std::ptrdiff_t> axis = {});

}  // namespace usmx::inline v1
