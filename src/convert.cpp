#include "convert.hpp"

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace usmx::detail {
namespace {

// How elements are kept where C++ has no type for it, or one that does not hold every byte.
struct boolean {
  std::uint8_t byte;  // any but 0 is true
};
struct half {
  std::uint16_t bits;
};

template <type_code>
struct stored;
#define USMX_STORED(code, type)    \
  template <>                      \
  struct stored<type_code::code> { \
    using element = type;          \
  }
USMX_STORED(bool_, boolean);
USMX_STORED(int8, std::int8_t);
USMX_STORED(int16, std::int16_t);
USMX_STORED(int32, std::int32_t);
USMX_STORED(int64, std::int64_t);
USMX_STORED(uint8, std::uint8_t);
USMX_STORED(uint16, std::uint16_t);
USMX_STORED(uint32, std::uint32_t);
USMX_STORED(uint64, std::uint64_t);
USMX_STORED(float16, half);
USMX_STORED(float32, float);
USMX_STORED(float64, double);
USMX_STORED(complex64, std::complex<float>);
USMX_STORED(complex128, std::complex<double>);
#undef USMX_STORED

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

// ---- half precision: a sign bit, 5 bits of exponent (bias 15), 10 bits of significand

inline float to_float(half h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = h.bits & 0x7fffU;
  if (magnitude >= 0x7c00U) {  // infinite or not a number, which becomes a quiet one
    const std::uint32_t quiet = magnitude > 0x7c00U ? 0x00400000U : 0U;
    return std::bit_cast<float>(sign | 0x7f800000U | quiet | (magnitude & 0x3ffU) << 13);
  }
  // The bits as a float of too small an exponent; the product, exact, also normalises subnormals.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

/// Bits: the unsigned integer of Float's size.
template <class Float, class Bits>
half to_half(Float value) {
  constexpr int digits = std::numeric_limits<Float>::digits - 1;
  constexpr int dropped = digits - 10;
  constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<Float>::infinity());
  constexpr Bits sign_bit = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits bits = std::bit_cast<Bits>(value);
  const Bits magnitude = bits & ~sign_bit;
  const auto sign = static_cast<std::uint16_t>((bits & sign_bit) >> (8 * sizeof(Bits) - 16));
  const auto with_sign = [&](Bits rest) {
    return half{static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(rest))};
  };
  if (magnitude > infinity) {
    return with_sign(0x7e00U | (magnitude >> dropped & 0x3ffU));
  }
  if (magnitude >= std::bit_cast<Bits>(Float{65520})) {
    return with_sign(0x7c00U);
  }
  if (magnitude < std::bit_cast<Bits>(Float{0x1p-14F})) {
    // The sum's last digit has the value of the smallest half, so that adding rounds for us.
    constexpr Float magic = Float{0x1p-24F} * static_cast<Float>(std::uint64_t{1} << digits);
    const Float sum = std::bit_cast<Float>(magnitude) + magic;
    return with_sign(std::bit_cast<Bits>(sum) - std::bit_cast<Bits>(magic));
  }
  constexpr int bias = std::numeric_limits<Float>::max_exponent - 1;
  const Bits odd = magnitude >> dropped & 1;
  const Bits rounded = magnitude + ((Bits{1} << (dropped - 1)) - 1) + odd;
  return with_sign((rounded >> dropped) - (static_cast<Bits>(bias - 15) << 10));
}

// ---- one element

/// Int: 32 or 64 bits, signed. Its lowest number where C++ would leave the result undefined, as
/// the processor does.
template <class Int, std::floating_point Float>
Int truncated(Float value) {
  constexpr auto lowest = static_cast<Float>(std::numeric_limits<Int>::min());
  return static_cast<Int>(value >= lowest && value < -lowest ? value : lowest);
}

template <std::integral To, std::floating_point From>
To to_integer(From value) {
  if constexpr (std::same_as<To, std::uint64_t>) {
    constexpr From middle = 0x1p63F;
    return value >= middle ? static_cast<std::uint64_t>(truncated<std::int64_t>(value - middle)) ^
                                 (std::uint64_t{1} << 63)
                           : static_cast<std::uint64_t>(truncated<std::int64_t>(value));
  } else if constexpr (sizeof(To) < 4 || std::same_as<To, std::int32_t>) {
    return static_cast<To>(truncated<std::int32_t>(value));
  } else {
    return static_cast<To>(truncated<std::int64_t>(value));
  }
}

template <class From>
bool is_true(From value) {
  if constexpr (std::same_as<From, boolean>) {
    return value.byte != 0;
  } else if constexpr (std::same_as<From, half>) {
    return (value.bits & 0x7fffU) != 0;
  } else if constexpr (is_complex<From>) {
    return value.real() != 0 || value.imag() != 0;
  } else {
    return value != 0;
  }
}

template <class To, class From>
To converted(From value) {
  if constexpr (std::same_as<To, From>) {
    return value;
  } else if constexpr (std::same_as<To, boolean>) {
    return boolean{is_true(value)};
  } else if constexpr (std::same_as<From, boolean>) {
    return converted<To>(static_cast<std::uint8_t>(is_true(value)));
  } else if constexpr (std::same_as<From, half>) {
    return converted<To>(to_float(value));
  } else if constexpr (is_complex<From> && is_complex<To>) {
    using part = typename To::value_type;
    return To(static_cast<part>(value.real()), static_cast<part>(value.imag()));
  } else if constexpr (is_complex<From>) {
    return converted<To>(value.real());
  } else if constexpr (is_complex<To>) {
    return To(converted<typename To::value_type>(value));
  } else if constexpr (std::same_as<To, half>) {
    if constexpr (std::same_as<From, double>) {
      return to_half<double, std::uint64_t>(value);
    } else {
      // Integers that a float does not hold exactly are all too large for a half.
      return to_half<float, std::uint32_t>(static_cast<float>(value));
    }
  } else if constexpr (std::integral<To> && std::floating_point<From>) {
    return to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// ---- rows

template <class From, class To>
void convert_one(const std::byte* source, std::byte* destination) {
  From from;
  std::memcpy(&from, source, sizeof from);
  const To to = converted<To>(from);
  std::memcpy(destination, &to, sizeof to);
}

template <class From, class To>
void convert_row(const std::byte* source, std::ptrdiff_t source_stride, std::byte* destination,
                 std::ptrdiff_t destination_stride, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    convert_one<From, To>(source, destination);
    source += source_stride;
    destination += destination_stride;
  }
}

using table = std::array<std::array<row_conversion, type_count>, type_count>;

template <std::size_t From, std::size_t... To>
constexpr std::array<row_conversion, type_count> conversions_from(std::index_sequence<To...>) {
  return {&convert_row<typename stored<static_cast<type_code>(From)>::element,
                       typename stored<static_cast<type_code>(To)>::element>...};
}

template <std::size_t... From>
constexpr table all_conversions(std::index_sequence<From...> all) {
  return {conversions_from<From>(all)...};
}

constexpr table conversions = all_conversions(std::make_index_sequence<type_count>());

}  // namespace

row_conversion conversion(dtype source, dtype destination) noexcept {
  return conversions[static_cast<std::size_t>(source.code())]
                    [static_cast<std::size_t>(destination.code())];
}

}  // namespace usmx::detail
