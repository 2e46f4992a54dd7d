// Conversion of elements, and the choice of a function by the type of elements. Private to the
// library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/device/elements.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::detail {

template <type_code>
struct stored_type;  // the class that conversions have for elements, one that holds every byte
#define USMX_STORED_TYPE(code, type) \
  template <>                        \
  struct stored_type<type_code::code> : std::type_identity<kernels::type> {};
USMX_PLAIN_TYPES(USMX_STORED_TYPE)
#undef USMX_STORED_TYPE

template <type_code Code>
using stored_element = typename stored_type<Code>::type;

/// The element at an address of any alignment.
template <class T>
T element_at(const std::byte* address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

/// Calls `body(std::type_identity<T>())`, where T holds the elements of `code`, a plain type.
template <class Body>
decltype(auto) with_element_type(type_code code, Body&& body) {
  switch (code) {
#define USMX_CASE(code, type) \
  case type_code::code:       \
    return body(std::type_identity<kernels::type>());
    USMX_PLAIN_TYPES(USMX_CASE)
#undef USMX_CASE
    case type_code::structured:
      break;
  }
  __builtin_unreachable();
}

/// Calls `body` with the number of bytes of an item: as an integral_constant where items of that
/// size are moved by one instruction.
template <class Body>
decltype(auto) with_item_size(std::size_t nbytes, Body&& body) {
  switch (nbytes) {
    case 1:
      return body(std::integral_constant<std::size_t, 1>());
    case 2:
      return body(std::integral_constant<std::size_t, 2>());
    case 4:
      return body(std::integral_constant<std::size_t, 4>());
    case 8:
      return body(std::integral_constant<std::size_t, 8>());
    case 16:
      return body(std::integral_constant<std::size_t, 16>());
    default:
      return body(nbytes);
  }
}

/// A type for items of 1, 2, 4, 8 or 16 bytes: an integer where there is one of that size.
template <std::size_t Nbytes>
using item_of = std::conditional_t<Nbytes == 16, std::array<std::uint64_t, 2>,
                                   stored_element<code_of('u', Nbytes == 16 ? 8 : Nbytes)>>;

/// Calls `body(std::type_identity<T>())`, where T holds items of 1, 2, 4, 8 or 16 bytes.
template <class Body>
void with_item_type(std::size_t nbytes, Body&& body) {
  with_item_size(nbytes, [&](auto size) {
    if constexpr (std::is_same_v<decltype(size), std::size_t>) {
      __builtin_unreachable();
    } else {
      body(std::type_identity<item_of<decltype(size)::value>>());
    }
  });
}

/// The conversion between two plain types, also of a type to itself. Elements may lie at any
/// alignment.
///
/// Floats become integers by truncation; NaN and numbers out of range give an unspecified number.
/// Every number but zero is true, NaN included. A complex number becomes real by its real part. A
/// number is rounded once, to nearest even.
struct conversion {
  conversion(dtype source, dtype destination) noexcept;

  /// Converts adjacent elements to adjacent elements.
  void (*adjacent)(const std::byte* source, std::byte* destination, std::ptrdiff_t count) noexcept;
  /// Converts elements at these steps, in bytes.
  void (*strided)(const std::byte* source, std::ptrdiff_t source_step, std::byte* destination,
                  std::ptrdiff_t destination_step, std::ptrdiff_t count) noexcept;
};

}  // namespace usmx::inline v1::detail
