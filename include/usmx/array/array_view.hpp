// Views of arrays: what native code works on. A view owns nothing; what keeps the memory alive is
// in array/array.hpp. Indexing of elements is in layout/strided_view.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <span>  // std::ranges::enable_view
#include <type_traits>
#include <utility>

#include <sycl/context.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/layout/device_view.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/layout/strided_view.hpp"
#include "usmx/runtime/host_compiler.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

// A view for the host that keeps the memory alive: what array::host_as() gives of a temporary
// array, such as a slice, so that `for (double x : a.slice(0).host_as<double, 1>())` and `auto row
// = a.slice(0).host_as<double, 1>()` are safe. A view that keeps nothing is in
// layout/strided_view.hpp.

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
// Tells the standard library that copies of a view are cheap, and share the elements.
template <class T, std::size_t N>
  requires(N > 0)
inline constexpr bool std::ranges::enable_view<usmx::held_view<T, N>> = true;
// Tells the standard library that size() counts elements, not rows.
template <class T, std::size_t N>
  requires(N > 1)
inline constexpr bool std::ranges::disable_sized_range<usmx::held_view<T, N>> = true;
/// @endcond

namespace usmx::inline v1 {

/// A checked view of an array in USM: a pointer, an element type, a layout, the kind of memory, a
/// queue, and whether the elements may be written. It is a copyable value that owns nothing: it is
/// valid as long as the memory lives, which whoever hands out the view has to say.
class USMX_API array_view {
 public:
  /// Makes a view without any check. The layout's offset counts from `origin`, in elements. The
  /// caller has checked that all elements lie inside one allocation of the queue's context. The
  /// kind `unknown` stands for ordinary host memory.
  array_view(void* origin, dtype type, usmx::layout where, usm_kind kind, sycl::queue queue,
             bool readonly) noexcept
      : origin_(static_cast<std::byte*>(origin)),
        layout_(std::move(where)),
        queue_(std::move(queue)),
        type_(type),
        kind_(kind),
        readonly_(readonly) {}

  /// Makes another view of the same elements.
  array_view(const array_view&) = default;
  /// Takes the other view's layout. The other view keeps its queue (a sycl::queue that was moved
  /// from must not be used) and has no elements.
  array_view(array_view&& other) noexcept
      : origin_(other.origin_),
        layout_(std::exchange(other.layout_, usmx::layout::without_elements())),
        queue_(other.queue_),
        type_(other.type_),
        kind_(other.kind_),
        readonly_(other.readonly_) {}
  /// Becomes another view of the same elements.
  array_view& operator=(const array_view&) = default;
  /// Takes the other view's layout. The other view keeps its queue and has no elements.
  array_view& operator=(array_view&& other) noexcept {
    if (this != &other) {
      origin_ = other.origin_;
      layout_ = std::exchange(other.layout_, usmx::layout::without_elements());
      queue_ = other.queue_;
      type_ = other.type_;
      kind_ = other.kind_;
      readonly_ = other.readonly_;
    }
    return *this;
  }
  /// Does nothing: the view owns nothing.
  ~array_view() = default;

  /// The address from which the layout's offset counts.
  std::byte* origin() const noexcept { return origin_; }
  /// A pointer to element zero; origin(), which must not be dereferenced, when there are no
  /// elements.
  std::byte* data() const noexcept;
  /// The element type.
  dtype type() const noexcept { return type_; }
  /// Shape, strides and offset in elements; the offset counts from origin().
  const usmx::layout& layout() const noexcept { return layout_; }
  /// The number of dimensions.
  int ndim() const noexcept { return layout_.ndim(); }
  /// The extents, one for each dimension.
  std::span<const std::ptrdiff_t> shape() const noexcept { return layout_.shape(); }
  /// The strides in elements, one for each dimension. They can be zero or negative.
  std::span<const std::ptrdiff_t> strides() const noexcept { return layout_.strides(); }
  /// The extent of dimension k. Precondition: 0 <= k < ndim().
  std::ptrdiff_t extent(int k) const noexcept { return shape()[static_cast<std::size_t>(k)]; }
  /// The stride of dimension k in elements. Precondition: 0 <= k < ndim().
  std::ptrdiff_t stride(int k) const noexcept { return strides()[static_cast<std::size_t>(k)]; }
  /// The number of elements.
  std::ptrdiff_t size() const noexcept { return layout_.size(); }
  /// The bytes of all elements, without the gaps between them.
  std::size_t nbytes() const noexcept;
  /// The kind of the memory; `unknown` for ordinary host memory.
  usm_kind kind() const noexcept { return kind_; }
  /// The queue on which usmx works on the elements.
  const sycl::queue& queue() const noexcept { return queue_; }
  /// The context of the queue, to which the memory belongs.
  sycl::context context() const { return queue_.get_context(); }
  /// The device of the queue.
  sycl::device device() const { return queue_.get_device(); }
  /// Whether the elements must not be written.
  bool readonly() const noexcept { return readonly_; }

  /// A view of the same memory with another layout, whose offset counts from origin(). The caller
  /// has checked that all elements lie inside the memory.
  array_view with_layout_unchecked(usmx::layout where) const {
    return {origin_, type_, std::move(where), kind_, queue_, readonly_};
  }

  /// The elements that `a[items...]` addresses in Python, as a view of the same memory. Items are
  /// those of array::slice(), and so are the errors.
  template <class... Items>
  [[nodiscard]] array_view slice(const Items&... items) const {
    if constexpr (detail::sliced_rank<max_ndim, Items...>() != detail::no_rank) {
      const std::array<index_item, sizeof...(Items)> all{detail::as_index_item(items)...};
      return with_layout_unchecked(subscript(layout_, all));
    } else {
      return *this;
    }
  }
  /// The elements with the order of the dimensions reversed, as a view of the same memory.
  [[nodiscard]] array_view transposed() const {
    return with_layout_unchecked(usmx::transposed(layout_));
  }

  /// The elements as T in N dimensions, for the host. Does not wait: the elements are ready in a
  /// view that a caster gives. Throws value_error when the host may not touch the memory or the
  /// number of dimensions is another one, type_error when the elements are of another type,
  /// read_only_error when T is not const and the view is read-only.
  template <element_type T, std::size_t N>
  strided_view<T, N> host_as() const {
    require_host_access();
    return strided<T, N>();
  }
  /// @cond
  template <class T, std::size_t N>
    requires(!element_type<T>)
  detail::anything host_as() const {
    return host_as<T>();
  }
  template <class T, class... Nothing>
  detail::anything host_as() const {
    static_assert(detail::never<T, Nothing...>,
                  "view.host_as<T, N>() names an element type and the number of dimensions");
    return {};
  }
  template <class... Indices>
  detail::anything operator()(const Indices&...) const {
    static_assert(detail::never<Indices...>,
                  "an array_view has no element type: take x = view.host_as<T, N>(), and then "
                  "x(i, j)");
    return {};
  }
  /// @endcond
  /// The elements as T in N dimensions, for kernels. Throws type_error when the elements are of
  /// another type, value_error when the number of dimensions is another one, read_only_error when T
  /// is not const and the view is read-only.
  template <class T, std::size_t N>
  device_view<T, N> device_as() const {
    return device_view<T, N>(strided<T, N>());
  }

  /// A pointer to size() elements of T that lie one after the other in C order. Throws type_error
  /// when the elements are of another type, value_error when they are not C-contiguous,
  /// read_only_error when T is not const and the view is read-only.
  template <class T>
  T* contiguous() const {
    require(dtype::of<std::remove_const_t<T>>(), ndim(), !std::is_const_v<T>);
    require_c_contiguous();
    return reinterpret_cast<T*>(data());
  }

 private:
  template <class T, std::size_t N>
  strided_view<T, N> strided() const {
    require(dtype::of<std::remove_const_t<T>>(), static_cast<int>(N), !std::is_const_v<T>);
    std::array<std::ptrdiff_t, N> extents;
    std::array<std::ptrdiff_t, N> strides;
    for (std::size_t k = 0; k < N; ++k) {
      extents[k] = shape()[k];
      strides[k] = layout_.strides()[k];
    }
    return strided_view<T, N>(reinterpret_cast<T*>(data()), extents, strides);
  }
  void require_host_access() const;
  void require(dtype type, int ndim, bool writable) const;
  void require_c_contiguous() const;

  std::byte* origin_;
  usmx::layout layout_;
  sycl::queue queue_;
  dtype type_;
  usm_kind kind_;
  bool readonly_;
};

/// Writes what the view is of: "float64, shape (2, 3), strides (3, 1), shared memory", and whether
/// it is read-only. print.hpp writes the elements.
USMX_API std::ostream& operator<<(std::ostream&, const array_view&);

}  // namespace usmx::inline v1
