// A typed view of strided elements for kernels: what strided_view.hpp is for the host. It has a
// pointer to the element whose indices are all 0, extents and strides, and owns nothing. Only a
// SYCL compiler sees its elements: to index them in host code is an error of other compilers, and
// fails an assertion (USMX_ASSERT) where a SYCL compiler compiles a kernel for the host as well.
// This header does not need SYCL. Next: array/array_view.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "usmx/base/api.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {

/// A view of elements of type T with N dimensions, in memory that the host may not touch or whose
/// work is unfinished. Extents and strides count elements, and strides may be zero or negative. A
/// view is trivially copyable, and so device-copyable in the sense of SYCL 2020: kernels capture it
/// by value.
template <class T, std::size_t N>
class device_view : public detail::view_spellings<device_view<T, N>> {
 public:
  /// The type of an element, which is const if the view is read-only.
  using element_type = T;
  /// The type of an element, without const.
  using value_type = std::remove_cv_t<T>;
  /// The type of indices, extents and strides.
  using index_type = std::ptrdiff_t;

  /// Number of dimensions.
  static constexpr std::size_t rank() noexcept { return N; }

  /// Makes a view for kernels of the elements of a view for the host.
  explicit constexpr device_view(const strided_view<T, N>& elements) noexcept
      : elements_(elements) {}
  /// Makes a view of const T from a view of T.
  template <class U>
    requires(!std::same_as<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  constexpr device_view(const device_view<U, N>& other) noexcept
      : elements_(other.data(), other.extents(), other.strides()) {}

  /// A pointer to the element whose indices are all 0. The host may pass it on, not read it.
  constexpr T* data() const noexcept { return elements_.data(); }
  /// All extents, in elements.
  constexpr const std::array<std::ptrdiff_t, N>& extents() const noexcept {
    return elements_.extents();
  }
  /// All strides, in elements.
  constexpr const std::array<std::ptrdiff_t, N>& strides() const noexcept {
    return elements_.strides();
  }
  /// Number of elements along dimension k. Precondition: k < N.
  constexpr std::ptrdiff_t extent(std::size_t k) const noexcept { return elements_.extent(k); }
  /// Stride of dimension k in elements. Precondition: k < N.
  constexpr std::ptrdiff_t stride(std::size_t k) const noexcept { return elements_.stride(k); }
  /// Number of elements.
  constexpr std::ptrdiff_t size() const noexcept { return elements_.size(); }

  /// A view of parts of the elements, as strided_view::slice() has them.
  template <class... Items>
  [[nodiscard]] constexpr auto slice(const Items&... items) const noexcept {
    constexpr std::size_t rank = detail::sliced_rank<N, Items...>();
    if constexpr (rank != detail::no_rank) {
      return device_view<T, rank>(elements_.slice(items...));
    }
  }
  /// The elements with the order of the dimensions reversed, as a view of the same memory.
  [[nodiscard]] constexpr device_view transposed() const noexcept {
    return device_view(elements_.transposed());
  }

#if defined(__SYCL_DEVICE_ONLY__) || defined(SYCL_LANGUAGE_VERSION)  // a SYCL compiler
  /// The element at these indices, in a kernel. Precondition: 0 <= index < extent in every
  /// dimension.
  template <std::convertible_to<std::ptrdiff_t>... Index>
    requires(sizeof...(Index) == N)
  constexpr T& operator()(Index... indices) const noexcept {
    assert_in_kernel();
    return elements_(indices...);
  }
  /// The element at `index`, in a kernel. Precondition: 0 <= index < extent(0).
  constexpr T& operator[](std::ptrdiff_t index) const noexcept
    requires(N == 1)
  {
    return (*this)(index);
  }
  /// A view of the other dimensions at `index` of the first one. Precondition: 0 <= index <
  /// extent(0).
  constexpr device_view<T, N - 1> operator[](std::ptrdiff_t index) const noexcept
    requires(N > 1)
  {
    return device_view<T, N - 1>(elements_[index]);
  }
#endif

 private:
#if defined(__SYCL_DEVICE_ONLY__) || defined(SYCL_LANGUAGE_VERSION)
  static constexpr void assert_in_kernel() noexcept {
#if !defined(__SYCL_DEVICE_ONLY__)
    USMX_ASSERT(!"elements of a device_view are for kernels: the host takes host_as");
#endif
  }
#endif

  strided_view<T, N> elements_;
};

}  // namespace usmx::inline v1
