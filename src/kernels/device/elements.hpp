// Element types and conversions between them, with NumPy's results; a number that its new type
// cannot hold gives some value, and never traps. Half precision in integer arithmetic, and with
// USMX_INTEGER_DOUBLE double precision as well, for devices that lack those types. For device code
// and for the host's, which makes vector code of it: so there are few branches. Without SYCL.
#pragma once

#include <cstdint>

namespace usmx::inline v1::kernels {

template <class To, class From>
inline To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
#ifdef __CUDACC_RTC__
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
#else
  return __builtin_bit_cast(To, from);
#endif
}

// Types of elements, named as NumPy's typestrs.
using i1 = std::int8_t;
using i2 = std::int16_t;
using i4 = std::int32_t;
using i8 = std::int64_t;
using u1 = std::uint8_t;
using u2 = std::uint16_t;
using u4 = std::uint32_t;
using u8 = std::uint64_t;
using f4 = float;
struct b1 {
  u1 byte;  // any but 0 is true
};
struct f2 {
  u2 bits;
};
struct c8 {
  f4 real;
  f4 imaginary;
};

#ifdef USMX_INTEGER_DOUBLE
struct f8 {
  u8 bits;
};
#else
using f8 = double;
#endif
struct c16 {
  f8 real;
  f8 imaginary;
};

/// The plain types by their names in usmx::type_code, and the classes of their elements.
// clang-format off
#define USMX_PLAIN_TYPES(EACH)                                                               \
  EACH(bool_, b1)                                                                            \
  EACH(int8, i1) EACH(int16, i2) EACH(int32, i4) EACH(int64, i8)                             \
  EACH(uint8, u1) EACH(uint16, u2) EACH(uint32, u4) EACH(uint64, u8)                         \
  EACH(float16, f2) EACH(float32, f4) EACH(float64, f8)                                      \
  EACH(complex64, c8) EACH(complex128, c16)
// clang-format on

template <class T>
inline constexpr bool is_complex = false;
template <>
inline constexpr bool is_complex<c8> = true;
template <>
inline constexpr bool is_complex<c16> = true;

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

// ---- integer arithmetic on floating point numbers

/// The widths of a binary floating point format, and the integer that holds one.
template <class Bits, int Fraction, int Exponent>
struct binary_format {
  using bits = Bits;
  static constexpr int fraction = Fraction;
  static constexpr int bias = (1 << (Exponent - 1)) - 1;
  static constexpr Bits infinity = ((Bits{1} << Exponent) - 1) << Fraction;
  static constexpr Bits sign = Bits{1} << (Fraction + Exponent);
};
using half_format = binary_format<u2, 10, 5>;
using single_format = binary_format<u4, 23, 8>;
using double_format = binary_format<u8, 52, 11>;

/// The `from` with its lowest `count` digits (1 to 63) rounded away: to nearest, ties to even.
inline u8 rounded_off(u8 from, int count) {
  const u8 rest = from & ((u8{1} << count) - 1);
  const u8 half = u8{1} << (count - 1);
  const u8 kept = from >> count;
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

/// Rounds once; not-a-number stays one, made quiet.
template <class Wide, class Narrow>
inline typename Narrow::bits narrowed(typename Wide::bits from) {
  using to_bits = typename Narrow::bits;
  constexpr int dropped = Wide::fraction - Narrow::fraction;
  constexpr int width_difference = 8 * (sizeof(typename Wide::bits) - sizeof(to_bits));
  const auto magnitude = static_cast<typename Wide::bits>(from & ~Wide::sign);
  const auto sign = static_cast<to_bits>((from & Wide::sign) >> width_difference);
  if (magnitude > Wide::infinity) {
    const auto fraction =
        static_cast<to_bits>(magnitude >> dropped & ((to_bits{1} << Narrow::fraction) - 1));
    const auto quiet = static_cast<to_bits>(to_bits{1} << (Narrow::fraction - 1));
    return static_cast<to_bits>(sign | Narrow::infinity | quiet | fraction);
  }
  const int exponent = static_cast<int>(magnitude >> Wide::fraction) - Wide::bias + Narrow::bias;
  const u8 fraction = magnitude & ((u8{1} << Wide::fraction) - 1);
  if (exponent <= 0) {  // below the narrow format's normal numbers
    const u8 significand = fraction | u8{1} << Wide::fraction;
    const int count = dropped + 1 - exponent;
    return static_cast<to_bits>(
        sign | (count > Wide::fraction + 1 ? u8{0} : rounded_off(significand, count)));
  }
  if (exponent > 2 * Narrow::bias) {
    return static_cast<to_bits>(sign | Narrow::infinity);
  }
  // A carry out of the fraction goes into the exponent, up to infinity, as it should.
  const u8 rounded =
      rounded_off(fraction, dropped) + (static_cast<u8>(exponent) << Narrow::fraction);
  return static_cast<to_bits>(sign | rounded);
}

/// Exact; not-a-number is made quiet.
template <class Narrow, class Wide>
inline typename Wide::bits widened(typename Narrow::bits from) {
  using to_bits = typename Wide::bits;
  constexpr int added = Wide::fraction - Narrow::fraction;
  constexpr int width_difference = 8 * (sizeof(to_bits) - sizeof(typename Narrow::bits));
  const auto magnitude = static_cast<to_bits>(from & ~Narrow::sign);
  const auto sign = static_cast<to_bits>(from & Narrow::sign) << width_difference;
  if (magnitude >= Narrow::infinity) {
    const to_bits quiet =
        magnitude > Narrow::infinity ? to_bits{1} << (Wide::fraction - 1) : to_bits{0};
    const to_bits fraction = (magnitude - Narrow::infinity) << added;
    return sign | Wide::infinity | quiet | fraction;
  }
  constexpr auto bias_difference = static_cast<to_bits>(Wide::bias - Narrow::bias);
  if ((magnitude & Narrow::infinity) != 0) {
    return sign | ((magnitude << added) + (bias_difference << Wide::fraction));
  }
  if (magnitude == 0) {
    return sign;
  }
  // Below the narrow format's normal numbers: the highest digit becomes the hidden one.
  const int highest = 63 - __builtin_clzll(static_cast<u8>(magnitude));
  const auto exponent =
      static_cast<to_bits>(Wide::bias - Narrow::bias + 1 + highest - Narrow::fraction);
  const to_bits significand = magnitude << (Wide::fraction - highest);
  return sign | (((exponent - 1) << Wide::fraction) + significand);
}

// ---- half and single precision

inline f4 to_single(f2 from) {
  const u4 sign = static_cast<u4>(from.bits & 0x8000U) << 16;
  const u4 magnitude = from.bits & 0x7fffU;
  const u4 shifted = magnitude << 13;
  // Below the normal numbers: as the last digits of 2^-14, which is taken away again.
  constexpr u4 smallest = 113U << 23;
  const u4 small = same_bits<u4>(same_bits<f4>(smallest | shifted) - same_bits<f4>(smallest));
  u4 bits = magnitude < 0x0400U ? small : shifted + (112U << 23);
  bits = magnitude >= 0x7c00U ? shifted | 0x7f800000U : bits;
  bits |= magnitude > 0x7c00U ? 0x00400000U : 0U;  // not-a-number is made quiet
  return same_bits<f4>(sign | bits);
}

/// Does as `narrowed`, from a format that the device computes with.
template <class Wide, class Float>
inline f2 rounded_to_half(Float from) {
  using bits = typename Wide::bits;
  constexpr int dropped = Wide::fraction - half_format::fraction;
  constexpr bits smallest_normal = static_cast<bits>(Wide::bias - 14) << Wide::fraction;
  constexpr bits too_large =  // 65520
      (static_cast<bits>(Wide::bias + 16) << Wide::fraction) - (bits{1} << (dropped - 1));
  // A sum with this has a last digit that is worth the smallest half: adding rounds.
  constexpr bits magic = static_cast<bits>(Wide::bias + Wide::fraction - 24) << Wide::fraction;
  const bits all = same_bits<bits>(from);
  const bits magnitude = all & ~Wide::sign;
  const bits sign = (all & Wide::sign) >> (8 * sizeof(bits) - 16);
  const bits small = same_bits<bits>(same_bits<Float>(magnitude) + same_bits<Float>(magic)) - magic;
  const bits odd = magnitude >> dropped & 1;
  const bits rounded = (magnitude + ((bits{1} << (dropped - 1)) - 1) + odd) >> dropped;
  const bits normal =
      rounded - (static_cast<bits>(Wide::bias - half_format::bias) << half_format::fraction);
  const bits quiet_nan = 0x7e00U | (magnitude >> dropped & 0x3ffU);
  bits result = magnitude < smallest_normal ? small : normal;
  result = magnitude >= too_large ? bits{0x7c00U} : result;
  result = magnitude > Wide::infinity ? quiet_nan : result;
  return {static_cast<u2>(sign | result)};
}
inline f2 to_half(f4 from) { return rounded_to_half<single_format>(from); }

/// Int: 32 or 64 bits, signed. Its lowest number for those it cannot hold, as processors do.
template <class Int, class Float>
inline Int truncated(Float from) {
  constexpr Float lowest = static_cast<Float>(Int{1} << (8 * sizeof(Int) - 1));
  return static_cast<Int>(from >= lowest && from < -lowest ? from : lowest);
}

/// Float: as C++ has it.
template <class To, class Float>
inline To to_integer(Float from) {
  if constexpr (same<To, u8>) {
    constexpr Float middle = static_cast<Float>(0x1p63F);
    return from >= middle ? static_cast<u8>(truncated<i8>(from - middle)) ^ u8 { 1 } << 63
                          : static_cast<u8>(truncated<i8>(from));
  } else if constexpr (sizeof(To) < 4 || same<To, i4>) {
    return static_cast<To>(truncated<i4>(from));
  } else {
    return static_cast<To>(truncated<i8>(from));
  }
}

// ---- double precision

#ifdef USMX_INTEGER_DOUBLE

inline f8 to_double(f4 from) {
  return {widened<single_format, double_format>(same_bits<u4>(from))};
}
inline f8 to_double(f2 from) { return {widened<half_format, double_format>(from.bits)}; }
inline f2 to_half(f8 from) { return {narrowed<double_format, half_format>(from.bits)}; }
inline f4 to_single(f8 from) {
  return same_bits<f4>(narrowed<double_format, single_format>(from.bits));
}
inline bool is_nonzero(f8 from) { return (from.bits & ~double_format::sign) != 0; }

inline f8 to_double(u8 from) {
  if (from == 0) {
    return {0};
  }
  const int highest = 63 - __builtin_clzll(from);
  const u8 exponent = static_cast<u8>(double_format::bias + highest) << double_format::fraction;
  const u8 significand = highest <= double_format::fraction
                             ? from << (double_format::fraction - highest)
                             : rounded_off(from, highest - double_format::fraction);
  // The hidden digit of the significand adds 1 to the exponent.
  return {exponent - (u8{1} << double_format::fraction) + significand};
}
inline f8 to_double(i8 from) {
  const u8 magnitude = from < 0 ? u8{0} - static_cast<u8>(from) : static_cast<u8>(from);
  return {to_double(magnitude).bits | (from < 0 ? double_format::sign : 0)};
}
inline f8 to_double(i1 from) { return to_double(static_cast<i8>(from)); }
inline f8 to_double(i2 from) { return to_double(static_cast<i8>(from)); }
inline f8 to_double(i4 from) { return to_double(static_cast<i8>(from)); }
inline f8 to_double(u1 from) { return to_double(static_cast<u8>(from)); }
inline f8 to_double(u2 from) { return to_double(static_cast<u8>(from)); }
inline f8 to_double(u4 from) { return to_double(static_cast<u8>(from)); }

/// The magnitude's whole part; `limit` and more for those that are not below it, a power of two.
inline u8 whole_part(f8 from, int digits) {
  const u8 magnitude = from.bits & ~double_format::sign;
  const int exponent = static_cast<int>(magnitude >> double_format::fraction) - double_format::bias;
  if (exponent < 0) {
    return 0;
  }
  if (exponent >= digits) {
    return u8{1} << (digits - 1) << 1;
  }
  const u8 significand =
      (magnitude & ((u8{1} << double_format::fraction) - 1)) | u8{1} << double_format::fraction;
  return exponent <= double_format::fraction ? significand >> (double_format::fraction - exponent)
                                             : significand << (exponent - double_format::fraction);
}

template <class Int>
inline Int truncated(f8 from) {
  constexpr int digits = 8 * sizeof(Int) - 1;
  constexpr Int lowest = Int{1} << digits;
  const u8 magnitude = whole_part(from, digits);
  if (magnitude >> digits != 0) {
    return lowest;
  }
  const auto value = static_cast<Int>(magnitude);
  return (from.bits & double_format::sign) != 0 ? static_cast<Int>(-value) : value;
}

template <class To>
inline To to_integer(f8 from) {
  if constexpr (same<To, u8>) {
    const int exponent =
        static_cast<int>(from.bits >> double_format::fraction) - double_format::bias;
    // The number has no sign and is from 2^63 to 2^64: all digits are significant.
    if (exponent == 63) {
      return u8{1} << 63 | (from.bits & ((u8{1} << double_format::fraction) - 1)) << 11;
    }
    return exponent > 63 && (from.bits & double_format::sign) == 0
               ? u8{0}
               : static_cast<u8>(truncated<i8>(from));
  } else if constexpr (sizeof(To) < 4 || same<To, i4>) {
    return static_cast<To>(truncated<i4>(from));
  } else {
    return static_cast<To>(truncated<i8>(from));
  }
}

#else

template <class From>
inline f8 to_double(From from) {
  return static_cast<f8>(from);
}
inline f8 to_double(f2 from) { return static_cast<f8>(to_single(from)); }
inline f4 to_single(f8 from) { return static_cast<f4>(from); }
inline bool is_nonzero(f8 from) { return from != 0; }
inline f2 to_half(f8 from) { return rounded_to_half<double_format>(from); }

#endif

template <class From>
inline bool is_nonzero(From from) {
  if constexpr (is_complex<From>) {
    return is_nonzero(from.real) || is_nonzero(from.imaginary);
  } else {
    return from != 0;
  }
}
inline bool is_nonzero(b1 from) { return from.byte != 0; }
inline bool is_nonzero(f2 from) { return (from.bits & 0x7fffU) != 0; }

// ---- any to any

template <class To, class From>
inline To converted(From from) {
  if constexpr (same<To, From>) {
    return from;
  } else if constexpr (same<To, b1>) {
    return {static_cast<u1>(is_nonzero(from) ? 1 : 0)};
  } else if constexpr (same<From, b1>) {
    return converted<To>(static_cast<u1>(is_nonzero(from) ? 1 : 0));
  } else if constexpr (is_complex<To> && is_complex<From>) {
    using part = decltype(To::real);
    return {converted<part>(from.real), converted<part>(from.imaginary)};
  } else if constexpr (is_complex<From>) {
    return converted<To>(from.real);
  } else if constexpr (is_complex<To>) {
    using part = decltype(To::real);
    return {converted<part>(from), part{0}};
  } else if constexpr (same<To, f8>) {
    return to_double(from);
  } else if constexpr (same<From, f8>) {
    if constexpr (same<To, f4>) {
      return to_single(from);
    } else if constexpr (same<To, f2>) {
      return to_half(from);
    } else {
      return to_integer<To>(from);
    }
  } else if constexpr (same<From, f2>) {
    return converted<To>(to_single(from));
  } else if constexpr (same<To, f2>) {
    // Integers that single precision does not hold exactly are all too large for a half.
    return to_half(static_cast<f4>(from));
  } else if constexpr (same<From, f4>) {
    return to_integer<To>(from);
  } else {
    return static_cast<To>(from);
  }
}

}  // namespace usmx::inline v1::kernels
