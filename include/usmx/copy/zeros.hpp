// New arrays whose elements are set: to zero, to a value, or to those of another array. Those whose
// elements come from ordinary host memory are in copy/host_data.hpp; those whose elements are not
// set are made by `empty` in array/array.hpp and array/array_of.hpp.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_of.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/shape_argument.hpp"

namespace usmx::inline v1 {

/// Makes a new C-contiguous array whose bytes are all 0, and waits until they are set. usmx
/// allocates at least one element, on the queue's device. Throws value_error or overflow_error for
/// a shape that no array can have, allocation_error when there is no such memory.
[[nodiscard]] USMX_API array zeros(const shape_argument& shape, dtype type,
                                   const sycl::queue& queue, usm_kind kind = usm_kind::device);
/// The same in memory of a certain resource.
[[nodiscard]] USMX_API array zeros(const shape_argument& shape, dtype type,
                                   const sycl::queue& queue, const placement& memory);
/// Makes a new C-contiguous array of a shape in braces, `zeros<double>({2, 3}, queue)`, whose bytes
/// are all 0, and waits until they are set. Throws value_error or overflow_error for a shape that
/// no array can have, allocation_error when there is no such memory.
template <element_type T, std::size_t N>
[[nodiscard]] array_of<T, N> zeros(detail::braced_shape<N> shape, const sycl::queue& queue,
                                   const placement& memory = usm_kind::device) {
  return array_of<T, N>(zeros(detail::fixed_shape<N>(shape), dtype::of<T>(), queue, memory));
}
/// The same for a shape that is an integer, for one dimension, or a std::array of integers.
template <element_type T, detail::shape_of_known_rank Shape>
[[nodiscard]] auto zeros(const Shape& shape, const sycl::queue& queue,
                         const placement& memory = usm_kind::device) {
  constexpr std::size_t N = detail::rank_of_shape<Shape>;
  return array_of<T, N>(zeros(detail::fixed_shape<N>(shape), dtype::of<T>(), queue, memory));
}
/// The same for a range of N integers: `zeros<double, 2>(a.shape(), queue)`. Throws value_error
/// also when there are not N.
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
/// `full<float>({2, 3}, 1.5, queue)`, whose elements are all `value`, and waits until they are set.
/// Throws value_error or overflow_error for a shape that no array can have, allocation_error when
/// there is no such memory.
template <element_type T, std::size_t N>
[[nodiscard]] array_of<T, N> full(detail::braced_shape<N> shape, T value, const sycl::queue& queue,
                                  const placement& memory = usm_kind::device) {
  array_of<T, N> result(shape, queue, memory);
  fill(result, value);
  return result;
}
/// The same for a shape that is an integer, for one dimension, or a std::array of integers.
template <element_type T, detail::shape_of_known_rank Shape>
[[nodiscard]] auto full(const Shape& shape, std::type_identity_t<T> value, const sycl::queue& queue,
                        const placement& memory = usm_kind::device) {
  array_of<T, detail::rank_of_shape<Shape>> result(shape, queue, memory);
  fill(result, value);
  return result;
}
/// The same for a range of N integers: `full<double, 2>(a.shape(), 1.5, queue)`. Throws value_error
/// also when there are not N.
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

/// Makes a new array with the elements of another one, on the same queue and of the same kind of
/// memory, and waits. Its elements lie without gaps, in the order in which the source has them
/// (NumPy's order 'K'). Throws value_error when the source has no memory, allocation_error when
/// there is no memory.
[[nodiscard]] USMX_API array clone(const array& source);
/// The same in memory of another kind, or of a certain resource, on the same queue.
[[nodiscard]] USMX_API array clone(const array& source, const placement& memory);
/// The same on another queue, of any device and context.
[[nodiscard]] USMX_API array clone(const array& source, const sycl::queue& queue,
                                   const placement& memory = usm_kind::device);
/// The same with the types that the compiler knows: `where` is nothing, a kind of memory or a
/// resource, or a queue and one of these.
template <element_type T, std::size_t N, class... Where>
[[nodiscard]] array_of<std::remove_const_t<T>, N> clone(const array_of<T, N>& source,
                                                        const Where&... where) {
  return array_of<std::remove_const_t<T>, N>(clone(static_cast<const array&>(source), where...),
                                             detail::requirement_is_met());
}

}  // namespace usmx::inline v1
