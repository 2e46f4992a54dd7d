// The mathematics of kernels: names of types and constants, limits of types, and functions of real
// numbers. Device code only: <usmx/kernel.hpp> includes it. usmx/kernel_complex.hpp has complex
// numbers.
//
// Functions take numbers of any type, and promote them as C++ does: float16 stays float16, float
// stays float, integers become double, and of several types the widest one counts. Each function
// template has a parameter pack, which stays empty: then a function of the user's with the same
// name, template or not, and CUDA's own one, are better matches, and no call is ambiguous.
#pragma once

// ---- names of types and constants, as the headers of C have them

using size_t = decltype(sizeof 0);
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;

// Made of bits, they are no arithmetic that -ffast-math warns of.
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#endif
#ifndef M_PI
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401
#endif

namespace usmx {

/// A number of 2 bytes, NumPy's float16. Functions of it compute in float and round once.
using half = _Float16;

namespace detail {

template <class T>
inline constexpr bool is_floating =
    __is_same(T, float) || __is_same(T, double) || __is_same(T, _Float16);
template <class T>
inline constexpr bool is_integer = __is_integral(T);
template <class T>
inline constexpr bool is_number = is_floating<T> || is_integer<T>;

/// The type, of a function that there is if the condition holds. Kernels may be C++17.
template <bool Condition, class T>
struct enable {};
template <class T>
struct enable<true, T> {
  using type = T;
};
template <bool Condition, class T>
using enabled = typename enable<Condition, T>::type;

/// The requirement of a function: numbers, and nothing in the pack that stays empty.
template <int RestCount, class... T>
inline constexpr bool are_numbers = RestCount == 0 && (is_number<T> && ...);
template <int RestCount, class... T>
inline constexpr bool are_integers = RestCount == 0 && (is_integer<T> && ...);

inline constexpr float infinite = __builtin_bit_cast(float, 0x7f800000);
inline constexpr float not_a_number = __builtin_bit_cast(float, 0x7fc00000);

template <bool Condition, class Then, class Else>
struct choice {
  using type = Then;
};
template <class Then, class Else>
struct choice<false, Then, Else> {
  using type = Else;
};
template <bool Condition, class Then, class Else>
using chosen = typename choice<Condition, Then, Else>::type;

/// The floating-point type that C++ promotes these numbers to.
template <class... T>
using promoted = chosen<((__is_same(T, double) || !is_floating<T>) || ...), double,
                        chosen<(__is_same(T, float) || ...), float, _Float16>>;
/// The type that functions compute in.
template <class T>
using computed = chosen<__is_same(T, _Float16), float, T>;

template <class First, class... Others>
constexpr auto common_number() {
  if constexpr ((__is_same(First, Others) && ...)) {
    return First();
  } else if constexpr (__is_same(First, double) || (__is_same(Others, double) || ...)) {
    return double();
  } else if constexpr (__is_same(First, float) || (__is_same(Others, float) || ...)) {
    return float();
  } else if constexpr (is_floating<First> || (is_floating<Others> || ...)) {
    return _Float16();
  } else {
    return (First() + ... + Others());
  }
}
/// The type of what is chosen among these numbers: theirs, else the widest floating-point one, else
/// that of the sum of the integers.
template <class... T>
using common = decltype(common_number<T...>());

/// x * y, rounded, and no part of a sum that is rounded once.
template <class T>
inline T product(T x, T y) {
#ifdef __CUDACC_RTC__
  return usmx::builtins::product(x, y);
#else
#pragma clang fp contract(off)
  return x * y;
#endif
}

/// A polynomial by W. G. Horner's scheme, its highest coefficient first, without contraction.
template <class T, int Count>
inline T polynomial(T x, const T (&coefficients)[Count]) {
#ifndef __CUDACC_RTC__
#pragma clang fp contract(off)
#endif
  T value = coefficients[0];
#pragma unroll
  for (int k = 1; k < Count; ++k) {
    value = value * x + coefficients[k];
  }
  return value;
}

template <class T>
struct bits_of_type;
template <>
struct bits_of_type<_Float16> {
  using type = unsigned short;
};
template <>
struct bits_of_type<float> {
  using type = unsigned int;
};
template <>
struct bits_of_type<double> {
  using type = unsigned long;
};

template <class To, class From>
constexpr To bits_as(From value) {
  return __builtin_bit_cast(To, value);
}
/// The sign, the exponent and the fraction of a floating-point number.
template <class T>
inline typename bits_of_type<T>::type bits(T value) {
  return bits_as<typename bits_of_type<T>::type>(value);
}
template <class T>
using bits_type = typename bits_of_type<T>::type;

}  // namespace detail

// ---- limits

/// The limits that C++'s std::numeric_limits tells.
template <class T>
struct numeric_limits {
  static_assert(__is_integral(T),
                "numeric_limits are those of integers and floating-point numbers");
  static constexpr bool is_integer = true;
  static constexpr bool is_signed = __is_signed(T);
  static constexpr int digits = __is_same(T, bool) ? 1 : int(sizeof(T)) * 8 - (is_signed ? 1 : 0);

  static constexpr T max() { return static_cast<T>(~0UL >> (64 - digits)); }
  static constexpr T min() {
    return is_signed ? static_cast<T>(-static_cast<long>(max()) - 1) : T(0);
  }
  static constexpr T lowest() { return min(); }
  static constexpr T epsilon() { return T(0); }
};

#define USMX_LIMITS(T, digits_, min_, max_, epsilon_)                         \
  template <>                                                                 \
  struct numeric_limits<T> {                                                  \
    static constexpr bool is_integer = false;                                 \
    static constexpr bool is_signed = true;                                   \
    static constexpr int digits = digits_;                                    \
    USMX_LIMIT T min() { return static_cast<T>(min_); }                       \
    USMX_LIMIT T max() { return static_cast<T>(max_); }                       \
    USMX_LIMIT T lowest() { return static_cast<T>(-max_); }                   \
    USMX_LIMIT T epsilon() { return static_cast<T>(epsilon_); }               \
    USMX_LIMIT T infinity() { return static_cast<T>(detail::infinite); }      \
    USMX_LIMIT T quiet_NaN() { return static_cast<T>(detail::not_a_number); } \
  };
#define USMX_LIMIT static constexpr
USMX_LIMITS(float, 24, 0x1p-126f, 0x1.fffffep+127f, 0x1p-23f)
USMX_LIMITS(double, 53, 0x1p-1022, 0x1.fffffffffffffp+1023, 0x1p-52)
#ifdef __CUDACC_RTC__
#undef USMX_LIMIT
#define USMX_LIMIT static  // _Float16 is a class there
#endif
USMX_LIMITS(_Float16, 11, 0x1p-14f, 65504.0f, 0x1p-10f)
#undef USMX_LIMIT
#undef USMX_LIMITS

// ---- functions by sums, products and quotients alone
//
// Intel's driver for CPUs has other mathematics for each vector unit: of these functions, some were
// up to 4 units off, and cube roots of cubes were no integers. These have the same bits on every
// CPU. They round each operation, and so have no contraction. CUDA has its own for all its devices.
#ifndef __CUDACC_RTC__
namespace detail {

/// The upper half of the digits: products of two such numbers are exact.
template <class T>
inline T upper_half(T x) {
  constexpr int lower = (numeric_limits<T>::digits + 1) / 2;
  return bits_as<T>(bits(x) >> lower << lower);
}
/// 2^n as a number, for the n of normal numbers.
template <class T>
inline T power_of_two(int n) {
  constexpr int fraction = numeric_limits<T>::digits - 1;
  constexpr int bias = __is_same(T, float) ? 127 : 1023;
  return bits_as<T>(static_cast<bits_type<T>>(n + bias) << fraction);
}

/// The cube root, as near as rounding allows: exact where it is a number of the type. The estimate
/// of W. Kahan and its polynomial (FreeBSD's cbrt), of which half the digits are kept; the
/// remainder is exact then, and one step of Halley's method is enough.
template <class T>
inline T cube_root(T x) {
#pragma clang fp contract(off)
  constexpr bool is_float = __is_same(T, float);
  const T size = __spirv_ocl_fabs(x);
  const bool is_small = size < (is_float ? T(0x1p-60f) : T(0x1p-800));
  // No product is subnormal or infinite.
  const T value = size * (is_small ? (is_float ? T(0x1p72f) : T(0x1p216)) : T(0.125));
  constexpr int lower_bits = is_float ? 0 : 32;
  const auto upper_word = static_cast<int>(bits(value) >> lower_bits);
  const int third = static_cast<int>(static_cast<float>(upper_word) * (1.0f / 3.0f));
  const auto guess = static_cast<bits_type<T>>(third + (is_float ? 709958130 : 715094163));
  T root = bits_as<T>(guess << lower_bits);
  constexpr T coefficients[] = {T(0.145996192886612446982), T(-0.758397934778766047437),
                                T(1.621429720105354466140), T(-1.88497979543377169875),
                                T(1.87595182427177009643)};
  root = upper_half(root * polynomial((root * root) * (root / value), coefficients));
  const T square = root * root;
  const T upper = upper_half(square);
  const T remainder = (value - root * upper) - root * (square - upper);
  root = root + root * (remainder / (T(2) * (root * square) + value));
  root = root * (is_small ? (is_float ? T(0x1p-24f) : T(0x1p-72)) : T(2));
  const bool has_root = size > T(0) && size <= numeric_limits<T>::max();
  return has_root ? (x < T(0) ? -root : root) : x + x;
}

inline double natural_log(double x) { return __spirv_ocl_log(x); }
/// k log(2) + f - f^2 / 2 + f^3 p(f) for x = 2^k (1 + f), with the polynomial of S. L. Moshier's
/// Cephes. What the larger terms lose is added at the end.
inline float natural_log(float x) {
#pragma clang fp contract(off)
  constexpr unsigned root_of_half = 0x3f3504f3;
  const bool is_subnormal = x < 0x1p-126f;
  const unsigned word = bits(is_subnormal ? x * 0x1p25f : x) - root_of_half;
  const auto exponent =
      static_cast<float>((static_cast<int>(word) >> 23) + (is_subnormal ? -25 : 0));
  const float f = bits_as<float>((word & 0x7fffffU) + root_of_half) - 1.0f;
  constexpr float coefficients[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                    -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                    2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  const float upper = upper_half(f);
  const float half_square = 0.5f * upper * upper;
  const float rest_of_square = 0.5f * (f - upper) * (f + upper);
  const float multiple = exponent * 0.693359375f;
  const float fraction = f - half_square;
  const float sum = multiple + fraction;
  const float lost = ((f - fraction) - half_square) + ((multiple - sum) + fraction);
  const float cubic = f * f * f * polynomial(f, coefficients);
  const float value = sum + ((cubic - rest_of_square) + (exponent * -2.12194440e-4f + lost));
  return x > 0.0f ? (x < infinite ? value : x) : x == 0.0f ? -infinite : not_a_number;
}

/// Constants of hyperbolic_tangent, of S. L. Moshier's Cephes: exp(r) is
/// (even(r^2) + r odd(r^2)) / (even(r^2) - r odd(r^2)), tanh(x) near 0 is
/// x + x^3 over(x^2) / under(x^2), and log(2) is the sum of two numbers, the first of few digits.
template <class T>
struct tangent_constants {
  static constexpr T odd[] = {T(1.26177193074810590878e-4), T(3.02994407707441961300e-2), T(1)};
  static constexpr T even[] = {T(3.00198505138664455042e-6), T(2.52448340349684104192e-3),
                               T(2.27265548208155028766e-1), T(2)};
  static constexpr T over[] = {T(-9.64399179425052238628e-1), T(-9.92877231001918586564e1),
                               T(-1.61468768441708447952e3)};
  static constexpr T under[] = {T(1), T(1.12811678491632931402e2), T(2.23548839060100448583e3),
                                T(4.84406305325125486048e3)};
  static constexpr T log_of_2[] = {T(6.93145751953125e-1), T(1.42860682030941723212e-6)};
};
template <>
struct tangent_constants<float> {
  static constexpr float odd[] = {1.0f, 60.0f};
  static constexpr float even[] = {12.0f, 120.0f};
  static constexpr float over[] = {-5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f,
                                   1.33314422036e-1f, -3.33332819422e-1f};
  static constexpr float under[] = {1.0f};
  static constexpr float log_of_2[] = {0.693359375f, -2.12194440e-4f};
};
/// Far from 0 it is 1 - 2 / (exp(2 x) + 1); both ways end with one quotient.
template <class T>
inline T hyperbolic_tangent(T x) {
#pragma clang fp contract(off)
  using constants = tangent_constants<T>;
  const T size = __spirv_ocl_fabs(x);
  const T value = size < T(20) ? size : T(20);
  const T square = value * value;
  const auto halvings = static_cast<int>(value * T(2 * M_LOG2E) + T(0.5));
  const T r =
      (T(2) * value - T(halvings) * constants::log_of_2[0]) - T(halvings) * constants::log_of_2[1];
  const T odd = r * polynomial(r * r, constants::odd);
  const T even = polynomial(r * r, constants::even);
  const T below = even - odd;
  const T above = power_of_two<T>(halvings) * (even + odd);
  const bool is_near = value < T(0.625);
  const T limit = is_near ? value : T(1);
  const T over = is_near ? value * square * polynomial(square, constants::over) : T(-2) * below;
  const T under = is_near ? polynomial(square, constants::under) : above + below;
  const T result = limit + over / under;
  return x > T(0) ? result : x < T(0) ? -result : x;
}

// ---- functions of the devices' own, but for some numbers
//
// A vector with a number that the mathematics of Intel's driver for CPUs does not expect is
// computed number by number, which takes 5 to 80 times as long. These functions keep such numbers
// from it.

/// The value where the driver is not asked for it, else 0.
template <class T>
inline T unasked_sine(T x) {
  return x - x;  // of NaN and infinities
}
template <class T>
inline T unasked_power(T x) {
  return x == x ? T(0) : x;
}
#define USMX_ASKED(name, builtin, unasked)                      \
  template <class T>                                            \
  inline T name(T x) {                                          \
    const T value = unasked(x);                                 \
    const bool is_asked = value == T(0);                        \
    const T found = __spirv_ocl_##builtin(is_asked ? x : T(1)); \
    return is_asked ? found : value;                            \
  }
USMX_ASKED(sine, sin, unasked_sine)
USMX_ASKED(cosine, cos, unasked_sine)
USMX_ASKED(power_less_one, expm1, unasked_power)
#undef USMX_ASKED

/// The power of two by which the sides of a triangle are multiplied, so that floats are neither too
/// small nor too large for the driver.
template <class T>
inline T scale_of_sides(T x, T y) {
  if constexpr (__is_same(T, float)) {
    const float width = __spirv_ocl_fabs(x);
    const float height = __spirv_ocl_fabs(y);
    const float longer = width > height ? width : height;
    return longer > 0x1p58f ? 0x1p-70f : longer < 0x1p-55f ? 0x1p90f : 1.0f;
  } else {
    return T(1);
  }
}
/// The length that the scaled sides have given.
template <class T>
inline T unscaled(T length, T scale) {
  return scale == T(1) ? length : length * (scale < T(1) ? T(0x1p70f) : T(0x1p-90f));
}
template <class T>
inline T hypotenuse(T x, T y) {
  const T scale = scale_of_sides(x, y);
  return unscaled(__spirv_ocl_hypot(x * scale, y * scale), scale);
}

}  // namespace detail
#endif

// ---- functions of the devices' own, but for those above

// A function of one to three numbers, and the one for float with an f after its name.
#define USMX_MATH_AS(name, builtin)                                                              \
  template <class X, class... Rest>                                                              \
  inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, detail::promoted<X>> name(     \
      X x, Rest...) {                                                                            \
    using real = detail::computed<detail::promoted<X>>;                                          \
    return static_cast<detail::promoted<X>>(builtin(static_cast<real>(x)));                      \
  }                                                                                              \
  template <class X, class... Rest>                                                              \
  inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, float> name##f(X x, Rest...) { \
    return builtin(static_cast<float>(x));                                                       \
  }
#define USMX_MATH(name) USMX_MATH_AS(name, __spirv_ocl_##name)
USMX_MATH(sqrt)
USMX_MATH(rsqrt)
USMX_MATH(exp)
USMX_MATH(exp2)
USMX_MATH(exp10)
USMX_MATH(log2)
USMX_MATH(log10)
USMX_MATH(log1p)
USMX_MATH(tan)
USMX_MATH(asin)
USMX_MATH(acos)
USMX_MATH(atan)
USMX_MATH(sinh)
USMX_MATH(cosh)
USMX_MATH(asinh)
USMX_MATH(acosh)
USMX_MATH(atanh)
USMX_MATH(sinpi)
USMX_MATH(cospi)
USMX_MATH(erf)
USMX_MATH(erfc)
USMX_MATH(tgamma)
USMX_MATH(lgamma)
USMX_MATH(fabs)
USMX_MATH(floor)
USMX_MATH(ceil)
USMX_MATH(trunc)
USMX_MATH(round)
USMX_MATH(rint)
USMX_MATH_AS(nearbyint, __spirv_ocl_rint)
USMX_MATH(logb)
#ifdef __CUDACC_RTC__
USMX_MATH(sin)
USMX_MATH(cos)
USMX_MATH(expm1)
USMX_MATH(cbrt)
USMX_MATH(log)
USMX_MATH(tanh)
#else
USMX_MATH_AS(sin, detail::sine)
USMX_MATH_AS(cos, detail::cosine)
USMX_MATH_AS(expm1, detail::power_less_one)
USMX_MATH_AS(cbrt, detail::cube_root)
USMX_MATH_AS(log, detail::natural_log)
USMX_MATH_AS(tanh, detail::hyperbolic_tangent)
#endif
#undef USMX_MATH
#undef USMX_MATH_AS

#define USMX_MATH_AS(name, builtin)                                                                \
  template <class X, class Y, class... Rest>                                                       \
  inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, detail::promoted<X, Y>> name( \
      X x, Y y, Rest...) {                                                                         \
    using real = detail::computed<detail::promoted<X, Y>>;                                         \
    return static_cast<detail::promoted<X, Y>>(                                                    \
        builtin(static_cast<real>(x), static_cast<real>(y)));                                      \
  }                                                                                                \
  template <class X, class Y, class... Rest>                                                       \
  inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, float> name##f(X x, Y y,      \
                                                                                    Rest...) {     \
    return builtin(static_cast<float>(x), static_cast<float>(y));                                  \
  }
#define USMX_MATH(name) USMX_MATH_AS(name, __spirv_ocl_##name)
USMX_MATH(pow)
USMX_MATH(atan2)
USMX_MATH(fmod)
USMX_MATH(remainder)
USMX_MATH(fmin)
USMX_MATH(fmax)
USMX_MATH(fdim)
#ifdef __CUDACC_RTC__
USMX_MATH(hypot)
#else
USMX_MATH_AS(hypot, detail::hypotenuse)
#endif
#undef USMX_MATH
#undef USMX_MATH_AS

/// x * y + z, rounded once.
template <class X, class Y, class Z, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y, Z>, detail::promoted<X, Y, Z>>
fma(X x, Y y, Z z, Rest...) {
  using real = detail::computed<detail::promoted<X, Y, Z>>;
  return static_cast<detail::promoted<X, Y, Z>>(
      __spirv_ocl_fma(static_cast<real>(x), static_cast<real>(y), static_cast<real>(z)));
}
template <class X, class Y, class Z, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y, Z>, float> fmaf(X x, Y y, Z z,
                                                                                  Rest...) {
  return __spirv_ocl_fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
}

// ---- kinds of numbers

template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, bool> signbit(X x, Rest...) {
  if constexpr (detail::is_floating<X>) {
    return detail::bits(x) >> (sizeof(X) * 8 - 1) != 0;
  } else if constexpr (__is_signed(X)) {
    return x < X(0);
  } else {
    return false;
  }
}
/// The size of `x` with the sign of `y`, by signs alone: a device may change the sign of a NaN
/// whose type it converts.
template <class X, class Y, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, detail::promoted<X, Y>> copysign(
    X x, Y y, Rest...) {
  using result = detail::promoted<X, Y>;
  const auto number = static_cast<result>(x);
  return signbit(number) == signbit(y) ? number : static_cast<result>(-number);
}
template <class X, class Y, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, float> copysignf(X x, Y y,
                                                                                    Rest...) {
  return copysign(static_cast<float>(x), static_cast<float>(y));
}
#define USMX_KIND(name, of_floating, of_integers)                                            \
  template <class X, class... Rest>                                                          \
  inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, bool> name(X x, Rest...) { \
    if constexpr (detail::is_floating<X>) {                                                  \
      return of_floating;                                                                    \
    } else {                                                                                 \
      return of_integers;                                                                    \
    }                                                                                        \
  }
USMX_KIND(isnan, x != x, false)
USMX_KIND(isinf, fabs(x) == X(detail::infinite), false)
USMX_KIND(isfinite, fabs(x) < X(detail::infinite), true)
#undef USMX_KIND

// ---- functions of any numbers, in the numbers' own type

/// The magnitude, in the type of the number.
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, X> abs(X x, Rest...) {
  if constexpr (detail::is_floating<X>) {
    return fabs(x);
  } else if constexpr (__is_signed(X)) {
    return x < X(0) ? static_cast<X>(-x) : x;
  } else {
    return x;
  }
}
/// The smaller one; of a NaN and a number the number, as with fmin.
template <class X, class Y, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, detail::common<X, Y>> min(
    X x, Y y, Rest...) {
  using type = detail::common<X, Y>;
  if constexpr (detail::is_floating<type>) {
    return fmin(static_cast<type>(x), static_cast<type>(y));
  } else {
    return static_cast<type>(y) < static_cast<type>(x) ? static_cast<type>(y)
                                                       : static_cast<type>(x);
  }
}
/// The larger one; of a NaN and a number the number, as with fmax.
template <class X, class Y, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, detail::common<X, Y>> max(
    X x, Y y, Rest...) {
  using type = detail::common<X, Y>;
  if constexpr (detail::is_floating<type>) {
    return fmax(static_cast<type>(x), static_cast<type>(y));
  } else {
    return static_cast<type>(x) < static_cast<type>(y) ? static_cast<type>(y)
                                                       : static_cast<type>(x);
  }
}
/// x, but at least `low` and at most `high`; a NaN stays.
template <class X, class Low, class High, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Low, High>,
                       detail::common<X, Low, High>>
clamp(X x, Low low, High high, Rest...) {
  using type = detail::common<X, Low, High>;
  const auto value = static_cast<type>(x);
  return value < static_cast<type>(low)    ? static_cast<type>(low)
         : static_cast<type>(high) < value ? static_cast<type>(high)
                                           : value;
}

// ---- exponents and fractions

/// x * 2^n
template <class X, class N, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X> && detail::is_integer<N>,
                       detail::promoted<X>>
ldexp(X x, N n, Rest...) {
  using real = detail::computed<detail::promoted<X>>;
  return static_cast<detail::promoted<X>>(
      __spirv_ocl_ldexp(static_cast<real>(x), static_cast<int>(n)));
}
/// The exponent of a finite number that is not 0, as an integer.
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, int> ilogb(X x, Rest...) {
  using real = detail::computed<detail::promoted<X>>;
  return __spirv_ocl_ilogb(static_cast<real>(x));
}
/// A fraction from 1/2 to 1, and the power of 2 that gives x with it.
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, detail::promoted<X>> frexp(
    X x, int* exponent, Rest...) {
  if (x == X(0) || !isfinite(x)) {
    *exponent = 0;
    return x;
  }
  *exponent = ilogb(x) + 1;
  return ldexp(x, -*exponent);
}
/// The part after the point; `whole` is the part in front of it.
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, detail::promoted<X>> modf(
    X x, detail::promoted<X>* whole, Rest...) {
  const detail::promoted<X> value = x;
  *whole = trunc(value);
  return copysign(isinf(value) ? detail::promoted<X>(0) : value - *whole, value);
}
/// The number next to x on the way to y.
template <class X, class Y, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, detail::promoted<X, Y>>
nextafter(X x, Y y, Rest...) {
  using type = detail::promoted<X, Y>;
  using word = detail::bits_type<type>;
  const type from = x;
  const type to = y;
  if (isnan(from) || isnan(to)) {
    return from + to;
  }
  if (from == to) {
    return to;
  }
  if (from == type(0)) {
    return copysign(detail::bits_as<type>(word(1)), to);
  }
  const bool is_outwards = (from < to) == (type(0) < from);
  return detail::bits_as<type>(static_cast<word>(detail::bits(from) + (is_outwards ? 1 : -1)));
}

// The functions from here on have C's names for float, such as ldexpf.
template <class X, class N, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X> && detail::is_integer<N>, float>
ldexpf(X x, N n, Rest...) {
  return ldexp(static_cast<float>(x), n);
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, int> ilogbf(X x, Rest...) {
  return ilogb(static_cast<float>(x));
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, float> frexpf(X x, int* exponent,
                                                                              Rest...) {
  return frexp(static_cast<float>(x), exponent);
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, float> modff(X x, float* whole,
                                                                             Rest...) {
  return modf(static_cast<float>(x), whole);
}
template <class X, class Y, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X, Y>, float> nextafterf(X x, Y y,
                                                                                     Rest...) {
  return nextafter(static_cast<float>(x), static_cast<float>(y));
}

// ---- bits of integers

/// The number of bits that are set.
template <class X, class... Rest>
inline detail::enabled<detail::are_integers<sizeof...(Rest), X>, int> popcount(X x, Rest...) {
  return __builtin_popcountl(static_cast<unsigned long>(x) & (~0UL >> (64 - sizeof(X) * 8)));
}
/// The number of zeros in front of the highest bit that is set; all for 0.
template <class X, class... Rest>
inline detail::enabled<detail::are_integers<sizeof...(Rest), X>, int> clz(X x, Rest...) {
  constexpr int width = sizeof(X) * 8;
  const unsigned long word = static_cast<unsigned long>(x) & (~0UL >> (64 - width));
  return word == 0 ? width : __builtin_clzl(word) - (64 - width);
}
/// The number of zeros after the lowest bit that is set; all for 0.
template <class X, class... Rest>
inline detail::enabled<detail::are_integers<sizeof...(Rest), X>, int> ctz(X x, Rest...) {
  constexpr int width = sizeof(X) * 8;
  const unsigned long word = static_cast<unsigned long>(x) & (~0UL >> (64 - width));
  return word == 0 ? width : __builtin_ctzl(word);
}
/// The bits moved by `count` towards the highest one; those that leave there come in at the end.
template <class X, class N, class... Rest>
inline detail::enabled<detail::are_integers<sizeof...(Rest), X, N>, X> rotl(X x, N count, Rest...) {
  constexpr unsigned width = sizeof(X) * 8;
  const unsigned by = static_cast<unsigned>(count) % width;
  const unsigned long word = static_cast<unsigned long>(x) & (~0UL >> (64 - width));
  return static_cast<X>(by == 0 ? word : word << by | word >> (width - by));
}
/// The bits moved by `count` towards the lowest one.
template <class X, class N, class... Rest>
inline detail::enabled<detail::are_integers<sizeof...(Rest), X, N>, X> rotr(X x, N count, Rest...) {
  constexpr unsigned width = sizeof(X) * 8;
  return rotl(x, width - static_cast<unsigned>(count) % width);
}

// ---- the inverse of the error function, by M. J. Wichura's rational functions (AS241)

namespace detail {

/// How many standard deviations above the mean a normal value lies that `outside` of all exceed in
/// magnitude: for up to 0.15.
template <class T>
inline T normal_tail(T outside) {
  constexpr T near_over[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                             2.41780725177450611770e-1, 1.27045825245236838258e+0,
                             3.64784832476320460504e+0, 5.76949722146069140550e+0,
                             4.63033784615654529590e+0, 1.42343711074968357734e+0};
  constexpr T near_under[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                              1.51986665636164571966e-2, 1.48103976427480074590e-1,
                              6.89767334985100004550e-1, 1.67638483018380384940e+0,
                              2.05319162663775882187e+0, 1.0};
  constexpr T far_over[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                            1.24266094738807843860e-3, 2.65321895265761230930e-2,
                            2.96560571828504891230e-1, 1.78482653991729133580e+0,
                            5.46378491116411436990e+0, 6.65790464350110377720e+0};
  constexpr T far_under[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                             1.84631831751005468180e-5,  7.86869131145613259100e-4,
                             1.48753612908506148525e-2,  1.36929880922735805310e-1,
                             5.99832206555887937690e-1,  1.0};
  const T r = __spirv_ocl_sqrt(T(M_LN2) - __spirv_ocl_log(outside));
  return r <= T(5) ? polynomial(r - T(1.6), near_over) / polynomial(r - T(1.6), near_under)
                   : polynomial(r - T(5), far_over) / polynomial(r - T(5), far_under);
}
/// How many standard deviations above the mean a normal value lies that twice `half` of all do not
/// exceed in magnitude: for up to 0.425.
template <class T>
inline T normal_centre(T half) {
  constexpr T over[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4,
                        6.7265770927008700853e+4, 4.5921953931549871457e+4,
                        1.3731693765509461125e+4, 1.9715909503065514427e+3,
                        1.3314166789178437745e+2, 3.3871328727963666080e+0};
  constexpr T under[] = {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                         3.9307895800092710610e+4, 2.1213794301586595867e+4,
                         5.3941960214247511077e+3, 6.8718700749205790830e+2,
                         4.2313330701600911252e+1, 1.0};
  const T r = T(0.180625) - half * half;
  return half * polynomial(r, over) / polynomial(r, under);
}

/// The number of which erf is `inside` and erfc `outside`: not negative. One of both is exact.
template <class T>
inline T inverse_error_function(T inside, T outside) {
  if (!(inside >= T(0) && inside <= T(1))) {
    return detail::not_a_number;
  }
  if (inside <= T(0.85)) {
    return T(M_SQRT1_2) * normal_centre(inside * T(0.5));
  }
  return outside == T(0) ? T(detail::infinite) : T(M_SQRT1_2) * normal_tail(outside);
}

}  // namespace detail

/// The number whose erf is x.
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, detail::promoted<X>> erfinv(
    X x, Rest...) {
  using real = detail::computed<detail::promoted<X>>;
  const auto value = static_cast<real>(x);
  return static_cast<detail::promoted<X>>(
      copysign(detail::inverse_error_function(fabs(value), real(1) - fabs(value)), value));
}
/// The number whose erfc is x.
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, detail::promoted<X>> erfcinv(
    X x, Rest...) {
  using real = detail::computed<detail::promoted<X>>;
  const auto value = static_cast<real>(x);
  const real outside = value > real(1) ? real(2) - value : value;
  return static_cast<detail::promoted<X>>(
      copysign(detail::inverse_error_function(real(1) - outside, outside), real(1) - value));
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, float> erfinvf(X x, Rest...) {
  return erfinv(static_cast<float>(x));
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, float> erfcinvf(X x, Rest...) {
  return erfcinv(static_cast<float>(x));
}

}  // namespace usmx
