// flags: -fno-trapping-math
#include "copy/convert.hpp"

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "base/cpu.hpp"
#include "layout/element_dispatch.hpp"

namespace usmx::inline v1::detail {
namespace {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

// ---- half precision: a sign bit, 5 bits of exponent (bias 15), 10 bits of significand

// Without branches, so that the compiler makes vector code of it, and without numbers that a
// processor told to take subnormal floats for zero would lose.

inline float to_float(half h) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = h.bits & 0x7fffU;
  const std::uint32_t shifted = magnitude << 13;
  // A subnormal is its digits times 2^-24: as the last digits of 2^-14, which is taken away again.
  const std::uint32_t smallest = std::bit_cast<std::uint32_t>(0x1p-14F);
  const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(smallest | shifted) -
                                                      std::bit_cast<float>(smallest));
  std::uint32_t bits = magnitude < 0x0400U ? subnormal : shifted + ((127U - 15U) << 23);
  bits = magnitude >= 0x7c00U ? shifted | 0x7f800000U : bits;
  bits |= magnitude > 0x7c00U ? 0x00400000U : 0U;  // not a number becomes a quiet one
  return std::bit_cast<float>(sign | bits);
}

/// Bits: the unsigned integer of Float's size.
template <class Float, class Bits>
half to_half(Float value) noexcept {
  constexpr int digits = std::numeric_limits<Float>::digits - 1;
  constexpr int dropped = digits - 10;
  constexpr int bias = std::numeric_limits<Float>::max_exponent - 1;
  constexpr auto infinity = std::bit_cast<Bits>(std::numeric_limits<Float>::infinity());
  constexpr auto too_large = std::bit_cast<Bits>(Float{65520});
  constexpr auto smallest_normal = std::bit_cast<Bits>(Float{0x1p-14F});
  constexpr Bits sign_bit = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto bits = std::bit_cast<Bits>(value);
  const Bits magnitude = bits & ~sign_bit;
  const Bits sign = (bits & sign_bit) >> (8 * sizeof(Bits) - 16);
  // The sum's last digit has the value of the smallest half: adding rounds.
  constexpr Float magic = Float{0x1p-24F} * static_cast<Float>(std::uint64_t{1} << digits);
  const Bits subnormal =
      std::bit_cast<Bits>(std::bit_cast<Float>(magnitude) + magic) - std::bit_cast<Bits>(magic);
  const Bits odd = magnitude >> dropped & 1;
  const Bits rounded = magnitude + ((Bits{1} << (dropped - 1)) - 1) + odd;
  const Bits normal = (rounded >> dropped) - (static_cast<Bits>(bias - 15) << 10);
  const Bits quiet_nan = 0x7e00U | (magnitude >> dropped & 0x3ffU);
  Bits result = magnitude < smallest_normal ? subnormal : normal;
  result = magnitude >= too_large ? Bits{0x7c00U} : result;
  result = magnitude > infinity ? quiet_nan : result;
  return half{static_cast<std::uint16_t>(sign | result)};
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
[[gnu::always_inline]] inline void convert_one(const std::byte* source,
                                               std::byte* destination) noexcept {
  From from;
  std::memcpy(&from, source, sizeof from);
  const To to = converted<To>(from);
  std::memcpy(destination, &to, sizeof to);
}

template <class From, class To>
void convert_strided(const std::byte* source, std::ptrdiff_t source_step, std::byte* destination,
                     std::ptrdiff_t destination_step, std::ptrdiff_t count) noexcept {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    convert_one<From, To>(source, destination);
    source += source_step;
    destination += destination_step;
  }
}

template <class From, class To>
[[gnu::always_inline]] inline void convert_adjacent(const std::byte* __restrict source,
                                                    std::byte* __restrict destination,
                                                    std::ptrdiff_t count) noexcept {
  if constexpr (is_complex<From> && is_complex<To>) {
    convert_adjacent<typename From::value_type, typename To::value_type>(source, destination,
                                                                         2 * count);
  } else {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      convert_one<From, To>(source + i * static_cast<std::ptrdiff_t>(sizeof(From)),
                            destination + i * static_cast<std::ptrdiff_t>(sizeof(To)));
    }
  }
}

template <class From, class To>
void convert_baseline(const std::byte* source, std::byte* destination,
                      std::ptrdiff_t count) noexcept {
  convert_adjacent<From, To>(source, destination, count);
}

template <class From, class To>
USMX_AVX2 void convert_avx2(const std::byte* source, std::byte* destination,
                            std::ptrdiff_t count) noexcept {
  convert_adjacent<From, To>(source, destination, count);
}

template <class From, class To>
USMX_AVX512 void convert_avx512(const std::byte* source, std::byte* destination,
                                std::ptrdiff_t count) noexcept {
  convert_adjacent<From, To>(source, destination, count);
}

// ---- the tables

struct entry {
  std::array<decltype(conversion::adjacent), 3> adjacent;  // by cpu_level
  decltype(conversion::strided) strided;
};

template <class From, class To>
constexpr entry entry_of{
    {&convert_baseline<From, To>, &convert_avx2<From, To>, &convert_avx512<From, To>},
    &convert_strided<From, To>};

template <std::size_t Code>
using element = element_of<static_cast<type_code>(Code)>;

template <std::size_t From, std::size_t... To>
constexpr std::array<entry, type_count> entries_from(std::index_sequence<To...>) {
  return {entry_of<element<From>, element<To>>...};
}

template <std::size_t... From>
constexpr std::array<std::array<entry, type_count>, type_count> all_entries(
    std::index_sequence<From...> all) {
  return {entries_from<From>(all)...};
}

constexpr auto entries = all_entries(std::make_index_sequence<type_count>());

const entry& find_entry(dtype source, dtype destination) noexcept {
  return entries[static_cast<std::size_t>(source.code())]
                [static_cast<std::size_t>(destination.code())];
}

}  // namespace

conversion::conversion(dtype source, dtype destination) noexcept
    : adjacent(find_entry(source, destination).adjacent[static_cast<std::size_t>(cpu())]),
      strided(find_entry(source, destination).strided) {}

}  // namespace usmx::inline v1::detail
