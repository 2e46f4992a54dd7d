// The type of one element, as a value: from and to the exchange's typestr, PEP 3118's format and
// C++ types. No SYCL here. Next: layout.hpp.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "usmx/detail/api.hpp"

namespace usmx {

enum class type_code : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
};

inline constexpr int type_count = 14;

/// Whether T is a half-precision number. Specialise it for a 2-byte IEEE binary16 class such as
/// sycl::half, and dtype::of takes that class for float16.
template <class T>
inline constexpr bool is_half = false;

namespace detail {

/// What there is to know about one type_code.
struct type_entry {
  char kind;
  std::uint8_t itemsize;
  std::uint8_t alignment;
  std::array<char, 4> typestr;  // not null-terminated: "<c16" fills it
  std::uint8_t typestr_length;
  const char* format;
  std::string_view name;
};

consteval type_entry make_type_entry(char kind, std::uint8_t itemsize, std::size_t alignment,
                                     const char* format, std::string_view name) {
  const char native_order = std::endian::native == std::endian::little ? '<' : '>';
  const char order = itemsize == 1 ? '|' : native_order;
  const auto digit = [](int n) { return static_cast<char>('0' + n); };
  const bool one_digit = itemsize < 10;
  return {.kind = kind,
          .itemsize = itemsize,
          .alignment = static_cast<std::uint8_t>(alignment),
          .typestr = {order, kind, digit(one_digit ? itemsize : itemsize / 10),
                      one_digit ? '\0' : digit(itemsize % 10)},
          .typestr_length = static_cast<std::uint8_t>(one_digit ? 3 : 4),
          .format = format,
          .name = name};
}

// NumPy names 64-bit integers after `long` where that has 64 bits, and buffers compare equal only
// when their formats do.
inline constexpr bool long_has_64_bits = sizeof(long) == 8;

// In the order of type_code.
inline constexpr std::array<type_entry, type_count> type_table{
    make_type_entry('b', 1, 1, "?", "bool"),
    make_type_entry('i', 1, 1, "b", "int8"),
    make_type_entry('i', 2, alignof(std::int16_t), "h", "int16"),
    make_type_entry('i', 4, alignof(std::int32_t), "i", "int32"),
    make_type_entry('i', 8, alignof(std::int64_t), long_has_64_bits ? "l" : "q", "int64"),
    make_type_entry('u', 1, 1, "B", "uint8"),
    make_type_entry('u', 2, alignof(std::uint16_t), "H", "uint16"),
    make_type_entry('u', 4, alignof(std::uint32_t), "I", "uint32"),
    make_type_entry('u', 8, alignof(std::uint64_t), long_has_64_bits ? "L" : "Q", "uint64"),
    make_type_entry('f', 2, alignof(std::uint16_t), "e", "float16"),
    make_type_entry('f', 4, alignof(float), "f", "float32"),
    make_type_entry('f', 8, alignof(double), "d", "float64"),
    make_type_entry('c', 8, alignof(float), "Zf", "complex64"),
    make_type_entry('c', 16, alignof(double), "Zd", "complex128"),
};

template <class T>
concept integer_element =
    std::integral<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <class T>
concept floating_element =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>> || (is_half<T> && sizeof(T) == 2);

}  // namespace detail

/// A C++ type, const or not, that one of the 14 type codes describes: bool, the integers of 1, 2, 4
/// and 8 bytes whatever their name, float, double, std::complex of both, and what is_half names.
template <class T>
concept element_type =
    detail::integer_element<std::remove_cv_t<T>> || detail::floating_element<std::remove_cv_t<T>>;

/// An element type. Every value of this class is one of the 14 of `type_code`.
class USMX_API dtype {
 public:
  constexpr dtype(type_code code) noexcept : code_(code) {}

  /// Parses `<`, `=`, `|` or nothing, then a kind and a size in bytes: "<f8", "|b1", "i4".
  /// Throws value_error naming the string when it is anything else, foreign byte order included.
  /// (On a big-endian host `>` takes the place of `<`.)
  static dtype from_typestr(std::string_view typestr);

  /// The element type of a C++ type; integers go by size and signedness.
  template <element_type T>
  static constexpr dtype of() noexcept;

  constexpr type_code code() const noexcept { return code_; }
  /// 'b', 'i', 'u', 'f' or 'c'.
  constexpr char kind() const noexcept { return entry().kind; }
  /// Bytes of one element.
  constexpr std::size_t itemsize() const noexcept { return entry().itemsize; }
  /// `alignof` in bytes; for a complex number that of its component.
  constexpr std::size_t alignment() const noexcept { return entry().alignment; }
  /// "|b1", "|i1", "<i2", ...: as NumPy writes it. The string lives for ever.
  constexpr std::string_view typestr() const noexcept {
    return {entry().typestr.data(), entry().typestr_length};
  }
  /// PEP 3118: "?", "b", "h", "i", "l", ..., "Zd": NumPy's choice where several letters mean the
  /// same. Null-terminated, lives for ever.
  constexpr const char* format() const noexcept { return entry().format; }
  /// NumPy's name: "bool", "int8", ..., "complex128".
  constexpr std::string_view name() const noexcept { return entry().name; }

  friend constexpr bool operator==(dtype, dtype) noexcept = default;

 private:
  constexpr const detail::type_entry& entry() const noexcept {
    return detail::type_table[static_cast<std::size_t>(code_)];
  }

  type_code code_;
};

/// Writes the name.
USMX_API std::ostream& operator<<(std::ostream&, dtype);

namespace detail {

constexpr type_code signed_code(std::size_t itemsize) noexcept {
  switch (itemsize) {
    case 1:
      return type_code::int8;
    case 2:
      return type_code::int16;
    case 4:
      return type_code::int32;
    default:
      return type_code::int64;
  }
}

constexpr type_code unsigned_code(std::size_t itemsize) noexcept {
  switch (itemsize) {
    case 1:
      return type_code::uint8;
    case 2:
      return type_code::uint16;
    case 4:
      return type_code::uint32;
    default:
      return type_code::uint64;
  }
}

template <class T>
constexpr type_code code_of() noexcept {
  if constexpr (std::same_as<T, bool>) {
    return type_code::bool_;
  } else if constexpr (std::signed_integral<T>) {
    return signed_code(sizeof(T));
  } else if constexpr (std::unsigned_integral<T>) {
    return unsigned_code(sizeof(T));
  } else if constexpr (std::same_as<T, float>) {
    return type_code::float32;
  } else if constexpr (std::same_as<T, double>) {
    return type_code::float64;
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    return type_code::complex64;
  } else if constexpr (std::same_as<T, std::complex<double>>) {
    return type_code::complex128;
  } else {
    return type_code::float16;
  }
}

}  // namespace detail

template <element_type T>
constexpr dtype dtype::of() noexcept {
  return detail::code_of<std::remove_cv_t<T>>();
}

}  // namespace usmx
