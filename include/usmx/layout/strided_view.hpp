// A typed view of strided elements, for host code and SYCL kernels. It has a pointer to the element
// whose indices are all 0, extents and strides. It owns nothing. It checks only what USMX_ASSERT
// checks: the code that makes a view has checked the memory and keeps it alive. This header does
// not need SYCL. Next: array/array_view.hpp.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <version>

#include "usmx/base/assert.hpp"

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace usmx::inline v1 {

/// An iterator over the elements of one dimension, which may have any stride. The operators are
/// those of a random-access iterator. Only iterators of the same view can be compared.
template <class T>
class strided_iterator {
 public:
  /// For the standard library: the iterator is a random-access iterator.
  using iterator_concept = std::random_access_iterator_tag;
  /// For the standard library: the iterator is a random-access iterator.
  using iterator_category = std::random_access_iterator_tag;
  /// The type of an element, without const.
  using value_type = std::remove_cv_t<T>;
  /// The type of a distance.
  using difference_type = std::ptrdiff_t;
  /// A pointer to an element.
  using pointer = T*;
  /// A reference to an element.
  using reference = T&;

  /// An iterator that refers to no element.
  constexpr strided_iterator() noexcept = default;
  /// The element at `index`. `first` is the element at index 0, and `stride` counts elements.
  constexpr strided_iterator(T* first, std::ptrdiff_t stride, std::ptrdiff_t index) noexcept
      : first_(first), stride_(stride), index_(index) {}

  /// The element.
  constexpr T& operator*() const noexcept { return first_[index_ * stride_]; }
  /// A member of the element.
  constexpr T* operator->() const noexcept { return &**this; }
  /// The element `n` places on.
  constexpr T& operator[](std::ptrdiff_t n) const noexcept { return *(*this + n); }

  /// Moves `n` places on.
  constexpr strided_iterator& operator+=(std::ptrdiff_t n) noexcept {
    index_ += n;
    return *this;
  }
  /// Moves `n` places back.
  constexpr strided_iterator& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  /// Moves one place on.
  constexpr strided_iterator& operator++() noexcept { return *this += 1; }
  /// Moves one place back.
  constexpr strided_iterator& operator--() noexcept { return *this += -1; }
  /// Moves one place on, and returns the old place.
  constexpr strided_iterator operator++(int) noexcept {
    const strided_iterator before = *this;
    ++*this;
    return before;
  }
  /// Moves one place back, and returns the old place.
  constexpr strided_iterator operator--(int) noexcept {
    const strided_iterator before = *this;
    --*this;
    return before;
  }
  /// The place `n` places on.
  friend constexpr strided_iterator operator+(strided_iterator i, std::ptrdiff_t n) noexcept {
    return i += n;
  }
  /// The place `n` places on.
  friend constexpr strided_iterator operator+(std::ptrdiff_t n, strided_iterator i) noexcept {
    return i += n;
  }
  /// The place `n` places back.
  friend constexpr strided_iterator operator-(strided_iterator i, std::ptrdiff_t n) noexcept {
    return i -= n;
  }
  /// Number of elements from `b` to `a`. Precondition: both belong to the same view.
  friend constexpr std::ptrdiff_t operator-(const strided_iterator& a,
                                            const strided_iterator& b) noexcept {
    return a.index_ - b.index_;
  }
  /// Whether both are at the same place. Precondition: both belong to the same view.
  friend constexpr bool operator==(const strided_iterator& a, const strided_iterator& b) noexcept {
    return a.index_ == b.index_;
  }
  /// Compares two places. Precondition: both belong to the same view.
  friend constexpr auto operator<=>(const strided_iterator& a, const strided_iterator& b) noexcept {
    return a.index_ <=> b.index_;
  }

 private:
  T* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  // An index, because a pointer to the end could leave the memory if the stride is not 1.
  std::ptrdiff_t index_ = 0;
};

/// A view of elements of type T with N dimensions. Extents and strides count elements, and strides
/// may be zero or negative. A view is trivially copyable, and so device-copyable in the sense of
/// SYCL 2020: kernels capture it by value.
template <class T, std::size_t N>
class strided_view {
 public:
  /// The type of an element, which is const if the view is read-only.
  using element_type = T;
  /// The type of an element, without const.
  using value_type = std::remove_cv_t<T>;
  /// The type of indices, extents and strides.
  using index_type = std::ptrdiff_t;

  /// Number of dimensions.
  static constexpr std::size_t rank() noexcept { return N; }

  /// A view of these elements. `data` points to the element whose indices are all 0. Negative
  /// strides lead to lower addresses.
  constexpr strided_view(T* data, const std::array<std::ptrdiff_t, N>& extents,
                         const std::array<std::ptrdiff_t, N>& strides) noexcept
      : data_(data), extents_(extents), strides_(strides) {}

  /// Makes a view of const T from a view of T.
  template <class U>
    requires(!std::same_as<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  constexpr strided_view(const strided_view<U, N>& other) noexcept
      : strided_view(other.data(), other.extents(), other.strides()) {}

  /// A pointer to the element whose indices are all 0.
  constexpr T* data() const noexcept { return data_; }
  /// All extents, in elements.
  constexpr const std::array<std::ptrdiff_t, N>& extents() const noexcept { return extents_; }
  /// All strides, in elements.
  constexpr const std::array<std::ptrdiff_t, N>& strides() const noexcept { return strides_; }
  /// Number of elements along dimension k. Precondition: k < N.
  constexpr std::ptrdiff_t extent(std::size_t k) const noexcept { return extents_[k]; }
  /// Stride of dimension k in elements. Precondition: k < N.
  constexpr std::ptrdiff_t stride(std::size_t k) const noexcept { return strides_[k]; }

  /// Number of elements. Precondition: it fits std::ptrdiff_t, as that of every layout does.
  constexpr std::ptrdiff_t size() const noexcept {
    // A product could wrap around before it meets the 0.
    for (const std::ptrdiff_t n : extents_) {
      if (n == 0) return 0;
    }
    std::ptrdiff_t count = 1;
    for (const std::ptrdiff_t n : extents_) count *= n;
    return count;
  }

  /// The element at these indices. Precondition: 0 <= index < extent in every dimension.
  template <std::convertible_to<std::ptrdiff_t>... Index>
    requires(sizeof...(Index) == N)
  constexpr T& operator()(Index... indices) const noexcept {
    std::ptrdiff_t offset = 0;
    std::size_t k = 0;
    ((offset += static_cast<std::ptrdiff_t>(indices) * strides_[k++]), ...);
    USMX_ASSERT(has(indices...));
    return data_[offset];
  }

  /// The element at `index`. Precondition: 0 <= index < extent(0).
  constexpr T& operator[](std::ptrdiff_t index) const noexcept
    requires(N == 1)
  {
    return (*this)(index);
  }
  /// A view of the other dimensions at `index` of the first one. Precondition: 0 <= index <
  /// extent(0).
  constexpr strided_view<T, N - 1> operator[](std::ptrdiff_t index) const noexcept
    requires(N > 1)
  {
    USMX_ASSERT(index >= 0 && index < extents_[0]);
    std::array<std::ptrdiff_t, N - 1> extents{};
    std::array<std::ptrdiff_t, N - 1> strides{};
    for (std::size_t k = 1; k < N; ++k) {
      extents[k - 1] = extents_[k];
      strides[k - 1] = strides_[k];
    }
    return {data_ + index * strides_[0], extents, strides};
  }

  /// An iterator to the first element of a view with one dimension.
  constexpr strided_iterator<T> begin() const noexcept
    requires(N == 1)
  {
    return {data_, strides_[0], 0};
  }
  /// An iterator past the last element of a view with one dimension.
  constexpr strided_iterator<T> end() const noexcept
    requires(N == 1)
  {
    return {data_, strides_[0], extents_[0]};
  }

#if defined(__cpp_lib_mdspan)
  /// A view of the elements of an mdspan that has plain pointers and a strided mapping. It exists
  /// if the standard library has std::mdspan.
  template <class U, class Extents, class Layout>
    requires(std::is_convertible_v<U (*)[], T (*)[]> && Extents::rank() == N &&
             Layout::template mapping<Extents>::is_always_strided())
  constexpr strided_view(const std::mdspan<U, Extents, Layout>& span) noexcept
      : data_(span.data_handle()), extents_{}, strides_{} {
    for (std::size_t k = 0; k < N; ++k) {
      extents_[k] = static_cast<std::ptrdiff_t>(span.extent(k));
      strides_[k] = static_cast<std::ptrdiff_t>(span.stride(k));
    }
  }

  /// An mdspan of the same elements. It exists if the standard library has std::mdspan.
  /// Precondition, which std::layout_stride demands: all strides are positive, and no element has
  /// two indices. So reversed and broadcast views cannot become an mdspan.
  constexpr operator std::mdspan<T, std::dextents<std::ptrdiff_t, N>, std::layout_stride>()
      const noexcept {
    using extents_type = std::dextents<std::ptrdiff_t, N>;
    return {data_, std::layout_stride::mapping<extents_type>(extents_type(extents_), strides_)};
  }
#endif

 private:
  template <class... Index>
  constexpr bool has(Index... indices) const noexcept {
    std::size_t k = 0;
    return ((static_cast<std::ptrdiff_t>(indices) >= 0 &&
             static_cast<std::ptrdiff_t>(indices) < extents_[k++]) &&
            ...);
  }

  T* data_;
  std::array<std::ptrdiff_t, N> extents_;
  std::array<std::ptrdiff_t, N> strides_;
};

}  // namespace usmx::inline v1
