// A view for the host that keeps the memory alive: what array::host_as() gives of a temporary
// array, such as a slice, so that `for (double x : a.slice(0).host_as<double, 1>())` and
// `auto row = a.slice(0).host_as<double, 1>()` are safe. A view that keeps nothing is in
// layout/strided_view.hpp. This header does not need SYCL.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>  // std::ranges::enable_view
#include <type_traits>
#include <utility>

#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {

class buffer;

/// A strided_view together with a share in the memory. Copies share the memory; it lives as long as
/// one of them, or an array of it. Parts that are taken of it (`[]`, slice()) are views that keep
/// nothing.
template <class T, std::size_t N>
class held_view : public detail::view_spellings<held_view<T, N>> {
 public:
  /// The type of an element, which is const if the view is read-only.
  using element_type = T;
  /// The type of an element, without const.
  using value_type = std::remove_cv_t<T>;
  /// The type of indices, extents and strides.
  using index_type = std::ptrdiff_t;

  /// Number of dimensions.
  static constexpr std::size_t rank() noexcept { return N; }

  /// A view of elements in the memory of `owner`.
  held_view(std::shared_ptr<buffer> owner, const strided_view<T, N>& elements) noexcept
      : owner_(std::move(owner)), elements_(elements) {}

  /// The view alone, valid as long as this object or an array shares the memory.
  const strided_view<T, N>& view() const& noexcept { return elements_; }
  /// Deleted: the view does not keep the memory alive, which a temporary may be the last to share.
  void view() && = delete;
  /// The view alone, as view().
  operator strided_view<T, N>() const& noexcept { return elements_; }
  /// Deleted: the view does not keep the memory alive, which a temporary may be the last to share.
  operator strided_view<T, N>() const&& = delete;
  /// The buffer that keeps the memory alive.
  const std::shared_ptr<buffer>& owner() const noexcept { return owner_; }

  /// A pointer to the element whose indices are all 0.
  T* data() const noexcept { return elements_.data(); }
  /// All extents, in elements.
  const std::array<std::ptrdiff_t, N>& extents() const noexcept { return elements_.extents(); }
  /// All strides, in elements.
  const std::array<std::ptrdiff_t, N>& strides() const noexcept { return elements_.strides(); }
  /// Number of elements along dimension k. Precondition: k < N.
  std::ptrdiff_t extent(std::size_t k) const noexcept { return elements_.extent(k); }
  /// Stride of dimension k in elements. Precondition: k < N.
  std::ptrdiff_t stride(std::size_t k) const noexcept { return elements_.stride(k); }
  /// Number of elements.
  std::ptrdiff_t size() const noexcept { return elements_.size(); }

  /// The element at these indices. Precondition: 0 <= index < extent in every dimension.
  template <std::convertible_to<std::ptrdiff_t>... Index>
    requires(sizeof...(Index) == N)
  T& operator()(Index... indices) const noexcept {
    return elements_(indices...);
  }
  /// The element at `index`, or a view of the other dimensions there. Precondition: 0 <= index <
  /// extent(0).
  decltype(auto) operator[](std::ptrdiff_t index) const noexcept
    requires(N > 0)
  {
    return elements_[index];
  }
  /// Parts of the elements, as strided_view::slice() has them.
  template <class... Items>
  auto slice(const Items&... items) const& noexcept {
    return elements_.slice(items...);
  }
  /// Deleted: the part does not keep the memory alive, which a temporary may be the last to share.
  template <class... Items>
  auto slice(const Items&... items) const&& = delete;
  /// An iterator to the first element, or to the first row.
  strided_iterator<T, N> begin() const noexcept
    requires(N > 0)
  {
    return elements_.begin();
  }
  /// An iterator past the last element, or the last row.
  strided_iterator<T, N> end() const noexcept
    requires(N > 0)
  {
    return elements_.end();
  }

 private:
  std::shared_ptr<buffer> owner_;
  strided_view<T, N> elements_;
};

}  // namespace usmx::inline v1

/// @cond
// For the standard library: copies of a view are cheap, and share the elements.
template <class T, std::size_t N>
  requires(N > 0)
inline constexpr bool std::ranges::enable_view<usmx::held_view<T, N>> = true;
// For the standard library: size() counts elements, not rows.
template <class T, std::size_t N>
  requires(N > 1)
inline constexpr bool std::ranges::disable_sized_range<usmx::held_view<T, N>> = true;
/// @endcond
