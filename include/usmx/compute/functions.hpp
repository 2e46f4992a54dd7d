// Functions of arrays, on the device that they are on: those of Python's usmx, from the same table.
// Nothing waits, but for memory that others may work on, and for the compiler at the first call for
// an element type. Written by tools/write_mathematics.py.
//
//   usmx::array z = usmx::sqrt(usmx::add(x, 1));
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {

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
/// The same with the operands in braces.
inline array compute(std::string_view name, std::initializer_list<kernel_argument> operands,
                     const generated_call_options& how = {}) {
  return compute(name, std::span(operands.begin(), operands.size()), how);
}
/// Calls the reduction of that name. Throws as reduction_kernel::call() and compute() do.
USMX_API array reduce(std::string_view name, const array& x, const reduction_axes& axes = {},
                      const generated_call_options& how = {});

// ---- for each element

/// Computes the sum, for each element.
inline array add(const kernel_argument& x1, const kernel_argument& x2,
                 const generated_call_options& how = {}) {
  return compute("add", {x1, x2}, how);
}
/// Computes the difference, for each element.
inline array subtract(const kernel_argument& x1, const kernel_argument& x2,
                      const generated_call_options& how = {}) {
  return compute("subtract", {x1, x2}, how);
}
/// Computes the product, for each element.
inline array multiply(const kernel_argument& x1, const kernel_argument& x2,
                      const generated_call_options& how = {}) {
  return compute("multiply", {x1, x2}, how);
}
/// Computes the quotient, for each element.
inline array divide(const kernel_argument& x1, const kernel_argument& x2,
                    const generated_call_options& how = {}) {
  return compute("divide", {x1, x2}, how);
}
/// Computes the quotient, rounded down, for each element.
inline array floor_divide(const kernel_argument& x1, const kernel_argument& x2,
                          const generated_call_options& how = {}) {
  return compute("floor_divide", {x1, x2}, how);
}
/// Computes the rest of the division, with the sign of the divisor, for each element.
inline array remainder(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("remainder", {x1, x2}, how);
}
/// Computes the first operand to the power of the second, for each element.
inline array pow(const kernel_argument& x1, const kernel_argument& x2,
                 const generated_call_options& how = {}) {
  return compute("pow", {x1, x2}, how);
}
/// Computes the number with the other sign, for each element.
inline array negative(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("negative", {x}, how);
}
/// Computes the number itself, in new memory, for each element.
inline array positive(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("positive", {x}, how);
}
/// Computes the magnitude, for each element.
inline array abs(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("abs", {x}, how);
}
/// Computes the square, for each element.
inline array square(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("square", {x}, how);
}
/// Computes 1 divided by the number, for each element.
inline array reciprocal(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("reciprocal", {x}, how);
}
/// Computes -1, 0 or 1; of a complex number z / abs(z), for each element.
inline array sign(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sign", {x}, how);
}
/// Computes the conjugate, for each element.
inline array conj(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("conj", {x}, how);
}
/// Computes and of each two bits, for each element.
inline array bitwise_and(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("bitwise_and", {x1, x2}, how);
}
/// Computes or of each two bits, for each element.
inline array bitwise_or(const kernel_argument& x1, const kernel_argument& x2,
                        const generated_call_options& how = {}) {
  return compute("bitwise_or", {x1, x2}, how);
}
/// Computes xor of each two bits, for each element.
inline array bitwise_xor(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("bitwise_xor", {x1, x2}, how);
}
/// Computes all bits inverted; of bool, the other value, for each element.
inline array bitwise_invert(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("bitwise_invert", {x}, how);
}
/// Computes the bits, moved up, for each element.
inline array bitwise_left_shift(const kernel_argument& x1, const kernel_argument& x2,
                                const generated_call_options& how = {}) {
  return compute("bitwise_left_shift", {x1, x2}, how);
}
/// Computes the bits, moved down, for each element.
inline array bitwise_right_shift(const kernel_argument& x1, const kernel_argument& x2,
                                 const generated_call_options& how = {}) {
  return compute("bitwise_right_shift", {x1, x2}, how);
}
/// Computes and of each two truth values, for each element.
inline array logical_and(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("logical_and", {x1, x2}, how);
}
/// Computes or of each two truth values, for each element.
inline array logical_or(const kernel_argument& x1, const kernel_argument& x2,
                        const generated_call_options& how = {}) {
  return compute("logical_or", {x1, x2}, how);
}
/// Computes xor of each two truth values, for each element.
inline array logical_xor(const kernel_argument& x1, const kernel_argument& x2,
                         const generated_call_options& how = {}) {
  return compute("logical_xor", {x1, x2}, how);
}
/// Computes whether it is zero, for each element.
inline array logical_not(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("logical_not", {x}, how);
}
/// Computes whether both are equal, for each element.
inline array equal(const kernel_argument& x1, const kernel_argument& x2,
                   const generated_call_options& how = {}) {
  return compute("equal", {x1, x2}, how);
}
/// Computes whether they differ, for each element.
inline array not_equal(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("not_equal", {x1, x2}, how);
}
/// Computes whether the first one is less, for each element.
inline array less(const kernel_argument& x1, const kernel_argument& x2,
                  const generated_call_options& how = {}) {
  return compute("less", {x1, x2}, how);
}
/// Computes whether the first one is greater, for each element.
inline array greater(const kernel_argument& x1, const kernel_argument& x2,
                     const generated_call_options& how = {}) {
  return compute("greater", {x1, x2}, how);
}
/// Computes whether the first one is less or equal, for each element.
inline array less_equal(const kernel_argument& x1, const kernel_argument& x2,
                        const generated_call_options& how = {}) {
  return compute("less_equal", {x1, x2}, how);
}
/// Computes whether the first one is greater or equal, for each element.
inline array greater_equal(const kernel_argument& x1, const kernel_argument& x2,
                           const generated_call_options& how = {}) {
  return compute("greater_equal", {x1, x2}, how);
}
/// Computes the greater one; NaN, if one of them is, for each element.
inline array maximum(const kernel_argument& x1, const kernel_argument& x2,
                     const generated_call_options& how = {}) {
  return compute("maximum", {x1, x2}, how);
}
/// Computes the smaller one; NaN, if one of them is, for each element.
inline array minimum(const kernel_argument& x1, const kernel_argument& x2,
                     const generated_call_options& how = {}) {
  return compute("minimum", {x1, x2}, how);
}
/// Computes whether it is NaN, for each element.
inline array isnan(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("isnan", {x}, how);
}
/// Computes whether it is infinite, for each element.
inline array isinf(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("isinf", {x}, how);
}
/// Computes whether it is a finite number, for each element.
inline array isfinite(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("isfinite", {x}, how);
}
/// Computes whether the sign bit is set, for each element.
inline array signbit(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("signbit", {x}, how);
}
/// Computes rounded down, for each element.
inline array floor(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("floor", {x}, how);
}
/// Computes rounded up, for each element.
inline array ceil(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("ceil", {x}, how);
}
/// Computes rounded towards 0, for each element.
inline array trunc(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("trunc", {x}, how);
}
/// Computes rounded to the nearest integer, halves to the even one, for each element.
inline array round(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("round", {x}, how);
}
/// Computes the root, for each element.
inline array sqrt(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sqrt", {x}, how);
}
/// Computes the cube root, for each element.
inline array cbrt(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("cbrt", {x}, how);
}
/// Computes e to the power of the number, for each element.
inline array exp(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("exp", {x}, how);
}
/// Computes 2 to the power of the number, for each element.
inline array exp2(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("exp2", {x}, how);
}
/// Computes exp(x) - 1, exact near 0 too, for each element.
inline array expm1(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("expm1", {x}, how);
}
/// Computes the natural logarithm, for each element.
inline array log(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log", {x}, how);
}
/// Computes the logarithm to base 2, for each element.
inline array log2(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log2", {x}, how);
}
/// Computes the logarithm to base 10, for each element.
inline array log10(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log10", {x}, how);
}
/// Computes log(1 + x), exact near 0 too, for each element.
inline array log1p(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("log1p", {x}, how);
}
/// Computes the sine, for each element.
inline array sin(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sin", {x}, how);
}
/// Computes the cosine, for each element.
inline array cos(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("cos", {x}, how);
}
/// Computes the tangent, for each element.
inline array tan(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("tan", {x}, how);
}
/// Computes the hyperbolic sine, for each element.
inline array sinh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("sinh", {x}, how);
}
/// Computes the hyperbolic cosine, for each element.
inline array cosh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("cosh", {x}, how);
}
/// Computes the hyperbolic tangent, for each element.
inline array tanh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("tanh", {x}, how);
}
/// Computes the inverse of sin, for each element.
inline array asin(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("asin", {x}, how);
}
/// Computes the inverse of cos, for each element.
inline array acos(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("acos", {x}, how);
}
/// Computes the inverse of tan, for each element.
inline array atan(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("atan", {x}, how);
}
/// Computes the inverse of sinh, for each element.
inline array asinh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("asinh", {x}, how);
}
/// Computes the inverse of cosh, for each element.
inline array acosh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("acosh", {x}, how);
}
/// Computes the inverse of tanh, for each element.
inline array atanh(const kernel_argument& x, const generated_call_options& how = {}) {
  return compute("atanh", {x}, how);
}
/// Computes the angle of the point (x2, x1), for each element.
inline array atan2(const kernel_argument& x1, const kernel_argument& x2,
                   const generated_call_options& how = {}) {
  return compute("atan2", {x1, x2}, how);
}
/// Computes the root of the sum of the squares, for each element.
inline array hypot(const kernel_argument& x1, const kernel_argument& x2,
                   const generated_call_options& how = {}) {
  return compute("hypot", {x1, x2}, how);
}
/// Computes log(exp(x1) + exp(x2)), for each element.
inline array logaddexp(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("logaddexp", {x1, x2}, how);
}
/// Computes the magnitude of the first one with the sign of the second, for each element.
inline array copysign(const kernel_argument& x1, const kernel_argument& x2,
                      const generated_call_options& how = {}) {
  return compute("copysign", {x1, x2}, how);
}
/// Computes the number next to the first one on the way to the second, for each element.
inline array nextafter(const kernel_argument& x1, const kernel_argument& x2,
                       const generated_call_options& how = {}) {
  return compute("nextafter", {x1, x2}, how);
}
/// Computes the number, but at least `min` and at most `max`, for each element.
inline array clip(const kernel_argument& x, const kernel_argument& min, const kernel_argument& max,
                  const generated_call_options& how = {}) {
  return compute("clip", {x, min, max}, how);
}
/// Computes the element of `x` where the condition holds, else that of `y`, for each element.
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
/// Multiplies the elements, along axes.
inline array prod(const array& x, const reduction_axes& axes = {},
                  const generated_call_options& how = {}) {
  return reduce("prod", x, axes, how);
}
/// Finds the greatest element, along axes.
inline array max(const array& x, const reduction_axes& axes = {},
                 const generated_call_options& how = {}) {
  return reduce("max", x, axes, how);
}
/// Finds the smallest element, along axes.
inline array min(const array& x, const reduction_axes& axes = {},
                 const generated_call_options& how = {}) {
  return reduce("min", x, axes, how);
}
/// Finds the index of the greatest element, along axes.
inline array argmax(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("argmax", x, axes, how);
}
/// Finds the index of the smallest element, along axes.
inline array argmin(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("argmin", x, axes, how);
}
/// Finds the mean of the elements, along axes.
inline array mean(const array& x, const reduction_axes& axes = {},
                  const generated_call_options& how = {}) {
  return reduce("mean", x, axes, how);
}
/// Says whether an element is not zero, along axes.
inline array any_of(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("any", x, axes, how);
}
/// Says whether all elements are not zero, along axes.
inline array all_of(const array& x, const reduction_axes& axes = {},
                    const generated_call_options& how = {}) {
  return reduce("all", x, axes, how);
}
/// Counts the elements that are not zero, along axes.
inline array count_nonzero(const array& x, const reduction_axes& axes = {},
                           const generated_call_options& how = {}) {
  return reduce("count_nonzero", x, axes, how);
}

}  // namespace usmx::inline v1
