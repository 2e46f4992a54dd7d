// Values of C++ types and arrays: filling an array with a value, converting it to another element
// type, and taking its elements out into a std::vector.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <sycl/event.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_of.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/copy_async.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

namespace detail {

/// One element of any plain type.
using element_bytes = std::array<std::byte, 16>;

/// The value as an element of the array. Throws value_error for elements of a structured type.
template <element_type T>
element_bytes converted_element(const array& destination, T value, const char* function) {
  if (destination.type().is_structured()) {
    throw value_error(
        message(function, ": a number cannot be an element of type ", destination.type()));
  }
  element_bytes element;
  convert_element(dtype::of<T>(), reinterpret_cast<const std::byte*>(&value), destination.type(),
                  element.data());
  return element;
}

}  // namespace detail

/// Sets every element of an array to a value, which is converted as `copy` converts elements, and
/// waits. Throws read_only_error when the array is read-only, value_error when its elements are of
/// a structured type or it has no memory.
template <element_type T>
void fill(const array& destination, T value) {
  fill(destination, detail::converted_element(destination, value, "fill").data());
}

/// Starts to set every element of an array to a value, which is converted as `copy` converts
/// elements, and returns the event. The fill comes after the work on the array, is recorded on it,
/// and waits as the fill_async of copy_async.hpp does. Throws read_only_error when the array is
/// read-only, value_error when its elements are of a structured type or it has no memory.
template <element_type T>
sycl::event fill_async(const array& destination, T value) {
  return fill_async(destination,
                    detail::converted_element(destination, value, "fill_async").data());
}

/// @cond
template <class... T>
void fill(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>, "fill(array, value), and the value is a number");
}
template <class... T>
sycl::event fill_async(detail::any_argument, detail::any_argument = {}) {
  static_assert(detail::never<T...>, "fill_async(array, value), and the value is a number");
  return {};
}
/// @endcond

/// Makes a new array of the elements, converted to `type` as `copy` converts them, and waits. The
/// new array is on the same queue and of the same kind of memory. Its elements lie without gaps, in
/// the order in which the source has them (NumPy's order 'K'). Throws value_error when one of the
/// types is structured and the other is another one or the source has no memory, allocation_error
/// when there is no memory.
[[nodiscard]] USMX_API array astype(const array& source, dtype type);

/// The elements in C order, converted to T as `copy` converts them. Waits. Throws value_error when
/// the elements are of a structured type or the source has no memory.
template <element_type T>
  requires(!std::same_as<T, bool>)  // a std::vector<bool> holds bits
[[nodiscard]] std::vector<T> to_vector(const array& source) {
  std::vector<T> result(static_cast<std::size_t>(source.size()));
  const layout in_bytes = layout::c_order(source.shape()).scaled(sizeof(T));
  copy_to_host(source, {reinterpret_cast<std::byte*>(result.data()), dtype::of<T>(), source.shape(),
                        in_bytes.strides()});
  return result;
}
/// The elements of an array of a type that the compiler knows, in C order.
template <element_type T, std::size_t N>
  requires(!std::same_as<std::remove_const_t<T>, bool>)
[[nodiscard]] std::vector<std::remove_const_t<T>> to_vector(const array_of<T, N>& source) {
  return to_vector<std::remove_const_t<T>>(static_cast<const array&>(source));
}
/// @cond
template <class... T>
detail::anything to_vector(detail::any_argument, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "to_vector<T>(array) names the element type, which is not bool, if the array is "
                "no array_of<T, N>");
  return {};
}
/// @endcond

}  // namespace usmx::inline v1
