// Values of C++ types and arrays: filling an array with a value, converting it to another element
// type, taking its elements out into a std::vector, and new arrays whose elements are set. Elements
// from ordinary host memory are in copy/host_data.hpp; arrays whose elements are not set are made
// by `empty` in array/array.hpp and array/array_of.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_of.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

namespace detail {

/// The bytes of one element of any plain type.
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

/// Starts to set every element of an array to a value, and returns the event. The fill comes after
/// the work on the array, is recorded on it, and waits as the fill_async of copy.hpp does. Converts
/// and throws as fill().
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
/// Converts to a type that the compiler knows: `astype<float>(a)`.
template <element_type T>
[[nodiscard]] array astype(const array& source) {
  return astype(source, dtype::of<T>());
}

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

/// Makes a new C-contiguous array whose bytes are all 0, and waits until they are set. usmx
/// allocates at least one element, on the queue's device. Throws value_error or overflow_error for
/// a shape that no array can have, allocation_error when there is no such memory.
[[nodiscard]] USMX_API array zeros(const shape_argument& shape, dtype type,
                                   const sycl::queue& queue, usm_kind kind = usm_kind::device);
/// Makes a new C-contiguous array of zeros in memory of a certain resource.
[[nodiscard]] USMX_API array zeros(const shape_argument& shape, dtype type,
                                   const sycl::queue& queue, const placement& memory);
/// Makes a new C-contiguous array of zeros of a type that the compiler knows, for a shape in
/// braces: `zeros<double>({2, 3}, queue)`.
template <element_type T, std::size_t N>
[[nodiscard]] array_of<T, N> zeros(detail::braced_shape<N> shape, const sycl::queue& queue,
                                   const placement& memory = usm_kind::device) {
  return array_of<T, N>(zeros(detail::fixed_shape<N>(shape), dtype::of<T>(), queue, memory));
}
/// Makes a new C-contiguous array of zeros. The shape is an integer, for one dimension, or a
/// std::array of integers.
template <element_type T, detail::shape_of_known_rank Shape>
[[nodiscard]] auto zeros(const Shape& shape, const sycl::queue& queue,
                         const placement& memory = usm_kind::device) {
  constexpr std::size_t N = detail::rank_of_shape<Shape>;
  return array_of<T, N>(zeros(detail::fixed_shape<N>(shape), dtype::of<T>(), queue, memory));
}
/// Makes a new C-contiguous array of zeros. The shape is a range of N integers: `zeros<double,
/// 2>(a.shape(), queue)`. Throws value_error also when there are not N.
template <element_type T, std::size_t N, detail::shape_of_any_rank Shape>
[[nodiscard]] array_of<T, N> zeros(const Shape& shape, const sycl::queue& queue,
                                   const placement& memory = usm_kind::device) {
  return array_of<T, N>(zeros(detail::fixed_shape<N>(shape), dtype::of<T>(), queue, memory));
}

/// @cond
template <class... T>
detail::anything zeros(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "zeros<T>({2, 3}, queue, kind), zeros<T, N>(range, queue, kind) or "
                "zeros(shape, dtype, queue, kind)");
  return {};
}
template <class T, auto N>
detail::anything zeros(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  return zeros<T>(detail::any_argument());
}
/// @endcond

/// Makes a new C-contiguous array of a shape in braces, `full({2, 3}, 1.5, queue)` or
/// `full<float>({2, 3}, 1.5, queue)`, whose elements are all `value`. Waits and throws as zeros().
template <element_type T, std::size_t N>
[[nodiscard]] array_of<T, N> full(detail::braced_shape<N> shape, T value, const sycl::queue& queue,
                                  const placement& memory = usm_kind::device) {
  array_of<T, N> result(shape, queue, memory);
  fill(result, value);
  return result;
}
/// Makes a new C-contiguous array whose elements are all `value`. The shape is an integer, for one
/// dimension, or a std::array of integers.
template <element_type T, detail::shape_of_known_rank Shape>
[[nodiscard]] auto full(const Shape& shape, std::type_identity_t<T> value, const sycl::queue& queue,
                        const placement& memory = usm_kind::device) {
  array_of<T, detail::rank_of_shape<Shape>> result(shape, queue, memory);
  fill(result, value);
  return result;
}
/// Makes a new C-contiguous array whose elements are all `value`. The shape is a range of N
/// integers: `full<double, 2>(a.shape(), 1.5, queue)`. Throws value_error also when there are not
/// N.
template <element_type T, std::size_t N, detail::shape_of_any_rank Shape>
[[nodiscard]] array_of<T, N> full(const Shape& shape, std::type_identity_t<T> value,
                                  const sycl::queue& queue,
                                  const placement& memory = usm_kind::device) {
  array_of<T, N> result(shape, queue, memory);
  fill(result, value);
  return result;
}

/// @cond
template <class... T>
detail::anything full(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "full<T>({2, 3}, value, queue, kind) or full<T, N>(range, value, queue, kind)");
  return {};
}
template <class T, auto N>
detail::anything full(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  return full<T>(detail::any_argument());
}
/// @endcond

/// Makes a new C-contiguous array whose elements are all 1, for a shape in braces, and waits:
/// `ones<double>({2, 3}, queue)`.
template <element_type T, std::size_t N>
[[nodiscard]] array_of<T, N> ones(detail::braced_shape<N> shape, const sycl::queue& queue,
                                  const placement& memory = usm_kind::device) {
  array_of<T, N> result(shape, queue, memory);
  fill(result, T(1));
  return result;
}
/// Makes a new C-contiguous array of ones. The shape is an integer, for one dimension, or a
/// std::array of integers.
template <element_type T, detail::shape_of_known_rank Shape>
[[nodiscard]] auto ones(const Shape& shape, const sycl::queue& queue,
                        const placement& memory = usm_kind::device) {
  return full<T>(shape, T(1), queue, memory);
}
/// Makes a new C-contiguous array of ones of a type that the compiler does not know.
[[nodiscard]] inline array ones(const shape_argument& shape, dtype type, const sycl::queue& queue,
                                const placement& memory = usm_kind::device) {
  array result = empty(shape, type, queue, memory);
  fill(result, 1);
  return result;
}
/// @cond
template <class... T>
detail::anything ones(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "ones<T>({2, 3}, queue, kind) or ones(shape, dtype, queue, kind)");
  return {};
}
template <class T, auto N>
detail::anything ones(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  return ones<T>(detail::any_argument());
}
/// @endcond

/// Makes a new array like another one, as empty_like(), whose elements are all `value`, and waits.
/// Throws value_error also for elements of a structured type.
template <element_type T>
[[nodiscard]] array full_like(const array& other, T value) {
  array result = empty_like(other);
  fill(result, value);
  return result;
}
/// Makes a new array like another one whose elements are all 0.
[[nodiscard]] inline array zeros_like(const array& other) { return full_like(other, 0); }
/// Makes a new array like another one whose elements are all 1.
[[nodiscard]] inline array ones_like(const array& other) { return full_like(other, 1); }

/// Makes a new array with the elements of another one, on the same queue and of the same kind of
/// memory, and waits. Its elements lie without gaps, in the order in which the source has them
/// (NumPy's order 'K'). Throws value_error when the source has no memory, allocation_error when
/// there is no memory.
[[nodiscard]] USMX_API array clone(const array& source);
/// Makes a new array with the elements of another one in memory of another kind, or of a certain
/// resource, on the same queue.
[[nodiscard]] USMX_API array clone(const array& source, const placement& memory);
/// Makes a new array with the elements of another one on another queue, of any device and context.
[[nodiscard]] USMX_API array clone(const array& source, const sycl::queue& queue,
                                   const placement& memory = usm_kind::device);
/// Makes a new array with the elements of another one whose element type and number of dimensions
/// the compiler knows. `where` is nothing, a kind of memory or a resource, or a queue and one of
/// these.
template <element_type T, std::size_t N, class... Where>
[[nodiscard]] array_of<std::remove_const_t<T>, N> clone(const array_of<T, N>& source,
                                                        const Where&... where) {
  return array_of<std::remove_const_t<T>, N>(clone(static_cast<const array&>(source), where...),
                                             detail::requirement_is_met());
}

}  // namespace usmx::inline v1
