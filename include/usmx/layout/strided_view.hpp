// A typed view of strided elements, for host code and SYCL kernels. It has a pointer to the element
// whose indices are all 0, extents and strides. It owns nothing. It checks only what USMX_ASSERT
// checks: the code that makes a view has checked the memory and keeps it alive. It is a view in the
// sense of std::ranges, of its elements or, with more than one dimension, of its rows. This header
// does not need SYCL. Next: array/array_view.hpp.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>  // std::ranges::enable_view, in a twentieth of the time of <ranges>
#include <type_traits>
#include <version>

#include "usmx/base/api.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/layout/index_item.hpp"

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace usmx::inline v1 {

template <class T, std::size_t N>
class strided_view;

namespace detail {

/// Extents and strides of the rows of a view with N dimensions. Elements, the rows of a view with
/// one dimension, have none.
template <std::size_t N>
struct row_shape {
  std::array<std::ptrdiff_t, N - 1> extents{};
  std::array<std::ptrdiff_t, N - 1> strides{};
};
template <>
struct row_shape<1> {};

}  // namespace detail

/// An iterator along the first dimension of a view with N dimensions, which may have any stride:
/// over elements if there is one dimension, else over rows, which are views of N - 1 dimensions.
/// The operators are those of a random-access iterator. Only iterators of the same view can be
/// compared.
template <class T, std::size_t N = 1>
class strided_iterator {
 public:
  /// Tells the standard library that the iterator is a random-access iterator.
  using iterator_concept = std::random_access_iterator_tag;
  /// Tells the standard library that the iterator is a random-access iterator; over rows, which are
  /// no objects in memory, only an input iterator in the sense of C++17.
  using iterator_category =
      std::conditional_t<N == 1, std::random_access_iterator_tag, std::input_iterator_tag>;
  /// The type of an element, without const, or of a row.
  using value_type = std::conditional_t<N == 1, std::remove_cv_t<T>, strided_view<T, N - 1>>;
  /// The type of a distance.
  using difference_type = std::ptrdiff_t;
  /// A pointer to an element.
  using pointer = std::conditional_t<N == 1, T*, void>;
  /// A reference to an element, or a row.
  using reference = std::conditional_t<N == 1, T&, strided_view<T, N - 1>>;

  /// An iterator that refers to no element.
  constexpr strided_iterator() noexcept = default;
  /// The element at `index`. `first` is the element at index 0, and `stride` counts elements.
  constexpr strided_iterator(T* first, std::ptrdiff_t stride, std::ptrdiff_t index) noexcept
    requires(N == 1)
      : first_(first), stride_(stride), index_(index) {}
  /// The row of `view` at `index`.
  constexpr strided_iterator(const strided_view<T, N>& view, std::ptrdiff_t index) noexcept
    requires(N > 1)
      : first_(view.data()), stride_(view.stride(0)), index_(index) {
    for (std::size_t k = 1; k < N; ++k) {
      row_.extents[k - 1] = view.extent(k);
      row_.strides[k - 1] = view.stride(k);
    }
  }

  /// The element, or the row.
  constexpr reference operator*() const noexcept {
    T* const at = first_ + index_ * stride_;
    if constexpr (N == 1) {
      return *at;
    } else {
      return {at, row_.extents, row_.strides};
    }
  }
  /// A member of the element.
  constexpr T* operator->() const noexcept
    requires(N == 1)
  {
    return &**this;
  }
  /// The element, or the row, `n` positions on.
  constexpr reference operator[](std::ptrdiff_t n) const noexcept { return *(*this + n); }

  /// Moves `n` positions on.
  constexpr strided_iterator& operator+=(std::ptrdiff_t n) noexcept {
    index_ += n;
    return *this;
  }
  /// Moves `n` positions back.
  constexpr strided_iterator& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  /// Moves one position on.
  constexpr strided_iterator& operator++() noexcept { return *this += 1; }
  /// Moves one position back.
  constexpr strided_iterator& operator--() noexcept { return *this += -1; }
  /// Moves one position on, and returns the old position.
  constexpr strided_iterator operator++(int) noexcept {
    const strided_iterator before = *this;
    ++*this;
    return before;
  }
  /// Moves one position back, and returns the old position.
  constexpr strided_iterator operator--(int) noexcept {
    const strided_iterator before = *this;
    --*this;
    return before;
  }
  /// The position `n` positions on.
  friend constexpr strided_iterator operator+(strided_iterator i, std::ptrdiff_t n) noexcept {
    return i += n;
  }
  /// The position `n` positions on.
  friend constexpr strided_iterator operator+(std::ptrdiff_t n, strided_iterator i) noexcept {
    return i += n;
  }
  /// The position `n` positions back.
  friend constexpr strided_iterator operator-(strided_iterator i, std::ptrdiff_t n) noexcept {
    return i -= n;
  }
  /// Number of elements from `b` to `a`. Precondition: both belong to the same view.
  friend constexpr std::ptrdiff_t operator-(const strided_iterator& a,
                                            const strided_iterator& b) noexcept {
    return a.index_ - b.index_;
  }
  /// Whether both are at the same position. Precondition: both belong to the same view.
  friend constexpr bool operator==(const strided_iterator& a, const strided_iterator& b) noexcept {
    return a.index_ == b.index_;
  }
  /// Compares two positions. Precondition: both belong to the same view.
  friend constexpr auto operator<=>(const strided_iterator& a, const strided_iterator& b) noexcept {
    return a.index_ <=> b.index_;
  }

 private:
  T* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  // An index, because a pointer to the end could leave the memory if the stride is not 1.
  std::ptrdiff_t index_ = 0;
  [[no_unique_address]] detail::row_shape<N> row_;
};

/// A view of elements of type T with N dimensions. Extents and strides count elements, and strides
/// may be zero or negative. A view is trivially copyable, and so device-copyable in the sense of
/// SYCL 2020: kernels capture it by value. It is a borrowed range of elements, or of rows if it has
/// more than one dimension.
template <class T, std::size_t N>
class strided_view : public detail::view_spellings<strided_view<T, N>> {
 public:
  /// The type of an element, which is const if the view is read-only.
  using element_type = T;
  /// The type of an element, without const.
  using value_type = std::remove_cv_t<T>;
  /// The type of indices, extents and strides.
  using index_type = std::ptrdiff_t;

  /// Number of dimensions.
  static constexpr std::size_t rank() noexcept { return N; }

  /// A view of no elements.
  constexpr strided_view() noexcept
    requires(N > 0)
      : data_(nullptr), extents_{}, strides_{} {}
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

  /// @cond
  template <class... Index>
    requires(sizeof...(Index) != N)
  void operator()(Index...) const = delete;  // takes as many indices as the view has dimensions
  /// @endcond

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

#if defined(__cpp_multidimensional_subscript)
  /// The element at these indices, as operator() has it. It exists from C++23 on. Precondition: 0
  /// <= index < extent in every dimension.
  template <std::convertible_to<std::ptrdiff_t>... Index>
    requires(sizeof...(Index) == N && N != 1)
  constexpr T& operator[](Index... indices) const noexcept {
    return (*this)(indices...);
  }
#endif

  /// The elements that `a[items...]` addresses in Python, as array::slice() has them. An item is an
  /// integer, which may count from the end, `usmx::range(start, stop, step)`, `usmx::ellipsis`,
  /// `usmx::newaxis` or a pair of integers, which is a range. The view has a dimension less for
  /// each integer, and one more for each newaxis. Precondition: an integer is inside of its
  /// dimension, no step is 0.
  template <class... Items>
  [[nodiscard]] constexpr auto slice(const Items&... items) const noexcept {
    constexpr std::size_t rank = detail::sliced_rank<N, Items...>();
    if constexpr (rank != detail::no_rank) {
      slicing<rank> to{.source = *this};
      (to.template take<detail::axes_taken<Items...>>(items), ...);
      return strided_view<T, rank>(data_ + to.rest(), to.extents, to.strides);
    }
  }
  /// The elements with the order of the dimensions reversed, as a view of the same memory.
  [[nodiscard]] constexpr strided_view transposed() const noexcept {
    strided_view result = *this;
    for (std::size_t k = 0; k < N; ++k) {
      result.extents_[k] = extents_[N - 1 - k];
      result.strides_[k] = strides_[N - 1 - k];
    }
    return result;
  }

  /// An iterator to the first element, or to the first row.
  constexpr strided_iterator<T, N> begin() const noexcept
    requires(N > 0)
  {
    return iterator_at(0);
  }
  /// An iterator past the last element, or the last row.
  constexpr strided_iterator<T, N> end() const noexcept
    requires(N > 0)
  {
    return iterator_at(extents_[0]);
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
  constexpr strided_iterator<T, N> iterator_at(std::ptrdiff_t index) const noexcept {
    if constexpr (N == 1) {
      return {data_, strides_[0], index};
    } else {
      return {*this, index};
    }
  }

  /// Takes the items of slice() one after the other, into a view of M dimensions.
  template <std::size_t M>
  struct slicing {
    const strided_view& source;
    std::array<std::ptrdiff_t, M> extents{};
    std::array<std::ptrdiff_t, M> strides{};
    std::size_t axis = 0;   // of the source
    std::size_t added = 0;  // dimensions of the result
    std::ptrdiff_t offset = 0;

    constexpr void add(std::ptrdiff_t extent, std::ptrdiff_t stride) noexcept {
      extents[added] = extent;
      strides[added++] = stride;
    }
    /// The product, modulo 2^64 where it does not fit: strides of axes that reach one element or
    /// none may be anything. Device code has no instruction that reports an overflow.
    static constexpr std::ptrdiff_t wrapped_product(std::ptrdiff_t a, std::ptrdiff_t b) noexcept {
      return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(a) * static_cast<std::size_t>(b));
    }
    constexpr void move(std::ptrdiff_t index, std::ptrdiff_t stride) noexcept {
      offset =
          static_cast<std::ptrdiff_t>(static_cast<std::size_t>(offset) +
                                      static_cast<std::size_t>(wrapped_product(index, stride)));
    }
    constexpr void add_axis() noexcept {
      add(source.extents_[axis], source.strides_[axis]);
      ++axis;
    }
    /// `Taken` is how many axes all items take.
    template <std::size_t Taken, class Item>
    constexpr void take(const Item& item) noexcept {
      const index_item what = detail::as_index_item(item);
      if constexpr (detail::is_newaxis<Item>) {
        add(1, 0);
      } else if constexpr (detail::is_ellipsis<Item>) {
        for (std::size_t n = N - Taken; n > 0; --n) add_axis();
      } else if constexpr (std::integral<Item>) {
        const std::ptrdiff_t extent = source.extents_[axis];
        const std::ptrdiff_t index = what.start < 0 ? what.start + extent : what.start;
        USMX_ASSERT(index >= 0 && index < extent);
        move(index, source.strides_[axis++]);
      } else {
        USMX_ASSERT(what.what == index_item::kind::slice && what.step != 0);
        const auto [start, length, step] = detail::selected(what, source.extents_[axis]);
        if (length != 0) move(start, source.strides_[axis]);
        add(length, wrapped_product(source.strides_[axis++], step));
      }
    }
    /// Takes the axes that no item has named. Returns the offset of the result's first element: 0
    /// if there is none, as the strides may be anything then.
    constexpr std::ptrdiff_t rest() noexcept {
      while (axis < N) add_axis();
      return source.size() == 0 ? 0 : offset;
    }
  };

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

/// @cond
// Tells the standard library that copies of a view are cheap, and share the elements.
template <class T, std::size_t N>
  requires(N > 0)
inline constexpr bool std::ranges::enable_view<usmx::strided_view<T, N>> = true;
// Tells the standard library that iterators do not need the view that they are of.
template <class T, std::size_t N>
  requires(N > 0)
inline constexpr bool std::ranges::enable_borrowed_range<usmx::strided_view<T, N>> = true;
// Tells the standard library that size() counts elements, not rows.
template <class T, std::size_t N>
  requires(N > 1)
inline constexpr bool std::ranges::disable_sized_range<usmx::strided_view<T, N>> = true;
/// @endcond
