// Functions that the table's expressions call and the kernel language lacks: integers that wrap,
// the standard's division, and complex functions with the special values of C99's annex G. The
// kernels of mathematics begin with them.

/// The root. In a kernel for CUDA `sqrt` of float is CUDA's own, which has a branch.
#ifdef __CUDACC_RTC__
template <class T>
inline T root(T a) {
  return usmx::sqrt(a);
}
#else
template <class T>
inline T root(T a) {
  return sqrt(a);
}
#endif

// ---- integers: unsigned words of at least 32 bits, so that what overflows wraps

template <bool IsWide>
struct compute_word {
  using type = unsigned;
};
template <>
struct compute_word<true> {
  using type = unsigned long;
};
template <class T>
using word_of = typename compute_word<(sizeof(T) > 4)>::type;

template <class T>
inline T wrapping_add(T a, T b) {
  return T(word_of<T>(a) + word_of<T>(b));
}
template <class T>
inline T wrapping_subtract(T a, T b) {
  return T(word_of<T>(a) - word_of<T>(b));
}
template <class T>
inline T wrapping_multiply(T a, T b) {
  return T(word_of<T>(a) * word_of<T>(b));
}
template <class T>
inline T wrapping_negative(T a) {
  return T(word_of<T>(0) - word_of<T>(a));
}
/// Rounded down; 0 for a divisor of 0.
template <class T>
inline T integer_floor_divide(T a, T b) {
  if (b == T(0)) {
    return T(0);
  }
  if constexpr (__is_signed(T)) {
    if (b == T(-1)) {
      return wrapping_negative(a);
    }
    const T quotient = T(a / b);
    return T(a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient);
  } else {
    return T(a / b);
  }
}
/// The remainder with the sign of the divisor; 0 for a divisor of 0.
template <class T>
inline T integer_remainder(T a, T b) {
  if (b == T(0)) {
    return T(0);
  }
  if constexpr (__is_signed(T)) {
    if (b == T(-1)) {
      return T(0);
    }
    const T rest = T(a % b);
    return T(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  } else {
    return T(a % b);
  }
}
/// A negative exponent gives the whole part: 1, 1 or -1, or 0.
template <class T>
inline T integer_power(T base, T exponent) {
  if constexpr (__is_signed(T)) {
    if (exponent < 0) {
      return T(base == T(1) ? 1 : base == T(-1) ? (exponent & 1 ? -1 : 1) : 0);
    }
  }
  word_of<T> power = 1;
  word_of<T> square = word_of<T>(base);
  for (word_of<T> left = word_of<T>(exponent); left != 0; left >>= 1) {
    power *= left & 1 ? square : 1;
    square *= square;
  }
  return T(power);
}
/// `pow` of real numbers. The exponents that programs write most cost a multiplication or a root:
/// drivers' own functions take a hundred times as long for them, longest for negative numbers.
template <class T>
inline T real_power(T base, T exponent) {
  if (exponent == T(2)) {
    return base * base;
  }
  if (exponent == T(3)) {
    return base * base * base;
  }
  if (exponent == T(-1)) {
    return T(1) / base;
  }
  if (exponent == T(0.5)) {  // of -0 and of -infinity other than the root
    return isinf(base) ? fabs(base) : sqrt(base) + T(0);
  }
  return pow(base, exponent);
}
/// No bits are left of a shift by the width or more; a negative count is one of these.
template <class T>
inline T shifted_left(T a, T count) {
  return word_of<T>(count) < 8 * sizeof(T) ? T(word_of<T>(a) << word_of<T>(count)) : T(0);
}
template <class T>
inline T shifted_right(T a, T count) {
  return word_of<T>(count) < 8 * sizeof(T) ? T(a >> word_of<T>(count)) : T(a < T(0) ? -1 : 0);
}
/// The values are compared, whatever the signs of the types.
template <class A, class B>
inline bool is_less(A a, B b) {
  if constexpr (__is_signed(A) && !__is_signed(B)) {
    return a < A(0) || static_cast<unsigned long>(a) < b;
  } else if constexpr (!__is_signed(A) && __is_signed(B)) {
    return b > B(0) && a < static_cast<unsigned long>(b);
  } else {
    return a < b;
  }
}
template <class A, class B>
inline bool is_same(A a, B b) {
  return !is_less(a, b) && !is_less(b, a);
}
template <class T>
inline bool is_nonzero(T a) {
  return a != T(0);
}

// ---- conversions: those of `astype` (src/kernels/device/elements.hpp), where C++ leaves some open

/// `Int` is of 32 or 64 bits. Its lowest number for NaN and for those it cannot hold.
template <class Int, class T>
inline Int truncated(T a) {
  const T lowest = T(numeric_limits<Int>::min());
  return Int(a >= lowest && a < -lowest ? a : lowest);
}
/// The elements of `Part`s make the type.
template <class To, class Part = To>
struct conversion {
  template <class T>
  static To of(T a) {
    if constexpr (numeric_limits<To>::digits == 1) {
      return a != T(0);
    } else if constexpr (!numeric_limits<To>::is_integer || numeric_limits<T>::is_integer) {
      return To(a);
    } else if constexpr (sizeof(T) < sizeof(float)) {
      return of(float(a));
    } else if constexpr (sizeof(To) == 8 && !numeric_limits<To>::is_signed) {
      const T middle = T(1UL << 63);
      return a >= middle ? To(truncated<long>(a - middle)) ^ 1UL << 63 : To(truncated<long>(a));
    } else if constexpr (sizeof(To) == 8 || (sizeof(To) == 4 && !numeric_limits<To>::is_signed)) {
      return To(truncated<long>(a));
    } else {
      return To(truncated<int>(a));
    }
  }
  template <class T>
  static To of(complex<T> a) {
    if constexpr (numeric_limits<To>::digits == 1) {
      return a != complex<T>(T(0));
    } else {
      return of(a.real());
    }
  }
};
template <class To, class Part>
struct conversion<To, complex<Part>> {
  template <class T>
  static To of(T a) {
    return conversion<Part>::of(a);
  }
  template <class T>
  static To of(complex<T> a) {
    return {conversion<Part>::of(a.real()), conversion<Part>::of(a.imag())};
  }
};
template <class To, class T>
inline To converted(T a) {
  return conversion<To>::of(a);
}

// ---- real numbers

/// The standard's rule: with an infinity the quotient decides, where NumPy has NaN.
template <class T>
inline T real_floor_divide(T a, T b) {
  if (b == T(0) || isinf(a) || isinf(b)) {
    return floor(a / b);
  }
  const T rest = fmod(a, b);
  const T quotient = (a - rest) / b - T(rest != T(0) && (b < T(0)) != (rest < T(0)) ? 1 : 0);
  if (quotient == T(0)) {
    return copysign(T(0), a / b);
  }
  const T whole = floor(quotient);
  return quotient - whole > T(0.5) ? whole + T(1) : whole;
}
template <class T>
inline T real_remainder(T a, T b) {
  const T rest = fmod(a, b);
  if (rest == T(0)) {
    return copysign(T(0), b);
  }
  return (b < T(0)) != (rest < T(0)) && b != T(0) ? rest + b : rest;
}
template <class T>
inline T real_sign(T a) {
  return a > T(0) ? T(1) : a < T(0) ? T(-1) : a == T(0) ? T(0) : a;
}
/// A NaN wins.
template <class T>
inline T real_maximum(T a, T b) {
  const T greater = a >= b ? a : b;  // compilers make vectors of two choices, not of an `or`
  return isnan(a) ? a : greater;
}
template <class T>
inline T real_minimum(T a, T b) {
  const T smaller = a <= b ? a : b;
  return isnan(a) ? a : smaller;
}
template <class T>
inline T log_of_sum_of_exponentials(T a, T b) {
  if (a == b) {  // infinities too
    return a + T(M_LN2);
  }
  const T step = a - b;
  return step > T(0) ? a + log1p(exp(-step)) : step <= T(0) ? b + log1p(exp(step)) : step;
}

// ---- complex numbers

/// A real number as a complex one. Intel's compiler for the CPU must not see that its imaginary
/// part is 0: it leaves that out of products, which are then no NaN and have other signs of zeros.
template <class C, class T>
inline C with_imaginary_zero(T a) {
  using Part = typename C::value_type;
  const Part real = Part(a);
  return {real, isfinite(real) ? real - real : Part(0)};
}

/// Compares the real parts, and of equal ones the imaginary parts; NaN is in no order.
template <class T>
inline bool is_less(complex<T> a, complex<T> b) {
  return (a.real() < b.real() && !isnan(a.imag()) && !isnan(b.imag())) ||
         (a.real() == b.real() && a.imag() < b.imag());
}
/// A NaN wins, in either part.
template <class T>
inline complex<T> complex_maximum(complex<T> a, complex<T> b) {
  return isnan(a) || !(isnan(b) || is_less(a, b)) ? a : b;
}
template <class T>
inline complex<T> complex_minimum(complex<T> a, complex<T> b) {
  return isnan(a) || !(isnan(b) || is_less(b, a)) ? a : b;
}
template <class T>
inline complex<T> times_i(complex<T> z) {
  return {-z.imag(), z.real()};
}
template <class T>
inline complex<T> times_minus_i(complex<T> z) {
  return {z.imag(), -z.real()};
}
/// 1 / z, as NumPy has it.
template <class T>
inline complex<T> complex_reciprocal(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (fabs(x) >= fabs(y)) {
    const T ratio = y / x;
    const T scale = x + y * ratio;
    return {T(1) / scale, -ratio / scale};
  }
  const T ratio = x / y;
  const T scale = x * ratio + y;
  return {ratio / scale, T(-1) / scale};
}
/// z / abs(z)
template <class T>
inline complex<T> complex_sign(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (isinf(x) || isinf(y)) {
    return isinf(x) && isinf(y) ? complex<T>(T(NAN), T(NAN))
           : isinf(x)           ? complex<T>(copysign(T(1), x))
                                : complex<T>(T(0), copysign(T(1), y));
  }
  if (x == T(0) && y == T(0)) {
    return T(0);
  }
  constexpr T epsilon = numeric_limits<T>::epsilon();
  // Scaled, no magnitude overflows, and none is lost.
  const T scale = fmax(fabs(x), fabs(y)) > T(1) ? T(0.25) : T(1) / (epsilon * epsilon);
  const T magnitude = hypot(x * scale, y * scale);
  return {x * scale / magnitude, y * scale / magnitude};
}
template <class T>
inline complex<T> complex_log2(complex<T> z) {
  const complex<T> natural = log(z);
  return {natural.real() * T(M_LOG2E), natural.imag() * T(M_LOG2E)};
}
template <class T>
inline complex<T> complex_log1p(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  const bool is_near = fabs(x) < T(0.5) && fabs(y) < T(0.5);
  const T real =
      is_near ? T(0.5) * log1p(x * (T(2) + x) + y * y) : log(complex<T>(x + T(1), y)).real();
  return {real, atan2(y, x + T(1))};
}
template <class T>
inline complex<T> complex_expm1(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (y == T(0)) {
    return {x == T(0) ? T(0) : expm1(x), y};
  }
  if (!isfinite(x) || !isfinite(y) || fabs(x) > T(40)) {
    const complex<T> power = exp(z);
    return {power.real() - T(1), power.imag()};
  }
  const T half_sine = sin(y * T(0.5));
  return {expm1(x) * cos(y) - T(2) * half_sine * half_sine, exp(x) * sin(y)};
}

// The inverse functions, by W. Kahan's formulas: roots of 1 + z and 1 - z keep the sides of the
// cuts apart. Far from 0 they are logarithms.

template <class T>
inline bool is_far(complex<T> z) {
  return isinf(z) ||
         (fmax(fabs(z.real()), fabs(z.imag())) > T(1) / numeric_limits<T>::epsilon() && !isnan(z));
}
template <class T>
inline T log_of_twice(complex<T> z) {
  return log(z).real() + T(M_LN2);
}
/// A magnitude with the sign of a number. That of NaN is whatever a compiler made of it, so a
/// number never has it.
template <class T>
inline T signed_as(T magnitude, T number) {
  return isnan(number) ? magnitude : copysign(magnitude, number);
}

template <class T>
inline complex<T> complex_acos(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (is_far(z)) {
    return {atan2(fabs(y), x), -signed_as(log_of_twice(z), y)};
  }
  if (isnan(z)) {
    return {x == T(0) ? T(M_PI_2) : T(NAN), T(NAN)};
  }
  const complex<T> below = sqrt(complex<T>(T(1) - x, -y));
  const complex<T> above = sqrt(complex<T>(T(1) + x, y));
  return {T(2) * atan2(below.real(), above.real()),
          asinh(above.real() * below.imag() - above.imag() * below.real())};
}
template <class T>
inline complex<T> complex_acosh(complex<T> z) {
  const complex<T> turned = complex_acos(z);
  return {fabs(turned.imag()), signed_as(turned.real(), z.imag())};
}
template <class T>
inline complex<T> complex_asinh(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (is_far(z)) {
    return {signed_as(log_of_twice(z), x), copysign(atan2(fabs(y), fabs(x)), y)};
  }
  if (isnan(z)) {
    return {T(NAN), y == T(0) ? y : T(NAN)};
  }
  const complex<T> below = sqrt(complex<T>(T(1) + y, -x));  // 1 - iz
  const complex<T> above = sqrt(complex<T>(T(1) - y, x));
  return {asinh(above.real() * -below.imag() + above.imag() * below.real()),
          atan2(y, below.real() * above.real() - below.imag() * above.imag())};
}
template <class T>
inline complex<T> complex_asin(complex<T> z) {
  return times_minus_i(complex_asinh(times_i(z)));
}
template <class T>
inline complex<T> complex_atanh(complex<T> z) {
  const T x = z.real();
  const T y = z.imag();
  if (isinf(x) || isinf(y)) {
    return {signed_as(T(0), x), isnan(y) ? y : copysign(T(M_PI_2), y)};
  }
  if (isnan(x) || isnan(y)) {
    return {x == T(0) ? x : T(NAN), T(NAN)};
  }
  if (fabs(x) == T(1) && y == T(0)) {
    return {copysign(T(INFINITY), x), y};
  }
  if (is_far(z)) {  // of the order of 1 / z
    const T length = hypot(x * T(0.5), y * T(0.5)) * T(2);
    return {x / length / length, copysign(T(M_PI_2), y)};
  }
  const T away = T(1) - fabs(x);
  const T imag = T(0.5) * atan2(T(2) * y, away * (T(1) + fabs(x)) - y * y);
  if (away == T(0) && fabs(y) < numeric_limits<T>::epsilon()) {  // whose square may be no number
    return {copysign(T(0.5) * (T(M_LN2) - log(fabs(y))), x), imag};
  }
  return {copysign(T(0.25) * log1p(T(4) * fabs(x) / (away * away + y * y)), x), imag};
}
template <class T>
inline complex<T> complex_atan(complex<T> z) {
  return times_minus_i(complex_atanh(times_i(z)));
}

// ---- reductions

/// The sum with what was lost, of which nothing is known once the sum is not finite; and 0 + -0.0
/// is not -0.0.
template <class T>
inline T with_rest(T sum, T rest) {
  return isfinite(rest) && rest != T(0) ? sum + rest : sum;
}
template <class T>
inline complex<T> with_rest(complex<T> sum, complex<T> rest) {
  return {with_rest(sum.real(), rest.real()), with_rest(sum.imag(), rest.imag())};
}

template <class T>
inline constexpr bool is_single = __is_same(T, float) || __is_same(T, complex<float>);

/// A sum, and what its roundings have lost, so that the error does not grow with the number of
/// addends. D. Knuth's sum of two numbers (The Art of Computer Programming, volume 2, 4.2.2) tells
/// what an addition loses; for complex numbers it does so part by part.
template <class T>
class compensated {
 public:
  compensated() = default;  // not set, as numbers
  constexpr compensated(T sum, T lost = T(0)) : sum_(sum), lost_(lost) {}

  constexpr T sum() const { return sum_; }
  constexpr T lost() const { return lost_; }

  friend constexpr compensated operator+(compensated a, compensated b) {
    const T sum = a.sum_ + b.sum_;
    const T of_b = sum - a.sum_;
    const T lost = (a.lost_ + b.lost_) + ((a.sum_ - (sum - of_b)) + (b.sum_ - of_b));
    if constexpr (is_single<T>) {  // else what is lost would itself lose digits in a long sum
      const T all = with_rest(sum, lost);
      return {all, (sum - all) + lost};
    } else {
      return {sum, lost};
    }
  }

 private:
  T sum_;
  T lost_;
};

template <class T>
inline T rounded(T sum) {
  return sum;
}
template <class T>
inline T rounded(compensated<T> a) {
  return with_rest(a.sum(), a.lost());
}

template <class T>
inline T divided(T sum, long count) {
  return sum / T(count);
}
template <class T>
inline complex<T> divided(complex<T> sum, long count) {
  return {sum.real() / T(count), sum.imag() / T(count)};
}
/// Rounded once: the mean of equal numbers is that number.
template <class T>
inline T divided(compensated<T> a, long count) {
  const T quotient = a.sum() / T(count);
  return with_rest(quotient, (fma(-quotient, T(count), a.sum()) + a.lost()) / T(count));
}
template <class T>
inline complex<T> divided(compensated<complex<T>> a, long count) {
  return {divided(compensated<T>(a.sum().real(), a.lost().real()), count),
          divided(compensated<T>(a.sum().imag(), a.lost().imag()), count)};
}
/// NaN or infinity if nothing is left of the count.
template <class T>
inline T over(T sum, long count, T correction) {
  return sum / fmax(T(count) - correction, T(0));
}
template <class T>
inline T over(compensated<T> a, long count, T correction) {
  return over(rounded(a), count, correction);
}
/// A value and its index: of the greatest one for a `Sign` of 1, of the smallest one for -1.
template <class T, int Sign>
struct best {
  T value;
  long index;
};
/// A NaN is better than any number, and of equal values the first one is. Without branches, so that
/// a GPU loads the next elements meanwhile.
template <class T, int Sign>
inline bool is_better(best<T, Sign> a, best<T, Sign> b) {
  const bool is_first = a.index < b.index;
  const bool is_beyond = Sign > 0 ? a.value > b.value : a.value < b.value;
  if constexpr (numeric_limits<T>::is_integer) {
    return is_beyond | ((a.value == b.value) & is_first);
  } else {
    const bool a_nan = a.value != a.value;
    const bool b_nan = b.value != b.value;
    return is_beyond | (a_nan & !b_nan) | (((a.value == b.value) | (a_nan & b_nan)) & is_first);
  }
}

template <class T, int Sign>
inline bool is_better(best<complex<T>, Sign> a, best<complex<T>, Sign> b) {
  if (isnan(a.value) || isnan(b.value)) {
    return isnan(a.value) && (!isnan(b.value) || a.index < b.index);
  }
  const bool is_beyond = Sign > 0 ? is_less(b.value, a.value) : is_less(a.value, b.value);
  return is_beyond || (a.value == b.value && a.index < b.index);
}

// ---- order, for sorting: NaN comes after all numbers

template <class T>
inline bool comes_first(T a, T b) {
  return a < b || (isnan(b) && !isnan(a));
}
/// Compares the real parts, then the imaginary parts; numbers without NaN come first.
template <class T>
inline bool comes_first(complex<T> a, complex<T> b) {
  const T x[] = {a.real(), b.real()};
  const T y[] = {a.imag(), b.imag()};
  if (x[0] < x[1] || x[1] < x[0]) {
    return isnan(y[0]) == isnan(y[1]) ? x[0] < x[1] : isnan(y[1]);
  }
  return isnan(x[0]) == isnan(x[1]) ? comes_first(y[0], y[1]) : isnan(x[1]);
}
