// Views of arrays: what native code works on. A view owns nothing; what keeps the memory alive is
// in array/array.hpp. Indexing of elements is in layout/strided_view.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <span>
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
  /// The same elements with the order of the dimensions reversed.
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
