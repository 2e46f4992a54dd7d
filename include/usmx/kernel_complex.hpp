// Complex numbers of kernels, and their functions: with the branch cuts and the special values of
// C99's annex G. Device code only: <usmx/kernel.hpp> includes it.
#pragma once

#include <usmx/kernel_math.hpp>

namespace usmx {

/// A complex number as arrays of complex64 (T is float) and complex128 (double) have it. Numbers
/// convert to it, and complex<float> to complex<double>. The functions are found by their argument.
template <class T>
class complex {
 public:
  using value_type = T;

  complex() = default;  // not set, as numbers
  constexpr complex(T real, T imag = 0) : real_(real), imag_(imag) {}
  template <class U, class = detail::enabled<(sizeof(U) < sizeof(T)), U>>
  constexpr complex(complex<U> other) : real_(other.real()), imag_(other.imag()) {}
  template <class U, detail::enabled<(sizeof(U) > sizeof(T)), int> = 0>
  constexpr explicit complex(complex<U> other)
      : real_(static_cast<T>(other.real())), imag_(static_cast<T>(other.imag())) {}

  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }

  constexpr complex& operator+=(complex b) { return *this = *this + b; }
  constexpr complex& operator-=(complex b) { return *this = *this - b; }
  constexpr complex& operator*=(complex b) { return *this = *this * b; }
  constexpr complex& operator/=(complex b) { return *this = *this / b; }

  friend constexpr complex operator+(complex a) { return a; }
  friend constexpr complex operator-(complex a) { return {-a.real_, -a.imag_}; }
  friend constexpr complex operator+(complex a, complex b) {
    return {a.real_ + b.real_, a.imag_ + b.imag_};
  }
  friend constexpr complex operator-(complex a, complex b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  friend constexpr complex operator*(complex a, complex b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  /// Scaled by the larger part of `b`, as NumPy does it, so that no square overflows.
  friend constexpr complex operator/(complex a, complex b) {
    const T real = b.real_ < 0 ? -b.real_ : b.real_;
    const T imag = b.imag_ < 0 ? -b.imag_ : b.imag_;
    if (real == 0 && imag == 0) {
      const T zero = real * real;  // +0, whatever the sign of `real`
      return {a.real_ / zero, a.imag_ / zero};
    }
    if (real >= imag) {
      const T ratio = b.imag_ / b.real_;
      const T scale = 1 / (b.real_ + b.imag_ * ratio);
      return {(a.real_ + a.imag_ * ratio) * scale, (a.imag_ - a.real_ * ratio) * scale};
    }
    const T ratio = b.real_ / b.imag_;
    const T scale = 1 / (b.imag_ + b.real_ * ratio);
    return {(a.real_ * ratio + a.imag_) * scale, (a.imag_ * ratio - a.real_) * scale};
  }
  friend constexpr bool operator==(complex a, complex b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend constexpr bool operator!=(complex a, complex b) { return !(a == b); }

 private:
  T real_;
  T imag_;
};

// ---- parts, which real numbers have too

template <class T>
constexpr T real(complex<T> z) {
  return z.real();
}
template <class T>
constexpr T imag(complex<T> z) {
  return z.imag();
}
template <class T>
constexpr complex<T> conj(complex<T> z) {
  return {z.real(), -z.imag()};
}
/// The square of the magnitude.
template <class T>
constexpr T norm(complex<T> z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T>
inline T abs(complex<T> z) {
  return hypot(z.real(), z.imag());
}
/// The angle, from -pi to pi.
template <class T>
inline T arg(complex<T> z) {
  return atan2(z.imag(), z.real());
}

template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, X> real(X x, Rest...) {
  return x;
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, X> imag(X, Rest...) {
  return X(0);
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, X> conj(X x, Rest...) {
  return x;
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, detail::promoted<X>> norm(X x,
                                                                                          Rest...) {
  const detail::promoted<X> value = x;  // the square of an integer need not fit its type
  return value * value;
}
template <class X, class... Rest>
inline detail::enabled<detail::are_numbers<sizeof...(Rest), X>, detail::promoted<X>> arg(X x,
                                                                                         Rest...) {
  return atan2(detail::promoted<X>(0), x);
}

// ---- kinds

template <class T>
inline bool isnan(complex<T> z) {
  return isnan(z.real()) || isnan(z.imag());
}
template <class T>
inline bool isinf(complex<T> z) {
  return isinf(z.real()) || isinf(z.imag());
}
template <class T>
inline bool isfinite(complex<T> z) {
  return isfinite(z.real()) && isfinite(z.imag());
}

// ---- exponential functions and roots

namespace detail {

/// The number at which the exponential function of a real number is close to its end.
template <class T>
inline constexpr T large_exponent = __is_same(T, float) ? T(87) : T(708);

/// exp(x) * factor for finite factors, without an overflow before the end of the numbers.
template <class T>
inline T scaled_exp(T x, T factor) {
  if (x < large_exponent<T>) {
    return exp(x) * factor;
  }
  const T root = exp(x * T(0.5));
  return root * factor * root;
}

/// x * x + y * y - 1 for x of 1/2 to 3/2 and a smaller y: products and sums have their rest added.
template <class T>
inline T squares_minus_one(T x, T y) {
  const T of_x = product(x, x);
  const T of_y = product(y, y);
  const T rest = fma(x, x, -of_x) + fma(y, y, -of_y);
  const T above = of_x - T(1);
  const T both = above + of_y;
  return both + ((above - (both - of_y)) + rest);
}

/// The logarithm of the magnitude.
template <class T>
inline T log_abs(T real, T imag) {
  const T a = fabs(real);
  const T b = fabs(imag);
  const T larger = fmax(a, b);
  const T smaller = fmin(a, b);
  if (isinf(a) || isinf(b)) {
    return T(infinite);
  }
  if (isnan(a) || isnan(b)) {
    return a + b;
  }
  if (larger > T(0.5) && larger < T(1.5)) {
    return log1p(squares_minus_one(larger, smaller)) * T(0.5);
  }
  const bool is_tiny = larger < numeric_limits<T>::min() / numeric_limits<T>::epsilon();
  const bool is_huge = larger > numeric_limits<T>::max() * T(0.25);
  if (larger > T(0) && (is_tiny || is_huge)) {
    const int by = is_huge ? -numeric_limits<T>::digits : 2 * numeric_limits<T>::digits;
    return log(hypot(ldexp(a, by), ldexp(b, by))) - by * T(M_LN2);
  }
  return log(hypot(a, b));
}

}  // namespace detail

template <class T>
inline complex<T> exp(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (y == T(0)) {
    return {exp(x), y};
  }
  if (!isfinite(y)) {
    return isinf(x) ? x < T(0) ? complex<T>(T(0), T(0)) : complex<T>(x, T(detail::not_a_number))
                    : complex<T>(T(detail::not_a_number), T(detail::not_a_number));
  }
  return {detail::scaled_exp(x, cos(y)), detail::scaled_exp(x, sin(y))};
}
/// The main branch: the imaginary part is from -pi to pi, with a cut along the negative axis.
template <class T>
inline complex<T> log(complex<T> z) {
  return {detail::log_abs(z.real(), z.imag()), arg(z)};
}
template <class T>
inline complex<T> log10(complex<T> z) {
  const complex<T> natural = log(z);
  return {natural.real() * T(M_LOG10E), natural.imag() * T(M_LOG10E)};
}
/// The root whose real part is not negative, with a cut along the negative axis.
template <class T>
inline complex<T> sqrt(complex<T> z) {
  T x = z.real();
  T y = z.imag();
  if (isinf(y)) {
    return {T(detail::infinite), y};
  }
  if (x == T(0) && y == T(0)) {
    return {T(0), y};
  }
  if (isinf(x)) {
    const T other = isnan(y) ? y : T(0);
    return signbit(x) ? complex<T>(fabs(other), isnan(y) ? x : copysign(x, y))
                      : complex<T>(x, copysign(other, y));
  }
  const T larger = fmax(fabs(x), fabs(y));
  int by = 0;  // so that no square is lost
  if (larger > numeric_limits<T>::max() * T(0.25)) {
    by = -2;
  } else if (larger < numeric_limits<T>::min() / numeric_limits<T>::epsilon()) {
    by = 2 * numeric_limits<T>::digits;
  }
  x = ldexp(x, by);
  y = ldexp(y, by);
  const T root = sqrt((fabs(x) + hypot(x, y)) * T(0.5));
  const T other = y / (root * T(2));
  const T scaled_root = ldexp(root, -by / 2);
  const T scaled_other = ldexp(other, -by / 2);
  return x < T(0) ? complex<T>(fabs(scaled_other), copysign(scaled_root, y))
                  : complex<T>(scaled_root, scaled_other);
}

namespace detail {

/// The power for exponents other than 0.
template <class T, class N>
inline complex<T> integer_power(complex<T> base, N exponent) {
  const bool is_negative = exponent < N(0);
  unsigned long left =
      is_negative ? -static_cast<unsigned long>(exponent) : static_cast<unsigned long>(exponent);
  complex<T> square = base;
  for (; (left & 1) == 0; left >>= 1) {
    square *= square;
  }
  complex<T> power = square;  // not 1 times it: 0 times an infinite part is NaN
  while (left >>= 1) {
    square *= square;
    if (left & 1) {
      power *= square;
    }
  }
  return is_negative ? complex<T>(T(1)) / power : power;
}

/// A factor of an infinite product: 1 stands for an infinity, and 0 for a NaN or for a number
/// beside an infinity.
template <class T>
inline complex<T> direction_of(complex<T> z) {
  const bool is_infinite = isinf(z);
  const auto part = [&](T x) {
    return is_infinite || isnan(x) ? copysign(isinf(x) ? T(1) : T(0), x) : x;
  };
  return {part(z.real()), part(z.imag())};
}

/// The product of C99's annex G.5.1: infinite, if a factor is, where operator* has two NaN.
template <class T>
inline complex<T> product_of_any(complex<T> z, complex<T> w) {
  const complex<T> plain = z * w;
  if (!(isnan(plain.real()) && isnan(plain.imag())) || !(isinf(z) || isinf(w))) {
    return plain;
  }
  const complex<T> direction = direction_of(z) * direction_of(w);
  return {T(infinite) * direction.real(), T(infinite) * direction.imag()};
}

}  // namespace detail

/// z to the power of w; integers below 100 in magnitude are powers by multiplication, as in NumPy.
template <class T>
inline complex<T> pow(complex<T> z, complex<T> w) {
  constexpr T many = 100;
  if (w == complex<T>(T(0))) {
    return T(1);
  }
  if (z == complex<T>(T(0))) {
    return w.real() > T(0) ? complex<T>(T(0))
                           : complex<T>(T(detail::not_a_number), T(detail::not_a_number));
  }
  if (w.imag() == T(0) && w.real() == trunc(w.real()) && fabs(w.real()) < many) {
    return detail::integer_power(z, static_cast<int>(w.real()));
  }
  return exp(detail::product_of_any(w, log(z)));
}
template <class T, class X>
inline detail::enabled<detail::is_number<X>, complex<T>> pow(complex<T> z, X x) {
  return pow(z, complex<T>(static_cast<T>(x)));
}
template <class T, class X>
inline detail::enabled<detail::is_number<X>, complex<T>> pow(X x, complex<T> w) {
  return pow(complex<T>(static_cast<T>(x)), w);
}

// ---- hyperbolic and trigonometric functions

namespace detail {

/// The value exp(|x|) / 2 times a factor, for large |x|, where sinh and cosh differ in the sign
/// alone.
template <class T>
inline T half_exp(T x, T factor) {
  return scaled_exp(fabs(x), factor * T(0.5));
}

template <class T>
inline bool is_large(T x) {
  return fabs(x) >= large_exponent<T>;
}

}  // namespace detail

template <class T>
inline complex<T> sinh(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (y == T(0) && !isnan(x)) {
    return {sinh(x), y};
  }
  if (!isfinite(x) || !isfinite(y)) {
    if (x == T(0)) {
      return {x, T(detail::not_a_number)};
    }
    if (isinf(x)) {
      return isfinite(y) ? complex<T>(x * cos(y), T(detail::infinite) * sin(y))
                         : complex<T>(x, T(detail::not_a_number));
    }
    return {T(detail::not_a_number), y == T(0) ? y : T(detail::not_a_number)};
  }
  if (detail::is_large(x)) {
    return {copysign(T(1), x) * detail::half_exp(x, cos(y)), detail::half_exp(x, sin(y))};
  }
  return {sinh(x) * cos(y), cosh(x) * sin(y)};
}
template <class T>
inline complex<T> cosh(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (y == T(0) && !isnan(x)) {
    return {cosh(x), copysign(y, T(signbit(x) != signbit(y) ? -1 : 1))};
  }
  if (!isfinite(x) || !isfinite(y)) {
    if (x == T(0)) {
      return {T(detail::not_a_number), x};
    }
    if (isinf(x)) {
      return isfinite(y) ? complex<T>(T(detail::infinite) * cos(y), x * sin(y))
                         : complex<T>(T(detail::infinite), T(detail::not_a_number));
    }
    return {T(detail::not_a_number), y == T(0) ? y : T(detail::not_a_number)};
  }
  if (detail::is_large(x)) {
    return {detail::half_exp(x, cos(y)), copysign(T(1), x) * detail::half_exp(x, sin(y))};
  }
  return {cosh(x) * cos(y), sinh(x) * sin(y)};
}
/// Uses W. Kahan's formula, which loses nothing by cancellation.
template <class T>
inline complex<T> tanh(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (isnan(x)) {
    return {x, y == T(0) ? y : T(detail::not_a_number)};
  }
  if (isinf(x)) {
    const T sign = isfinite(y) ? sin(y) * cos(y) : isnan(y) ? T(1) : y;
    return {copysign(T(1), x), copysign(T(0), sign)};
  }
  if (!isfinite(y)) {
    return {x == T(0) ? x : T(detail::not_a_number), T(detail::not_a_number)};
  }
  constexpr T flat = __is_same(T, float) ? T(11) : T(22);
  if (fabs(x) >= flat) {
    const T decay = exp(-fabs(x));
    return {copysign(T(1), x), T(4) * sin(y) * cos(y) * decay * decay};
  }
  const T t = tan(y);
  const T beta = T(1) + t * t;
  const T s = sinh(x);
  const T rho = sqrt(T(1) + s * s);
  if (isinf(t)) {
    return {rho / s, T(1) / t};
  }
  const T under = T(1) + beta * s * s;
  return {beta * rho * s / under, t / under};
}

// sin(z) is -i sinh(iz), and the others alike.
template <class T>
inline complex<T> sin(complex<T> z) {
  const complex<T> turned = sinh(complex<T>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}
template <class T>
inline complex<T> cos(complex<T> z) {
  return cosh(complex<T>(-z.imag(), z.real()));
}
template <class T>
inline complex<T> tan(complex<T> z) {
  const complex<T> turned = tanh(complex<T>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}

}  // namespace usmx
