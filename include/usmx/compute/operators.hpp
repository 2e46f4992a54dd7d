// Operators of arrays: those of Python's arrays, which call the functions of functions.hpp. One
// operand is an array, the other one an array or a number.
//
//   const usmx::array z = (x - usmx::mean(x, 0)) / 2;
//   z += 1;
//
// They compute what Python's compute: `/` of integers has fractions, `%` has the divisor's sign,
// and a comparison has a truth value for each element. `&&`, `||` and `!` are not there, since they
// would evaluate both sides, or read the elements: `&`, `|` and `~` are. An array is no condition:
// `if ((x == y).item<bool>())` asks one of a single element, usmx::all_of() asks all.
#pragma once

#include <concepts>

#include "usmx/array/array.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/compute/functions.hpp"

namespace usmx::inline v1 {

namespace detail {

template <class X1, class X2>
concept operands_of_assignment = operands<X1, X2> && std::derived_from<X1, array>;

}  // namespace detail

// ---- arithmetic

/// Calls add().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator+(const X1& x1, const X2& x2) {
  return add(x1, x2);
}
/// Calls subtract().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator-(const X1& x1, const X2& x2) {
  return subtract(x1, x2);
}
/// Calls multiply().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator*(const X1& x1, const X2& x2) {
  return multiply(x1, x2);
}
/// Calls divide().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator/(const X1& x1, const X2& x2) {
  return divide(x1, x2);
}
/// Calls remainder().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator%(const X1& x1, const X2& x2) {
  return remainder(x1, x2);
}
/// Calls negative().
inline array operator-(const array& x) { return negative(x); }
/// Calls positive().
inline array operator+(const array& x) { return positive(x); }

// ---- bits

/// Calls bitwise_and().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator&(const X1& x1, const X2& x2) {
  return bitwise_and(x1, x2);
}
/// Calls bitwise_or().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator|(const X1& x1, const X2& x2) {
  return bitwise_or(x1, x2);
}
/// Calls bitwise_xor().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator^(const X1& x1, const X2& x2) {
  return bitwise_xor(x1, x2);
}
/// Calls bitwise_left_shift().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator<<(const X1& x1, const X2& x2) {
  return bitwise_left_shift(x1, x2);
}
/// Calls bitwise_right_shift().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator>>(const X1& x1, const X2& x2) {
  return bitwise_right_shift(x1, x2);
}
/// Calls bitwise_invert(), which is the other value for bool.
inline array operator~(const array& x) { return bitwise_invert(x); }

// ---- comparisons

/// Calls equal().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator==(const X1& x1, const X2& x2) {
  return equal(x1, x2);
}
/// Calls not_equal().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator!=(const X1& x1, const X2& x2) {
  return not_equal(x1, x2);
}
/// Calls less().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator<(const X1& x1, const X2& x2) {
  return less(x1, x2);
}
/// Calls less_equal().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator<=(const X1& x1, const X2& x2) {
  return less_equal(x1, x2);
}
/// Calls greater().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator>(const X1& x1, const X2& x2) {
  return greater(x1, x2);
}
/// Calls greater_equal().
template <class X1, class X2>
  requires detail::operands<X1, X2>
array operator>=(const X1& x1, const X2& x2) {
  return greater_equal(x1, x2);
}

// ---- in place

/// Calls add() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator+=(const X1& x1, const X2& x2) {
  return add(x1, x2, {.outputs = {x1}});
}
/// Calls subtract() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator-=(const X1& x1, const X2& x2) {
  return subtract(x1, x2, {.outputs = {x1}});
}
/// Calls multiply() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator*=(const X1& x1, const X2& x2) {
  return multiply(x1, x2, {.outputs = {x1}});
}
/// Calls divide() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator/=(const X1& x1, const X2& x2) {
  return divide(x1, x2, {.outputs = {x1}});
}
/// Calls remainder() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator%=(const X1& x1, const X2& x2) {
  return remainder(x1, x2, {.outputs = {x1}});
}
/// Calls bitwise_and() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator&=(const X1& x1, const X2& x2) {
  return bitwise_and(x1, x2, {.outputs = {x1}});
}
/// Calls bitwise_or() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator|=(const X1& x1, const X2& x2) {
  return bitwise_or(x1, x2, {.outputs = {x1}});
}
/// Calls bitwise_xor() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator^=(const X1& x1, const X2& x2) {
  return bitwise_xor(x1, x2, {.outputs = {x1}});
}
/// Calls bitwise_left_shift() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator<<=(const X1& x1, const X2& x2) {
  return bitwise_left_shift(x1, x2, {.outputs = {x1}});
}
/// Calls bitwise_right_shift() with the first operand as its output, and returns that one.
template <class X1, class X2>
  requires detail::operands_of_assignment<X1, X2>
array operator>>=(const X1& x1, const X2& x2) {
  return bitwise_right_shift(x1, x2, {.outputs = {x1}});
}

}  // namespace usmx::inline v1
