// The type of one element, as a value: from and to the exchange's typestr, PEP 3118's format and
// C++ types. What the fields of a structured type are is in structure.hpp. No SYCL here. Next:
// layout.hpp.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

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
  structured,  // several fields, see dtype::fields
};

/// The plain types, which are all but the structured ones.
inline constexpr int type_count = 14;

struct field;

/// Whether T is a half-precision number. Specialise it for a 2-byte IEEE binary16 class such as
/// sycl::half, and dtype::of takes that class for float16.
template <class T>
inline constexpr bool is_half = false;

namespace detail {

/// What there is to know about one type. Null-terminated strings that live for ever.
struct type_entry {
  char kind;
  std::string_view typestr;
  std::size_t itemsize;
  std::size_t alignment;
  const char* format;
  std::string_view name;
};

/// What typestrs of this machine's byte order have in front, and what those of the other one have.
inline constexpr bool is_little_endian = std::endian::native == std::endian::little;
inline constexpr char native_order = is_little_endian ? '<' : '>';
inline constexpr char foreign_order = is_little_endian ? '>' : '<';

/// Whether it may stand in front of a typestr: this machine's byte order by either name, or none.
constexpr bool is_order_prefix(char c) noexcept {
  return c == native_order || c == '=' || c == '|';
}

/// Of two typestrs the one in this machine's byte order.
consteval std::string_view native(std::string_view little, std::string_view big) {
  return is_little_endian ? little : big;
}

// NumPy names 64-bit integers after `long` where that has 64 bits, and buffers compare equal only
// when their formats do.
inline constexpr bool long_has_64_bits = sizeof(long) == 8;

// In the order of type_code.
inline constexpr std::array<type_entry, type_count> type_table{
    type_entry{'b', "|b1", 1, 1, "?", "bool"},
    type_entry{'i', "|i1", 1, 1, "b", "int8"},
    type_entry{'i', native("<i2", ">i2"), 2, alignof(std::int16_t), "h", "int16"},
    type_entry{'i', native("<i4", ">i4"), 4, alignof(std::int32_t), "i", "int32"},
    type_entry{'i', native("<i8", ">i8"), 8, alignof(std::int64_t), long_has_64_bits ? "l" : "q",
               "int64"},
    type_entry{'u', "|u1", 1, 1, "B", "uint8"},
    type_entry{'u', native("<u2", ">u2"), 2, alignof(std::uint16_t), "H", "uint16"},
    type_entry{'u', native("<u4", ">u4"), 4, alignof(std::uint32_t), "I", "uint32"},
    type_entry{'u', native("<u8", ">u8"), 8, alignof(std::uint64_t), long_has_64_bits ? "L" : "Q",
               "uint64"},
    type_entry{'f', native("<f2", ">f2"), 2, alignof(std::uint16_t), "e", "float16"},
    type_entry{'f', native("<f4", ">f4"), 4, alignof(float), "f", "float32"},
    type_entry{'f', native("<f8", ">f8"), 8, alignof(double), "d", "float64"},
    type_entry{'c', native("<c8", ">c8"), 8, alignof(float), "Zf", "complex64"},
    type_entry{'c', native("<c16", ">c16"), 16, alignof(double), "Zd", "complex128"},
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

/// An element type: one of the 14 plain ones, or a structured type. A small value: what a
/// structured type consists of is kept once in the process, for ever if the process itself made the
/// type (`structured` below), else as long as an array has it (held_dtype.hpp).
class USMX_API dtype {
 public:
  /// A plain type: any code but `structured`.
  constexpr dtype(type_code code) noexcept : code_(code) {}

  /// The type of that many bytes with these fields. Equal fields make equal types, which are kept
  /// once. Throws value_error unless there is a field, names are unique and not empty, and the
  /// fields follow each other without overlap inside 1 to max_structure_itemsize bytes;
  /// allocation_error when all different ones that this process has take too much.
  static dtype structured(std::vector<field> fields, std::size_t itemsize);

  /// Parses `<`, `=`, `|` or nothing, then a kind and a size in bytes: "<f8", "|b1", "i4".
  /// Throws value_error naming the string when it is anything else, foreign byte order included.
  /// (On a big-endian host `>` takes the place of `<`.)
  static dtype from_typestr(std::string_view typestr);

  /// The element type of a C++ type; integers go by size and signedness.
  template <element_type T>
  static constexpr dtype of() noexcept;

  constexpr type_code code() const noexcept { return code_; }
  constexpr bool is_structured() const noexcept { return structure_ != nullptr; }
  /// The fields of a structured type in the order of their offsets; none of a plain one.
  std::span<const field> fields() const noexcept;
  /// 'b', 'i', 'u', 'f', 'c' or, structured, 'V'.
  constexpr char kind() const noexcept { return entry().kind; }
  /// Bytes of one element.
  constexpr std::size_t itemsize() const noexcept { return entry().itemsize; }
  /// `alignof` in bytes; for a complex number that of its component, for a structured type 1.
  constexpr std::size_t alignment() const noexcept { return entry().alignment; }
  /// "|b1", "|i1", "<i2", ..., "|V12": as NumPy writes it. The string lives for ever.
  constexpr std::string_view typestr() const noexcept { return entry().typestr; }
  /// PEP 3118: "?", "b", "h", "i", "l", ..., "Zd": NumPy's choice where several letters mean the
  /// same; "T{=b:name:7x=d:other:}" for a structured type, null where PEP 3118 cannot write a
  /// field's name (it holds ':' or a null character). Null-terminated, lives for ever.
  constexpr const char* format() const noexcept { return entry().format; }
  /// NumPy's name: "bool", "int8", ..., "complex128", "void96".
  constexpr std::string_view name() const noexcept { return entry().name; }

  friend constexpr bool operator==(dtype, dtype) noexcept = default;
  /// An order without a meaning, for containers.
  friend constexpr auto operator<=>(dtype, dtype) noexcept = default;

 private:
  explicit dtype(const detail::type_entry& structure) noexcept
      : structure_(&structure), code_(type_code::structured) {}

  constexpr const detail::type_entry& entry() const noexcept {
    return is_structured() ? *structure_ : detail::type_table[static_cast<std::size_t>(code_)];
  }

  // Null for a plain type, whose code says everything.
  const detail::type_entry* structure_ = nullptr;
  type_code code_;

  friend class held_dtype;
};

/// Writes the name; of a structured type the format, which says more.
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

// The plain types by NumPy's names: usmx::float32.
inline constexpr dtype bool_ = type_code::bool_;
inline constexpr dtype int8 = type_code::int8;
inline constexpr dtype int16 = type_code::int16;
inline constexpr dtype int32 = type_code::int32;
inline constexpr dtype int64 = type_code::int64;
inline constexpr dtype uint8 = type_code::uint8;
inline constexpr dtype uint16 = type_code::uint16;
inline constexpr dtype uint32 = type_code::uint32;
inline constexpr dtype uint64 = type_code::uint64;
inline constexpr dtype float16 = type_code::float16;
inline constexpr dtype float32 = type_code::float32;
inline constexpr dtype float64 = type_code::float64;
inline constexpr dtype complex64 = type_code::complex64;
inline constexpr dtype complex128 = type_code::complex128;

}  // namespace usmx::inline v1
