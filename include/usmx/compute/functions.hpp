// Functions of arrays, on the device that they are on: those of Python's usmx, from the same table.
// Nothing waits, but for memory that others may work on, and for the compiler at the first call for
// an element type. Written by tools/write_mathematics.py.
//
//   usmx::array z = usmx::sqrt(usmx::add(x, usmx::mean(x, 0)));
//
// Next: operators.hpp, with which the sum is `x + usmx::mean(x, 0)`.
#pragma once

#include <complex>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {

namespace detail {

template <class X>
concept operand = std::derived_from<X, array> || std::is_arithmetic_v<X> ||
                  std::same_as<X, std::complex<float>> || std::same_as<X, std::complex<double>>;
template <class X1, class X2>
concept operands = some_array<X1, X2> && operand<X1> && operand<X2>;

}  // namespace detail

/// Calls the element-wise function of that name. An operand is an array of any layout or a number,
/// and one is an array; arrays are broadcast together. Their types are promoted as in NumPy: a
/// number takes the type of the arrays, if that is of its kind, and functions of real numbers
/// convert integers to the default floating-point type. The result is new, or the output of the
/// options, whose type may be any to which the result's can be cast without a change of kind.
/// Throws as elementwise_kernel::call() does; type_error for types that the function is not defined
/// for, for an output of a lower kind, and without an array; value_error for an integer that the
/// type lacks, unless it is compared, and for another name.
USMX_API array compute(std::string_view name, std::span<const kernel_argument> operands,
                       const generated_call_options& how = {});
/// Calls the element-wise function of that name with the operands in braces.
inline array compute(std::string_view name, std::initializer_list<kernel_argument> operands,
                     const generated_call_options& how = {}) {
  return compute(name, std::span(operands.begin(), operands.size()), how);
}
/// Calls the reduction of that name. Throws as reduction_kernel::call() and compute() do.
USMX_API array reduce(std::string_view name, const array& x, const reduction_axes& axes = {},
                      const generated_call_options& how = {});
/// Calls the reduction of that name along these axes: `reduce("sum", x, 1)`.
inline array reduce(std::string_view name, const array& x, const axes_argument& axes,
                    const generated_call_options& how = {}) {
  return reduce(name, x, reduction_axes{.axes = axes}, how);
}

/// The options of var() and std().
struct deviation_options {
  /// A number that is taken from the number of elements before that divides the sum of the squares:
  /// 1 for a sample of a larger whole.
  double correction = 0;
  /// @cond
  [[no_unique_address]] detail::not_ddof ddof = {};
  /// @endcond
  /// The options of all reductions. The result is as wide as an output, but never narrower.
  generated_call_options call = {};
};

// ---- for each element

/// Computes for each element: the sum.
inline array add(const kernel_argument& x1, const kernel_argument& x2,
                 const generated_call_options& how = {}) {
  return compute("add", {x1, x2}, how);
}
/// Computes for each element: the difference.
inline array subtract(const kernel_argument& x1, const kernel_argument& x2,
                      const generated_call_options& how = {}) {
  return compute("subtract", {x1, x2}, how);
}
/// Computes for each element: the product.
inline array multiply(const kernel_argument& x1, const kernel_argument& x2,
                      const generated_call_options& how = {}) {
  return compute("multiply", {x1, x2}, how);
}
/// Computes for each element: the quotient.
inline array divide(const kernel_argument& x1, const kernel_argument& x2,
                    const generated_call_options& how = {}) {
  return compute("divide", {x1, x2}, how);
}
/// Computes for each element: the quotient, rounded down.
inline array floor_divide(const kernel_argument& x1, const kernel_argument& x2,
                          const generated_call_options& how = {}) {
  return compute("floor_divide", {x1, x2}, how);
}
/// Computes for each element: the remainder of the division, with the sign of the divisor.
inline array remainder(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("remainder", {x1, x2}, how);
}
/// @cond
template <class X0, class X1>
  requires detail::operands<X0, X1>
array remainder(const X0& x1, const X1& x2, const generated_call_options& how = {}) {
  return compute("remainder", {x1, x2}, how);
}
/// @endcond
/// Computes for each element: the first operand to the power of the second.
inline array pow(const kernel_argument& x1, const kernel_argument& x2,
                 const generated_call_options& how = {}) {
  return compute("pow", {x1, x2}, how);
}
/// @cond
template <class X0, class X1>
  requires detail::operands<X0, X1>
array pow(const X0& x1, const X1& x2, const generated_call_options& how = {}) {
  return compute("pow", {x1, x2}, how);
}
/// @endcond
/// Computes for each element: the number with the other sign.
inline array negative(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("negative", {x}, how);
}
/// Computes for each element: the number itself, in new memory.
inline array positive(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("positive", {x}, how);
}
/// Computes for each element: the magnitude.
inline array abs(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("abs", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array abs(const X0& x, const generated_call_options& how = {}) {
  return compute("abs", {x}, how);
}
/// @endcond
/// Computes for each element: the square.
inline array square(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("square", {x}, how);
}
/// Computes for each element: 1 divided by the number.
inline array reciprocal(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("reciprocal", {x}, how);
}
/// Computes for each element: -1, 0 or 1, or z / abs(z) for a complex number.
inline array sign(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sign", {x}, how);
}
/// Computes for each element: the complex conjugate.
inline array conj(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("conj", {x}, how);
}
/// Computes for each element: the bitwise and.
inline array bitwise_and(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("bitwise_and", {x1, x2}, how);
}
/// Computes for each element: the bitwise or.
inline array bitwise_or(const kernel_argument& x1, const kernel_argument& x2,
                        const generated_call_options& how = {}) {
  return compute("bitwise_or", {x1, x2}, how);
}
/// Computes for each element: the bitwise exclusive or.
inline array bitwise_xor(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("bitwise_xor", {x1, x2}, how);
}
/// Computes for each element: the number with all bits inverted, or the other value of a bool.
inline array bitwise_invert(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("bitwise_invert", {x}, how);
}
/// Computes for each element: the bits of the first operand, moved up by the second.
inline array bitwise_left_shift(const kernel_argument& x1, const kernel_argument& x2,
                                const generated_call_options& how = {}) {
  return compute("bitwise_left_shift", {x1, x2}, how);
}
/// Computes for each element: the bits of the first operand, moved down by the second.
inline array bitwise_right_shift(const kernel_argument& x1, const kernel_argument& x2,
                                 const generated_call_options& how = {}) {
  return compute("bitwise_right_shift", {x1, x2}, how);
}
/// Computes for each element: whether both are true.
inline array logical_and(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("logical_and", {x1, x2}, how);
}
/// Computes for each element: whether at least one of them is true.
inline array logical_or(const kernel_argument& x1, const kernel_argument& x2,
                        const generated_call_options& how = {}) {
  return compute("logical_or", {x1, x2}, how);
}
/// Computes for each element: whether exactly one of them is true.
inline array logical_xor(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("logical_xor", {x1, x2}, how);
}
/// Computes for each element: whether it is zero.
inline array logical_not(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("logical_not", {x}, how);
}
/// Computes for each element: whether both are equal.
inline array equal(const kernel_argument& x1, const kernel_argument& x2,
                   const generated_call_options& how = {}) {
  return compute("equal", {x1, x2}, how);
}
/// Computes for each element: whether they differ.
inline array not_equal(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("not_equal", {x1, x2}, how);
}
/// Computes for each element: whether the first operand is less.
inline array less(const kernel_argument& x1, const kernel_argument& x2,
                  const generated_call_options& how = {}) {
  return compute("less", {x1, x2}, how);
}
/// Computes for each element: whether the first operand is greater.
inline array greater(const kernel_argument& x1, const kernel_argument& x2,
                     const generated_call_options& how = {}) {
  return compute("greater", {x1, x2}, how);
}
/// Computes for each element: whether the first operand is less or equal.
inline array less_equal(const kernel_argument& x1, const kernel_argument& x2,
                        const generated_call_options& how = {}) {
  return compute("less_equal", {x1, x2}, how);
}
/// Computes for each element: whether the first operand is greater or equal.
inline array greater_equal(const kernel_argument& x1, const kernel_argument& x2,
                           const generated_call_options& how = {}) {
  return compute("greater_equal", {x1, x2}, how);
}
/// Computes for each element: the greater operand, or NaN if one of them is NaN.
inline array maximum(const kernel_argument& x1, const kernel_argument& x2,
                     const generated_call_options& how = {}) {
  return compute("maximum", {x1, x2}, how);
}
/// Computes for each element: the smaller operand, or NaN if one of them is NaN.
inline array minimum(const kernel_argument& x1, const kernel_argument& x2,
                     const generated_call_options& how = {}) {
  return compute("minimum", {x1, x2}, how);
}
/// Computes for each element: whether it is NaN.
inline array isnan(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("isnan", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array isnan(const X0& x, const generated_call_options& how = {}) {
  return compute("isnan", {x}, how);
}
/// @endcond
/// Computes for each element: whether it is infinite.
inline array isinf(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("isinf", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array isinf(const X0& x, const generated_call_options& how = {}) {
  return compute("isinf", {x}, how);
}
/// @endcond
/// Computes for each element: whether it is a finite number.
inline array isfinite(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("isfinite", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array isfinite(const X0& x, const generated_call_options& how = {}) {
  return compute("isfinite", {x}, how);
}
/// @endcond
/// Computes for each element: whether the sign bit is set.
inline array signbit(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("signbit", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array signbit(const X0& x, const generated_call_options& how = {}) {
  return compute("signbit", {x}, how);
}
/// @endcond
/// Computes for each element: the number, rounded down.
inline array floor(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("floor", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array floor(const X0& x, const generated_call_options& how = {}) {
  return compute("floor", {x}, how);
}
/// @endcond
/// Computes for each element: the number, rounded up.
inline array ceil(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("ceil", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array ceil(const X0& x, const generated_call_options& how = {}) {
  return compute("ceil", {x}, how);
}
/// @endcond
/// Computes for each element: the number, rounded towards 0.
inline array trunc(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("trunc", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array trunc(const X0& x, const generated_call_options& how = {}) {
  return compute("trunc", {x}, how);
}
/// @endcond
/// Computes for each element: the nearest integer, and the even one of two.
inline array round(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("round", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array round(const X0& x, const generated_call_options& how = {}) {
  return compute("round", {x}, how);
}
/// @endcond
/// Computes for each element: the square root.
inline array sqrt(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sqrt", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array sqrt(const X0& x, const generated_call_options& how = {}) {
  return compute("sqrt", {x}, how);
}
/// @endcond
/// Computes for each element: the cube root.
inline array cbrt(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("cbrt", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array cbrt(const X0& x, const generated_call_options& how = {}) {
  return compute("cbrt", {x}, how);
}
/// @endcond
/// Computes for each element: e to the power of the number.
inline array exp(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("exp", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array exp(const X0& x, const generated_call_options& how = {}) {
  return compute("exp", {x}, how);
}
/// @endcond
/// Computes for each element: 2 to the power of the number.
inline array exp2(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("exp2", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array exp2(const X0& x, const generated_call_options& how = {}) {
  return compute("exp2", {x}, how);
}
/// @endcond
/// Computes for each element: exp(x) - 1, exact near 0 too.
inline array expm1(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("expm1", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array expm1(const X0& x, const generated_call_options& how = {}) {
  return compute("expm1", {x}, how);
}
/// @endcond
/// Computes for each element: the natural logarithm.
inline array log(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array log(const X0& x, const generated_call_options& how = {}) {
  return compute("log", {x}, how);
}
/// @endcond
/// Computes for each element: the logarithm to base 2.
inline array log2(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log2", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array log2(const X0& x, const generated_call_options& how = {}) {
  return compute("log2", {x}, how);
}
/// @endcond
/// Computes for each element: the logarithm to base 10.
inline array log10(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log10", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array log10(const X0& x, const generated_call_options& how = {}) {
  return compute("log10", {x}, how);
}
/// @endcond
/// Computes for each element: log(1 + x), exact near 0 too.
inline array log1p(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log1p", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array log1p(const X0& x, const generated_call_options& how = {}) {
  return compute("log1p", {x}, how);
}
/// @endcond
/// Computes for each element: the sine.
inline array sin(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sin", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array sin(const X0& x, const generated_call_options& how = {}) {
  return compute("sin", {x}, how);
}
/// @endcond
/// Computes for each element: the cosine.
inline array cos(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("cos", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array cos(const X0& x, const generated_call_options& how = {}) {
  return compute("cos", {x}, how);
}
/// @endcond
/// Computes for each element: the tangent.
inline array tan(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("tan", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array tan(const X0& x, const generated_call_options& how = {}) {
  return compute("tan", {x}, how);
}
/// @endcond
/// Computes for each element: the hyperbolic sine.
inline array sinh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sinh", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array sinh(const X0& x, const generated_call_options& how = {}) {
  return compute("sinh", {x}, how);
}
/// @endcond
/// Computes for each element: the hyperbolic cosine.
inline array cosh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("cosh", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array cosh(const X0& x, const generated_call_options& how = {}) {
  return compute("cosh", {x}, how);
}
/// @endcond
/// Computes for each element: the hyperbolic tangent.
inline array tanh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("tanh", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array tanh(const X0& x, const generated_call_options& how = {}) {
  return compute("tanh", {x}, how);
}
/// @endcond
/// Computes for each element: the inverse sine.
inline array asin(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("asin", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array asin(const X0& x, const generated_call_options& how = {}) {
  return compute("asin", {x}, how);
}
/// @endcond
/// Computes for each element: the inverse cosine.
inline array acos(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("acos", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array acos(const X0& x, const generated_call_options& how = {}) {
  return compute("acos", {x}, how);
}
/// @endcond
/// Computes for each element: the inverse tangent.
inline array atan(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("atan", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array atan(const X0& x, const generated_call_options& how = {}) {
  return compute("atan", {x}, how);
}
/// @endcond
/// Computes for each element: the inverse hyperbolic sine.
inline array asinh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("asinh", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array asinh(const X0& x, const generated_call_options& how = {}) {
  return compute("asinh", {x}, how);
}
/// @endcond
/// Computes for each element: the inverse hyperbolic cosine.
inline array acosh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("acosh", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array acosh(const X0& x, const generated_call_options& how = {}) {
  return compute("acosh", {x}, how);
}
/// @endcond
/// Computes for each element: the inverse hyperbolic tangent.
inline array atanh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("atanh", {x}, how);
}
/// @cond
template <class X0>
  requires detail::operands<X0, X0>
array atanh(const X0& x, const generated_call_options& how = {}) {
  return compute("atanh", {x}, how);
}
/// @endcond
/// Computes for each element: the angle of the point (x2, x1).
inline array atan2(const kernel_argument& x1, const kernel_argument& x2,
                   const generated_call_options& how = {}) {
  return compute("atan2", {x1, x2}, how);
}
/// @cond
template <class X0, class X1>
  requires detail::operands<X0, X1>
array atan2(const X0& x1, const X1& x2, const generated_call_options& how = {}) {
  return compute("atan2", {x1, x2}, how);
}
/// @endcond
/// Computes for each element: the square root of the sum of both squares.
inline array hypot(const kernel_argument& x1, const kernel_argument& x2,
                   const generated_call_options& how = {}) {
  return compute("hypot", {x1, x2}, how);
}
/// @cond
template <class X0, class X1>
  requires detail::operands<X0, X1>
array hypot(const X0& x1, const X1& x2, const generated_call_options& how = {}) {
  return compute("hypot", {x1, x2}, how);
}
/// @endcond
/// Computes for each element: log(exp(x1) + exp(x2)).
inline array logaddexp(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("logaddexp", {x1, x2}, how);
}
/// Computes for each element: the magnitude of the first operand with the sign of the second.
inline array copysign(const kernel_argument& x1, const kernel_argument& x2,
                      const generated_call_options& how = {}) {
  return compute("copysign", {x1, x2}, how);
}
/// @cond
template <class X0, class X1>
  requires detail::operands<X0, X1>
array copysign(const X0& x1, const X1& x2, const generated_call_options& how = {}) {
  return compute("copysign", {x1, x2}, how);
}
/// @endcond
/// Computes for each element: the number next to the first operand, towards the second.
inline array nextafter(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("nextafter", {x1, x2}, how);
}
/// @cond
template <class X0, class X1>
  requires detail::operands<X0, X1>
array nextafter(const X0& x1, const X1& x2, const generated_call_options& how = {}) {
  return compute("nextafter", {x1, x2}, how);
}
/// @endcond
/// Computes for each element: the number, but at least `min` and at most `max`.
inline array clip(const kernel_argument& x, const kernel_argument& min, const kernel_argument& max,
                  const generated_call_options& how = {}) {
  return compute("clip", {x, min, max}, how);
}
/// Computes for each element: the element of `x` where the condition holds, else that of `y`.
inline array where(const kernel_argument& condition, const kernel_argument& x,
                   const kernel_argument& y, const generated_call_options& how = {}) {
  return compute("where", {condition, x, y}, how);
}

// ---- reductions

/// Adds up the elements, along axes.
inline array sum(const array& x, const reduction_axes& axes = {},
                 const generated_call_options& how = {}) {
  return reduce("sum", x, axes, how);
}
/// Adds up the elements, along these axes: `sum(x, 1)` or `sum(x, {0, 1})`.
inline array sum(const array& x, const axes_argument& axes,
                 const generated_call_options& how = {}) {
  return reduce("sum", x, axes, how);
}
/// @cond
template <class Nothing = void>
array sum(const array& x, const detail::reduction_spellings&, const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything sum(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Multiplies the elements, along axes.
inline array prod(const array& x, const reduction_axes& axes = {},
                  const generated_call_options& how = {}) {
  return reduce("prod", x, axes, how);
}
/// Multiplies the elements, along these axes: `prod(x, 1)` or `prod(x, {0, 1})`.
inline array prod(const array& x, const axes_argument& axes,
                  const generated_call_options& how = {}) {
  return reduce("prod", x, axes, how);
}
/// @cond
template <class Nothing = void>
array prod(const array& x, const detail::reduction_spellings&, const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything prod(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Finds the greatest element, along axes.
inline array max(const array& x, const reduction_axes& axes = {},
                 const generated_call_options& how = {}) {
  return reduce("max", x, axes, how);
}
/// Finds the greatest element, along these axes: `max(x, 1)` or `max(x, {0, 1})`.
inline array max(const array& x, const axes_argument& axes,
                 const generated_call_options& how = {}) {
  return reduce("max", x, axes, how);
}
/// @cond
template <class Nothing = void>
array max(const array& x, const detail::reduction_spellings&, const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything max(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Finds the smallest element, along axes.
inline array min(const array& x, const reduction_axes& axes = {},
                 const generated_call_options& how = {}) {
  return reduce("min", x, axes, how);
}
/// Finds the smallest element, along these axes: `min(x, 1)` or `min(x, {0, 1})`.
inline array min(const array& x, const axes_argument& axes,
                 const generated_call_options& how = {}) {
  return reduce("min", x, axes, how);
}
/// @cond
template <class Nothing = void>
array min(const array& x, const detail::reduction_spellings&, const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything min(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Finds the index of the greatest element, along axes.
inline array argmax(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("argmax", x, axes, how);
}
/// Finds the index of the greatest element, along these axes: `argmax(x, 1)` or `argmax(x, {0,
/// 1})`.
inline array argmax(const array& x, const axes_argument& axes,
                    const generated_call_options& how = {}) {
  return reduce("argmax", x, axes, how);
}
/// @cond
template <class Nothing = void>
array argmax(const array& x, const detail::reduction_spellings&,
             const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything argmax(detail::any_argument, detail::any_argument = {},
                        detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Finds the index of the smallest element, along axes.
inline array argmin(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("argmin", x, axes, how);
}
/// Finds the index of the smallest element, along these axes: `argmin(x, 1)` or `argmin(x, {0,
/// 1})`.
inline array argmin(const array& x, const axes_argument& axes,
                    const generated_call_options& how = {}) {
  return reduce("argmin", x, axes, how);
}
/// @cond
template <class Nothing = void>
array argmin(const array& x, const detail::reduction_spellings&,
             const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything argmin(detail::any_argument, detail::any_argument = {},
                        detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Finds the mean of the elements, along axes.
inline array mean(const array& x, const reduction_axes& axes = {},
                  const generated_call_options& how = {}) {
  return reduce("mean", x, axes, how);
}
/// Finds the mean of the elements, along these axes: `mean(x, 1)` or `mean(x, {0, 1})`.
inline array mean(const array& x, const axes_argument& axes,
                  const generated_call_options& how = {}) {
  return reduce("mean", x, axes, how);
}
/// @cond
template <class Nothing = void>
array mean(const array& x, const detail::reduction_spellings&, const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything mean(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Finds the variance of the elements, along axes.
USMX_API array var(const array& x, const reduction_axes& axes = {},
                   const deviation_options& how = {});
/// Finds the variance of the elements, along these axes: `var(x, 1)` or `var(x, {0, 1})`.
inline array var(const array& x, const axes_argument& axes, const deviation_options& how = {}) {
  return var(x, reduction_axes{.axes = axes}, how);
}
/// @cond
template <class Nothing = void>
array var(const array& x, const detail::reduction_spellings&, const deviation_options& = {}) {
  static_assert(
      detail::never<Nothing>,
      "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.correction = 1}");
  return x;
}
template <class... T>
detail::anything var(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(
      detail::never<T...>,
      "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.correction = 1}");
  return {};
}
/// @endcond
/// Finds the standard deviation of the elements, along axes.
USMX_API array std(const array& x, const reduction_axes& axes = {},
                   const deviation_options& how = {});
/// Finds the standard deviation of the elements, along these axes: `std(x, 1)` or `std(x, {0, 1})`.
inline array std(const array& x, const axes_argument& axes, const deviation_options& how = {}) {
  return std(x, reduction_axes{.axes = axes}, how);
}
/// @cond
template <class Nothing = void>
array std(const array& x, const detail::reduction_spellings&, const deviation_options& = {}) {
  static_assert(
      detail::never<Nothing>,
      "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.correction = 1}");
  return x;
}
template <class... T>
detail::anything std(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(
      detail::never<T...>,
      "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.correction = 1}");
  return {};
}
/// @endcond
/// Says whether an element is not zero, along axes.
inline array any_of(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("any", x, axes, how);
}
/// Says whether an element is not zero, along these axes: `any_of(x, 1)` or `any_of(x, {0, 1})`.
inline array any_of(const array& x, const axes_argument& axes,
                    const generated_call_options& how = {}) {
  return reduce("any", x, axes, how);
}
/// @cond
template <class Nothing = void>
array any_of(const array& x, const detail::reduction_spellings&,
             const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything any_of(detail::any_argument, detail::any_argument = {},
                        detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Says whether all elements are not zero, along axes.
inline array all_of(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("all", x, axes, how);
}
/// Says whether all elements are not zero, along these axes: `all_of(x, 1)` or `all_of(x, {0, 1})`.
inline array all_of(const array& x, const axes_argument& axes,
                    const generated_call_options& how = {}) {
  return reduce("all", x, axes, how);
}
/// @cond
template <class Nothing = void>
array all_of(const array& x, const detail::reduction_spellings&,
             const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything all_of(detail::any_argument, detail::any_argument = {},
                        detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond
/// Counts the elements that are not zero, along axes.
inline array count_nonzero(const array& x, const reduction_axes& axes,
                           const generated_call_options& how = {}) {
  return reduce("count_nonzero", x, axes, how);
}
/// Counts the elements that are not zero, along these axes: `count_nonzero(x, 1)` or
/// `count_nonzero(x, {0, 1})`.
inline array count_nonzero(const array& x, const axes_argument& axes,
                           const generated_call_options& how = {}) {
  return reduce("count_nonzero", x, axes, how);
}
/// @cond
template <class Nothing = void>
array count_nonzero(const array& x, const detail::reduction_spellings&,
                    const generated_call_options& = {}) {
  static_assert(detail::never<Nothing>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return x;
}
template <class... T>
detail::anything count_nonzero(detail::any_argument, detail::any_argument = {},
                               detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.type = "
                "usmx::float32}");
  return {};
}
/// @endcond

}  // namespace usmx::inline v1
