// Arrays whose element type and number of dimensions the compiler knows: `array_of<double, 2>` is
// an `array` with typed views. `empty<double>({2, 3}, queue)` makes one without setting its
// elements; makers that set them are in copy/values.hpp and copy/host_data.hpp. Parameters of
// extensions, which state more than that, are in array/in.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/requirement.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {

/// An `array` of elements T in N dimensions. Like every array it is a share in the memory: copies
/// and parts share the elements. If T is const, the elements are not written through it. What it is
/// made of was checked, so its views need no types in angle brackets. It is an `array` wherever one
/// is taken.
template <element_type T, std::size_t N>
class array_of : public array {
 public:
  /// The type of an element, which is const if the elements are not to be written.
  using element_type = T;
  /// The type of an element, without const.
  using value_type = std::remove_const_t<T>;
  /// The requirement on an argument of this type, for the casters of binding libraries.
  static constexpr array_requirement requirement = detail::requirement_of<T, static_cast<int>(N)>();

  /// Number of dimensions.
  static constexpr std::size_t rank() noexcept { return N; }

  /// Takes an array of that element type and number of dimensions. Throws type_error or value_error
  /// for another one, read_only_error when T is not const and the array is read-only.
  explicit array_of(array given) : array(std::move(given)) {
    if (!is_met(requirement, *this)) {
      refuse();
    }
  }
  /// Takes an array that a caster has checked already.
  array_of(array&& given, detail::requirement_is_met) noexcept : array(std::move(given)) {}
  /// An array of const T from one of T.
  template <class U>
    requires(std::is_const_v<T> && std::same_as<const U, T>)
  array_of(array_of<U, N> other) noexcept : array(std::move(other)) {}
  /// Makes a new C-contiguous array, as empty() does: `array_of<double, 2> a({2, 3}, queue)`. The
  /// elements are not set. Throws value_error or overflow_error for a shape that no array can have,
  /// allocation_error when there is no such memory.
  array_of(detail::braced_shape<N> shape, const sycl::queue& queue,
           const placement& memory = usm_kind::device)
    requires(!std::is_const_v<T>)
      : array(usmx::empty(detail::fixed_shape<N>(shape), dtype::of<T>(), queue, memory)) {}
  /// Makes a new array of that shape: an integer for one dimension, or a range of integers. Throws
  /// value_error also when the shape has another number of dimensions.
  template <class Shape>
    requires(!std::is_const_v<T> && detail::shape_of_rank<Shape, N>)
  array_of(const Shape& shape, const sycl::queue& queue, const placement& memory = usm_kind::device)
      : array(usmx::empty(detail::fixed_shape<N>(shape), dtype::of<T>(), queue, memory)) {}
  /// @cond
  template <class Other>
    requires(!std::derived_from<Other, array>)
  explicit array_of(const Other&) {
    static_assert(detail::never<Other>,
                  "array_of<T, N>(shape, queue, kind) makes an array, usmx::from_host(queue, data) "
                  "one of data, and array_of<T, N>(array) checks the type of one");
  }
  template <class... Nothing>
  array_of(detail::any_argument, detail::any_argument, detail::any_argument = {},
           const Nothing&...) {
    static_assert(detail::never<Nothing...>,
                  "array_of<T, N>({2, 3}, queue, kind), where the shape has N extents");
  }
  /// @endcond

  /// A pointer to element zero, as array::data().
  T* data() const noexcept { return reinterpret_cast<T*>(array::data()); }
  /// The value of an array of one element, as array::item() has it.
  value_type item() const { return array::item<value_type>(); }
  using array::item;
  /// The elements for the host: waits until they are ready. The view is valid as long as an array
  /// shares the memory. Exposes the array. Throws value_error when the host may not touch the
  /// memory or there is none, read_only_error when T is not const and the array is read-only.
  strided_view<T, N> host_view() const& { return host_as<T, N>(); }
  /// Gives the elements of a temporary array for the host, in a view that keeps the memory alive:
  /// the array may be the last to share it.
  held_view<T, N> host_view() const&& { return std::move(*this).template host_as<T, N>(); }
  /// The elements for kernels. Does not wait. The view is valid as long as an array shares the
  /// memory. Exposes the array. Throws value_error when there is no memory, read_only_error when T
  /// is not const and the array is read-only.
  usmx::device_view<T, N> device_view() const& { return device_as<T, N>(); }
  /// Deleted: a view does not keep the memory alive, which a temporary array may be the last to
  /// share.
  usmx::device_view<T, N> device_view() const&& = delete;

  /// The elements that `a[items...]` addresses in Python, as array::slice() has them. The result
  /// has a dimension less for each integer, and one more for each `usmx::newaxis`. Throws
  /// value_error also when an index_item is no slice, so that the result has another number of
  /// dimensions.
  template <class... Items>
  [[nodiscard]] auto slice(const Items&... items) const {
    constexpr std::size_t rank = detail::sliced_rank<N, Items...>();
    if constexpr (rank != detail::no_rank) {
      return array_of<T, rank>(array::slice(items...));
    }
  }
  /// The elements with the order of the dimensions reversed, as an array of the same memory.
  [[nodiscard]] array_of transposed() const { return known(array::transposed()); }
  /// The elements, taken in C order, with another shape in braces, as array::reshaped() has them.
  template <std::size_t M>
  [[nodiscard]] array_of<T, M> reshaped(detail::braced_shape<M> shape) const {
    return array_of<T, M>(array::reshaped(detail::fixed_shape<M>(shape)));
  }
  /// The elements, taken in C order, with another shape: an integer, for one dimension, or a
  /// std::array of integers.
  template <detail::shape_of_known_rank Shape>
  [[nodiscard]] auto reshaped(const Shape& shape) const {
    constexpr std::size_t M = detail::rank_of_shape<Shape>;
    return array_of<T, M>(array::reshaped(detail::fixed_shape<M>(shape)));
  }
  /// The elements as an array of the same memory through which they are not written.
  [[nodiscard]] array_of<const T, N> as_readonly() const {
    return array_of<const T, N>(array::as_readonly(), detail::requirement_is_met());
  }

 private:
  static array_of known(array&& met) noexcept {
    return array_of(std::move(met), detail::requirement_is_met());
  }

  [[noreturn]] void refuse() const {
    if (type() != requirement.type) {
      throw type_error(
          detail::message("element type must be ", requirement.type, ", found ", type()));
    }
    if (ndim() != requirement.ndim) {
      throw value_error(detail::message("array must have ", N, " dimensions, found ", ndim(),
                                        " with shape ", tuple_text(shape())));
    }
    throw read_only_error("array must be writable, found a read-only one");
  }
};

/// Makes a new C-contiguous array of a shape in braces, `empty<double>({2, 3}, queue)`, as the
/// empty() of array.hpp does.
template <element_type T, std::size_t N>
[[nodiscard]] array_of<T, N> empty(detail::braced_shape<N> shape, const sycl::queue& queue,
                                   const placement& memory = usm_kind::device) {
  return array_of<T, N>(shape, queue, memory);
}
/// Makes a new C-contiguous array. The shape is an integer, for one dimension, or a std::array of
/// integers.
template <element_type T, detail::shape_of_known_rank Shape>
[[nodiscard]] auto empty(const Shape& shape, const sycl::queue& queue,
                         const placement& memory = usm_kind::device) {
  return array_of<T, detail::rank_of_shape<Shape>>(shape, queue, memory);
}
/// Makes a new C-contiguous array. The shape is a range of integers, such as that of another array:
/// `empty<double, 2>(a.shape(), queue)`. Throws value_error also when there are not N extents.
template <element_type T, std::size_t N, detail::shape_of_any_rank Shape>
[[nodiscard]] array_of<T, N> empty(const Shape& shape, const sycl::queue& queue,
                                   const placement& memory = usm_kind::device) {
  return array_of<T, N>(shape, queue, memory);
}

/// Makes a new array of the type, the shape, the queue and the kind of memory of another one. Its
/// elements, which are not set, lie without gaps in the other's order (NumPy's order 'K'). Throws
/// value_error when the other has no memory, allocation_error when there is no memory.
[[nodiscard]] USMX_API array empty_like(const array& other);
/// Makes a new array like another one whose element type and number of dimensions the compiler
/// knows, and so of these.
template <element_type T, std::size_t N>
[[nodiscard]] array_of<std::remove_const_t<T>, N> empty_like(const array_of<T, N>& other) {
  return array_of<std::remove_const_t<T>, N>(empty_like(static_cast<const array&>(other)),
                                             detail::requirement_is_met());
}

}  // namespace usmx::inline v1
