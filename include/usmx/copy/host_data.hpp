// Data in ordinary host memory into new arrays, and elements of arrays into host memory that is
// there: std::vector, std::array, std::span, views with strides and std::mdspan. All of these
// functions wait. A new std::vector is made by to_vector (copy/values.hpp); memory that only an
// address and strides describe is a host_array (copy/copy.hpp), and copies that do not wait are in
// copy/copy.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <version>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_of.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {

namespace detail {

/// Elements in host memory, whatever described them: a pointer, and extents and strides in
/// elements.
template <class T, std::size_t N>
strided_view<T, N> host_view_of(const strided_view<T, N>& view) noexcept {
  return view;
}
template <class T, std::size_t N>
strided_view<T, N> host_view_of(const held_view<T, N>& view) noexcept {
  return view.view();
}
#if defined(__cpp_lib_mdspan)
template <class T, class Extents, class Layout>
strided_view<T, Extents::rank()> host_view_of(
    const std::mdspan<T, Extents, Layout>& span) noexcept {
  return span;
}
#endif
template <std::ranges::contiguous_range Range>
auto host_view_of(Range& range) noexcept {
  const std::span elements(range);
  using element = typename decltype(elements)::element_type;
  return strided_view<element, 1>(elements.data(), {std::ssize(elements)}, {1});
}

template <class Data>
concept host_data = requires(Data& data) {
  { host_view_of(data) };
  requires element_type<typename decltype(host_view_of(data))::element_type>;
};

template <class Data>
using element_of = typename decltype(host_view_of(std::declval<Data&>()))::value_type;

/// The element type that from_host makes: that of the data, unless another one is named.
struct that_of_the_data {};
template <class T, class Data>
struct made_element {
  using type = T;
};
template <class Data>
struct made_element<that_of_the_data, Data> {
  using type = element_of<Data>;
};

/// The elements of a view with the strides in bytes that host_array has. It refers to the view.
template <class T, std::size_t N>
class described_host_data {
 public:
  explicit described_host_data(const strided_view<T, N>& view) : view_(view) {
    for (std::size_t k = 0; k < N; ++k) {
      strides_bytes_[k] =
          checked_multiply(view.stride(k), sizeof(T), "stride of host data in bytes");
    }
  }
  host_array get() const noexcept {
    using bytes = std::byte*;
    return {bytes(const_cast<std::remove_const_t<T>*>(view_.data())), dtype::of<T>(),
            view_.extents(), strides_bytes_};
  }

 private:
  const strided_view<T, N>& view_;
  std::array<std::ptrdiff_t, N> strides_bytes_{};
};

/// Contiguous elements in the shape of an array, in C order, as host_array has them.
class host_data_in_c_order {
 public:
  template <class T>
  host_data_in_c_order(const strided_view<T, 1>& data, const array& shaped)
      : first_(reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(data.data()))),
        type_(dtype::of<T>()),
        in_bytes_(layout::c_order(shaped.shape()).scaled(sizeof(T))) {}
  host_array get() const noexcept {
    return {first_, type_, in_bytes_.shape(), in_bytes_.strides()};
  }

 private:
  std::byte* first_;
  dtype type_;
  layout in_bytes_;
};

/// Throws value_error unless a range has as many elements as an array.
inline void require_size(const char* function, std::ptrdiff_t size, const array& a) {
  if (size != a.size()) {
    throw value_error(message(function, ": expected a range of ", a.size(), " elements for shape ",
                              tuple_text(a.shape()), ", found ", size));
  }
}

template <class T, class Element, std::size_t N>
array_of<T, N> copied_from_host(const sycl::queue& queue, const strided_view<Element, N>& data,
                                const placement& memory) {
  array_of<T, N> result(data.extents(), queue, memory);
  copy_from_host(described_host_data(data).get(), result);
  return result;
}

/// Contiguous host data as a view of another shape. Throws value_error for another number of
/// elements.
template <class Element, std::size_t N>
strided_view<Element, N> reshaped_host_data(const strided_view<Element, 1>& data,
                                            std::array<std::ptrdiff_t, N> shape) {
  resolve_extent(shape, data.size());
  const layout where = layout::c_order(shape);
  if (where.size() != data.size()) {
    throw value_error(message("from_host: expected ", where.size(), " elements for shape ",
                              tuple_text(shape), ", found ", data.size()));
  }
  std::array<std::ptrdiff_t, N> strides;
  for (std::size_t k = 0; k < N; ++k) strides[k] = where.strides()[k];
  return {data.data(), shape, strides};
}

}  // namespace detail

/// Makes a new C-contiguous array with the elements of host memory, and waits until they are there.
/// `data` is a contiguous range, such as std::vector, std::array and std::span, for an array of one
/// dimension, or a strided_view or std::mdspan for as many as it has. `from_host<float>(queue,
/// data)` converts the elements. Throws overflow_error when the bytes of a view do not fit
/// ptrdiff_t, allocation_error when there is no such memory.
template <class T = detail::that_of_the_data, detail::host_data Data>
[[nodiscard]] auto from_host(const sycl::queue& queue, const Data& data,
                             const placement& memory = usm_kind::device) {
  using made = typename detail::made_element<T, const Data>::type;
  return detail::copied_from_host<made>(queue, detail::host_view_of(data), memory);
}
/// Makes an array of host memory as from_host(queue, data) does, with the queue where makers of
/// arrays have it: `from_host(data, queue, kind)`.
template <class T = detail::that_of_the_data, detail::host_data Data>
[[nodiscard]] auto from_host(const Data& data, const sycl::queue& queue,
                             const placement& memory = usm_kind::device) {
  return from_host<T>(queue, data, memory);
}
/// Makes a new array of numbers in braces, `from_host(queue, {1.0, 2.0})`, or of an array of C++.
template <element_type T, std::size_t N>
[[nodiscard]] array_of<T, 1> from_host(const sycl::queue& queue, const T (&data)[N],
                                       const placement& memory = usm_kind::device) {
  return from_host(queue, std::span(data), memory);
}
/// Makes a new array of rows in braces, `from_host(queue, {{1.0, 2.0}, {3.0, 4.0}})`.
template <element_type T, std::size_t M, std::size_t N>
[[nodiscard]] array_of<T, 2> from_host(const sycl::queue& queue, const T (&rows)[M][N],
                                       const placement& memory = usm_kind::device) {
  constexpr auto m = static_cast<std::ptrdiff_t>(M), n = static_cast<std::ptrdiff_t>(N);
  return from_host(queue, strided_view<const T, 2>(&rows[0][0], {m, n}, {n, 1}), memory);
}
/// Makes a new C-contiguous array of a shape in braces, `from_host(queue, data, {2, 3})`, with the
/// elements of a contiguous range in C order. One extent may be -1: what the others leave. Throws
/// value_error for another number of elements.
template <class T = detail::that_of_the_data, std::ranges::contiguous_range Data, std::size_t N>
  requires detail::host_data<const Data>
[[nodiscard]] auto from_host(const sycl::queue& queue, const Data& data,
                             detail::braced_shape<N> shape,
                             const placement& memory = usm_kind::device) {
  const auto view =
      detail::reshaped_host_data(detail::host_view_of(data), detail::fixed_shape<N>(shape));
  using made = typename detail::made_element<T, const Data>::type;
  return detail::copied_from_host<made>(queue, view, memory);
}

/// @cond
template <class... T>
detail::anything from_host(detail::any_argument, detail::any_argument = {},
                           detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(
      detail::never<T...>,
      "from_host(queue, data, kind) or from_host(queue, data, {2, 3}, kind), where data is "
      "a contiguous range of elements (std::vector, std::array, std::span), a "
      "usmx::strided_view or a std::mdspan");
  return {};
}
/// @endcond

/// Copies the elements of host memory to those of an array that is there: a contiguous range in C
/// order, a strided_view or std::mdspan to the same index. The elements are converted as `copy`
/// converts them. Waits. Throws value_error when the range has another size than the array, or the
/// view another shape, when the array's elements are of a structured type, or when it has no
/// memory; read_only_error when it is read-only.
template <detail::host_data Data>
void copy_from_host(const Data& data, const array& destination) {
  const auto view = detail::host_view_of(data);
  if constexpr (std::ranges::contiguous_range<Data>) {
    detail::require_size("copy_from_host", view.size(), destination);
    const detail::host_data_in_c_order in_c_order(view, destination);
    copy_from_host(in_c_order.get(), destination);
  } else {
    copy_from_host(detail::described_host_data(view).get(), destination);
  }
}

/// Copies the elements of an array in C order to a contiguous range that is there, such as a
/// std::vector or std::span, or to the same index of a strided_view or std::mdspan, and waits. The
/// elements are converted as `copy` converts them. Throws value_error when the range has another
/// size than the array, or the view another shape, when the elements are of a structured type, or
/// when the array has no memory.
template <class Data>
void to_host(const array& source, Data&& destination) {
  using data = std::remove_reference_t<Data>;
  constexpr bool is_host_data = detail::host_data<data>;
  static_assert(is_host_data,
                "to_host(array, data), where data is a contiguous range of elements (std::vector, "
                "std::array, std::span), a usmx::strided_view or a std::mdspan");
  if constexpr (is_host_data) {
    const auto view = detail::host_view_of(destination);
    using view_type = std::remove_const_t<decltype(view)>;
    static_assert(!std::is_const_v<typename view_type::element_type>,
                  "to_host writes the elements: they must not be const");
    if constexpr (std::ranges::contiguous_range<data>) {
      detail::require_size("to_host", view.size(), source);
      const detail::host_data_in_c_order in_c_order(view, source);
      copy_to_host(source, in_c_order.get());
    } else {
      copy_to_host(source, detail::described_host_data(view).get());
    }
  }
}

/// @cond
template <class... T>
void to_host(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "to_host(array, data), and to_vector<T>(array), of usmx/copy/values.hpp, makes a "
                "new std::vector");
}
template <class... T>
void copy(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(
      detail::never<T...>,
      "copy(source, destination) is for arrays; copy_from_host(data, array) and "
      "to_host(array, data) are for data of the host, and from_host(queue, data) makes an "
      "array of it");
}
/// @endcond

}  // namespace usmx::inline v1
