// The type of one element as a value, and its conversions from and to C++ types, the typestr of the
// array interfaces and the format of PEP 3118. Structured types have fields, and live as long as
// the program or somebody who holds them. This header does not need SYCL. Next: layout.hpp.
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
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

/// The type of an element. The values follow NumPy's names.
enum class type_code : std::uint8_t {
  bool_,       ///< True or false, 1 byte.
  int8,        ///< Signed integer of 1 byte.
  int16,       ///< Signed integer of 2 bytes.
  int32,       ///< Signed integer of 4 bytes.
  int64,       ///< Signed integer of 8 bytes.
  uint8,       ///< Unsigned integer of 1 byte.
  uint16,      ///< Unsigned integer of 2 bytes.
  uint32,      ///< Unsigned integer of 4 bytes.
  uint64,      ///< Unsigned integer of 8 bytes.
  float16,     ///< IEEE 754 binary16, 2 bytes.
  float32,     ///< IEEE 754 binary32, which is `float`.
  float64,     ///< IEEE 754 binary64, which is `double`.
  complex64,   ///< Two float32: the real part, then the imaginary part.
  complex128,  ///< Two float64: the real part, then the imaginary part.
  structured,  ///< Several named fields, which dtype::fields() lists.
};

/// Number of plain types: all type codes but `structured`.
inline constexpr int type_count = 14;

struct field;

/// Whether T is a half-precision number. Programs specialise it for a class that holds IEEE 754
/// binary16 in 2 bytes, such as sycl::half. dtype::of then gives float16 for that class.
template <class T>
inline constexpr bool is_half = false;

namespace detail {

/// All properties of one type. The strings end with a null character and live for ever.
struct type_entry {
  char kind;
  std::string_view typestr;
  std::size_t itemsize;
  std::size_t alignment;
  const char* format;
  std::string_view name;
};

/// The first characters of typestrs in this machine's byte order, and in the other one.
inline constexpr bool is_little_endian = std::endian::native == std::endian::little;
inline constexpr char native_order = is_little_endian ? '<' : '>';
inline constexpr char foreign_order = is_little_endian ? '>' : '<';

/// Whether a supported typestr may begin with `c`: a sign for this machine's byte order, or '|' for
/// none.
constexpr bool is_order_prefix(char c) noexcept {
  return c == native_order || c == '=' || c == '|';
}

/// Returns the one of two typestrs that has this machine's byte order.
consteval std::string_view native(std::string_view little, std::string_view big) {
  return is_little_endian ? little : big;
}

// NumPy names 64-bit integers after `long` where that has 64 bits, and buffers compare equal only
// when their formats do.
inline constexpr bool long_has_64_bits = sizeof(long) == 8;

// The plain types, in the order of type_code.
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

[[noreturn]] inline void throw_no_plain_type(type_code code) {
  throw value_error(message(
      "dtype: expected the code of a plain type, 0 to ", type_count - 1, ", found ",
      static_cast<int>(code),
      code == type_code::structured ? " (structured): dtype::structured() makes such types" : ""));
}

template <class T>
concept integer_element =
    std::integral<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <class T>
concept floating_element =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>> || (is_half<T> && sizeof(T) == 2);

}  // namespace detail

/// A C++ type, const or not, that a plain dtype describes: bool, any integer type of 1, 2, 4 or 8
/// bytes, float, double, std::complex of these two, and the classes for which is_half is true.
template <class T>
concept element_type =
    detail::integer_element<std::remove_cv_t<T>> || detail::floating_element<std::remove_cv_t<T>>;

/// An element type: one of the plain types, or a structured type. It is a small value that is cheap
/// to copy. The fields of a structured type are stored once in the process: for ever if
/// dtype::structured made the type, else as long as an array or another held_dtype has it.
class USMX_API dtype {
 public:
  /// The plain type of that code. Throws value_error for `structured`, whose fields it would lack,
  /// and for a number that is no code.
  constexpr dtype(type_code code) : code_(code) {
    if (static_cast<std::size_t>(code) >= detail::type_table.size()) {
      detail::throw_no_plain_type(code);
    }
  }
  /// @cond
  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  explicit dtype(const Text&) : code_() {
    static_assert(sizeof(Text) == 0,
                  "dtype::from_typestr(\"<f4\"), a constant such as usmx::float32, or "
                  "dtype::of<float>()");
  }
  /// @endcond

  /// The structured type of `itemsize` bytes with these fields. It lives for ever, and types with
  /// equal fields and sizes are equal. Throws value_error unless there is at least one field, every
  /// name is unique and not empty, `itemsize` is 1 to max_structure_itemsize, and the fields follow
  /// each other inside these bytes without overlap. Throws allocation_error when the structured
  /// types of this process would take too much memory together.
  static dtype structured(std::vector<field> fields, std::size_t itemsize);

  /// The plain type that a typestr of NumPy's array interface names: `<`, `=`, `|` or nothing, then
  /// a kind and a size in bytes, such as "<f8", "|b1" or "i4". On a big-endian host `>` takes the
  /// place of `<`. Throws value_error, whose message has the string, for any other string, and so
  /// for the other byte order.
  static dtype from_typestr(std::string_view typestr);

  /// The element type of the C++ type T. Integer types count by size and signedness, not by name.
  template <class T>
  static constexpr dtype of() noexcept;

  /// The code of the type.
  constexpr type_code code() const noexcept { return code_; }
  /// Whether the type has fields.
  constexpr bool is_structured() const noexcept { return structure_ != nullptr; }
  /// The fields of a structured type in the order of their offsets. A plain type has none. The span
  /// is valid as long as the type lives.
  std::span<const field> fields() const noexcept;
  /// NumPy's letter for the kind: 'b' (bool), 'i' (signed), 'u' (unsigned), 'f' (floating point),
  /// 'c' (complex) or 'V' (structured).
  constexpr char kind() const noexcept { return entry().kind; }
  /// Size of one element in bytes.
  constexpr std::size_t itemsize() const noexcept { return entry().itemsize; }
  /// Alignment of one element in bytes: `alignof` of the C++ type, for a complex number that of its
  /// parts, and 1 for a structured type.
  constexpr std::size_t alignment() const noexcept { return entry().alignment; }
  /// The typestr that NumPy writes: "|b1", "|i1", "<i2", ..., or "|V12" for a structured type of 12
  /// bytes. The string of a plain type lives for ever, that of a structured type as long as the
  /// type.
  constexpr std::string_view typestr() const noexcept { return entry().typestr; }
  /// The format of PEP 3118: "?", "b", "h", "i", "l", ..., "Zd", with NumPy's choice where several
  /// letters mean the same. A structured type has one like "T{=b:name:7x=d:other:}", or null if a
  /// field's name has ':' or a null character, which PEP 3118 cannot write. The string ends with a
  /// null character. That of a plain type lives for ever, that of a structured type as long as the
  /// type.
  constexpr const char* format() const noexcept { return entry().format; }
  /// NumPy's name: "bool", "int8", ..., "complex128", or "void96" for a structured type of 96 bits.
  /// The string of a plain type lives for ever, that of a structured type as long as the type.
  constexpr std::string_view name() const noexcept { return entry().name; }

  /// Whether both are the same type.
  friend constexpr bool operator==(dtype, dtype) noexcept = default;
  /// An order that has no meaning, for containers.
  friend constexpr auto operator<=>(dtype, dtype) noexcept = default;

 private:
  explicit dtype(const detail::type_entry& structure) noexcept
      : structure_(&structure), code_(type_code::structured) {}

  constexpr const detail::type_entry& entry() const noexcept {
    return is_structured() ? *structure_ : detail::type_table[static_cast<std::size_t>(code_)];
  }

  // The entry of a structured type; null for a plain type, whose code says everything.
  const detail::type_entry* structure_ = nullptr;
  type_code code_;

  friend class held_dtype;
};

/// Writes the name of a plain type. Writes the format of a structured type, or its name if it has
/// no format.
USMX_API std::ostream& operator<<(std::ostream&, dtype);

namespace detail {

/// The plain type of a kind and a size; `structured` where there is none.
constexpr type_code code_of(char kind, std::size_t itemsize) noexcept {
  std::size_t k = 0;
  while (k < type_table.size() &&
         !(type_table[k].kind == kind && type_table[k].itemsize == itemsize)) {
    ++k;
  }
  return static_cast<type_code>(k);
}

template <class T>
constexpr char kind_of() noexcept {
  if constexpr (std::integral<T>) {
    return std::same_as<T, bool> ? 'b' : std::signed_integral<T> ? 'i' : 'u';
  } else {
    return std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>> ? 'c'
                                                                                         : 'f';
  }
}

}  // namespace detail

template <class T>
constexpr dtype dtype::of() noexcept {
  constexpr bool is_element_type = element_type<T>;
  static_assert(is_element_type,
                "an element type is bool, an integer type, float, double, std::complex of these "
                "two, or a class for which usmx::is_half is true");
  return detail::code_of(detail::kind_of<std::remove_cv_t<T>>(), sizeof(T));
}

// The plain types by NumPy's names, for example usmx::float32.
inline constexpr dtype bool_ = type_code::bool_;            ///< True or false, 1 byte.
inline constexpr dtype int8 = type_code::int8;              ///< Signed integer of 1 byte.
inline constexpr dtype int16 = type_code::int16;            ///< Signed integer of 2 bytes.
inline constexpr dtype int32 = type_code::int32;            ///< Signed integer of 4 bytes.
inline constexpr dtype int64 = type_code::int64;            ///< Signed integer of 8 bytes.
inline constexpr dtype uint8 = type_code::uint8;            ///< Unsigned integer of 1 byte.
inline constexpr dtype uint16 = type_code::uint16;          ///< Unsigned integer of 2 bytes.
inline constexpr dtype uint32 = type_code::uint32;          ///< Unsigned integer of 4 bytes.
inline constexpr dtype uint64 = type_code::uint64;          ///< Unsigned integer of 8 bytes.
inline constexpr dtype float16 = type_code::float16;        ///< IEEE 754 binary16, 2 bytes.
inline constexpr dtype float32 = type_code::float32;        ///< IEEE 754 binary32: `float`.
inline constexpr dtype float64 = type_code::float64;        ///< IEEE 754 binary64: `double`.
inline constexpr dtype complex64 = type_code::complex64;    ///< `std::complex<float>`.
inline constexpr dtype complex128 = type_code::complex128;  ///< `std::complex<double>`.

/// The largest size of a structured type in bytes. It is NumPy's, whose item sizes are C integers.
inline constexpr std::size_t max_structure_itemsize = 2147483647;

/// A field of a structured type.
struct field {
  /// The name, which is not empty.
  std::string name;
  /// The type of the field's elements. It may be structured, too.
  dtype type;
  /// The shape of a field that is an array in C order. It is empty for a single element.
  std::vector<std::ptrdiff_t> shape;
  /// The offset of the field in bytes, from the start of the element.
  std::size_t offset;

  /// Whether names, types, shapes and offsets are equal.
  friend bool operator==(const field&, const field&) = default;
  /// An order that has no meaning, for containers.
  friend auto operator<=>(const field&, const field&) = default;
};

/// Size of a field in bytes. Throws value_error, whose message has the field's name, when the shape
/// has more than max_ndim extents or a negative one, or when the field is larger than
/// max_structure_itemsize bytes.
USMX_API std::size_t checked_nbytes(const field&);

/// The field of that name, or null if the type has none. The pointer is valid as long as the type
/// lives.
USMX_API const field* find_field(dtype type, std::string_view name) noexcept;

/// A dtype that keeps the fields of a structured type alive: types that others describe may be very
/// many. A dtype that is copied from it is valid as long as this object, or another held_dtype of
/// the same type, exists. Each array has one.
class USMX_API held_dtype : public dtype {
 public:
  /// Holds a type. Precondition: the type lives for ever, or another held_dtype holds it.
  held_dtype(dtype type) noexcept : dtype(type) { hold(); }
  /// Holds the type of `other`.
  held_dtype(const held_dtype& other) noexcept : dtype(other) { hold(); }
  /// Lets the old type go, and holds the type of `other`.
  held_dtype& operator=(const held_dtype& other) noexcept {
    held_dtype copy(other);
    std::swap(static_cast<dtype&>(*this), static_cast<dtype&>(copy));
    return *this;
  }
  /// Lets the type go.
  ~held_dtype() { let_go(); }

  /// The structured type of `itemsize` bytes with these fields, which live as long as a held_dtype
  /// holds them. Throws as dtype::structured().
  static held_dtype structured(std::vector<field> fields, std::size_t itemsize);

 private:
  void hold() const noexcept {
    if (is_structured()) [[unlikely]] {
      add_holder();
    }
  }
  void let_go() const noexcept {
    if (is_structured()) [[unlikely]] {
      remove_holder();
    }
  }
  void add_holder() const noexcept;
  void remove_holder() const noexcept;
};

}  // namespace usmx::inline v1
