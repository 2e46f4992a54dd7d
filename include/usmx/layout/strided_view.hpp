// A typed window on strided elements, for host code and SYCL kernels alike: a pointer to element
// zero, extents and strides. It owns nothing, and checks no more than USMX_ASSERT does: who makes
// one has checked the memory (array_view.hpp) and keeps it alive. Next: array_view.hpp.
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

/// Walks along the elements of one dimension.
template <class T>
class strided_iterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  constexpr strided_iterator() noexcept = default;
  /// The element at `index` of those that begin at `first`.
  constexpr strided_iterator(T* first, std::ptrdiff_t stride, std::ptrdiff_t index) noexcept
      : first_(first), stride_(stride), index_(index) {}

  constexpr T& operator*() const noexcept { return first_[index_ * stride_]; }
  constexpr T* operator->() const noexcept { return &**this; }
  constexpr T& operator[](std::ptrdiff_t n) const noexcept { return *(*this + n); }

  constexpr strided_iterator& operator+=(std::ptrdiff_t n) noexcept {
    index_ += n;
    return *this;
  }
  constexpr strided_iterator& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  constexpr strided_iterator& operator++() noexcept { return *this += 1; }
  constexpr strided_iterator& operator--() noexcept { return *this += -1; }
  constexpr strided_iterator operator++(int) noexcept {
    const strided_iterator before = *this;
    ++*this;
    return before;
  }
  constexpr strided_iterator operator--(int) noexcept {
    const strided_iterator before = *this;
    --*this;
    return before;
  }
  friend constexpr strided_iterator operator+(strided_iterator i, std::ptrdiff_t n) noexcept {
    return i += n;
  }
  friend constexpr strided_iterator operator+(std::ptrdiff_t n, strided_iterator i) noexcept {
    return i += n;
  }
  friend constexpr strided_iterator operator-(strided_iterator i, std::ptrdiff_t n) noexcept {
    return i -= n;
  }
  /// Of iterators of one view, as all comparisons.
  friend constexpr std::ptrdiff_t operator-(const strided_iterator& a,
                                            const strided_iterator& b) noexcept {
    return a.index_ - b.index_;
  }
  friend constexpr bool operator==(const strided_iterator& a, const strided_iterator& b) noexcept {
    return a.index_ == b.index_;
  }
  friend constexpr auto operator<=>(const strided_iterator& a, const strided_iterator& b) noexcept {
    return a.index_ <=> b.index_;
  }

 private:
  T* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  // A pointer to the end could leave the memory where strides are not 1.
  std::ptrdiff_t index_ = 0;
};

/// N dimensions of T. Trivially copyable, hence device-copyable: kernels capture it by value.
/// Extents and strides count elements; strides may be zero or negative.
template <class T, std::size_t N>
class strided_view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using index_type = std::ptrdiff_t;

  static constexpr std::size_t rank() noexcept { return N; }

  /// `data` points to the element whose indices are all 0, which is not the lowest address where
  /// strides are negative.
  constexpr strided_view(T* data, const std::array<std::ptrdiff_t, N>& extents,
                         const std::array<std::ptrdiff_t, N>& strides) noexcept
      : data_(data), extents_(extents), strides_(strides) {}

  /// A view of T is one of const T, too.
  template <class U>
    requires(!std::same_as<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  constexpr strided_view(const strided_view<U, N>& other) noexcept
      : strided_view(other.data(), other.extents(), other.strides()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr const std::array<std::ptrdiff_t, N>& extents() const noexcept { return extents_; }
  constexpr const std::array<std::ptrdiff_t, N>& strides() const noexcept { return strides_; }
  /// Precondition: k < N.
  constexpr std::ptrdiff_t extent(std::size_t k) const noexcept { return extents_[k]; }
  /// Precondition: k < N.
  constexpr std::ptrdiff_t stride(std::size_t k) const noexcept { return strides_[k]; }

  /// Number of elements. Precondition: it fits ptrdiff_t, as that of every layout does.
  constexpr std::ptrdiff_t size() const noexcept {
    // A product that met the 0 late could wrap before.
    for (const std::ptrdiff_t n : extents_) {
      if (n == 0) return 0;
    }
    std::ptrdiff_t count = 1;
    for (const std::ptrdiff_t n : extents_) count *= n;
    return count;
  }

  /// One element. Precondition: 0 <= index < extent in every dimension.
  template <std::convertible_to<std::ptrdiff_t>... Index>
    requires(sizeof...(Index) == N)
  constexpr T& operator()(Index... indices) const noexcept {
    std::ptrdiff_t offset = 0;
    std::size_t k = 0;
    ((offset += static_cast<std::ptrdiff_t>(indices) * strides_[k++]), ...);
    USMX_ASSERT(has(indices...));
    return data_[offset];
  }

  constexpr T& operator[](std::ptrdiff_t index) const noexcept
    requires(N == 1)
  {
    return (*this)(index);
  }
  /// What remains at `index` of the first dimension. Precondition: 0 <= index < extent(0).
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

  /// The elements of one dimension, for loops and algorithms.
  constexpr strided_iterator<T> begin() const noexcept
    requires(N == 1)
  {
    return {data_, strides_[0], 0};
  }
  constexpr strided_iterator<T> end() const noexcept
    requires(N == 1)
  {
    return {data_, strides_[0], extents_[0]};
  }

#if defined(__cpp_lib_mdspan)
  /// The same elements as an mdspan with a strided mapping and plain pointers.
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

  /// Precondition, from std::layout_stride: strides are positive, and no two indices lead to the
  /// same element. Reversed and broadcast views cannot be an mdspan.
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
