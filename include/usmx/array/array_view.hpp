// A checked, non-owning look at an array in USM: pointer, element type, layout, kind, queue and
// whether it may be written. A view that exists is valid for as long as its owner lives; who that
// is travels beside the view, in array.hpp. Indexing of elements: strided_view.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <sycl/context.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/layout/strided_view.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

class USMX_API array_view {
 public:
  /// `origin` is where the layout's offsets count from. The caller has checked that all elements
  /// lie inside an allocation of the queue's context. kind `unknown` is ordinary host memory.
  array_view(void* origin, dtype type, usmx::layout where, usm_kind kind, sycl::queue queue,
             bool readonly) noexcept
      : origin_(static_cast<std::byte*>(origin)),
        layout_(std::move(where)),
        queue_(std::move(queue)),
        type_(type),
        kind_(kind),
        readonly_(readonly) {}

  array_view(const array_view&) = default;
  /// What was moved from has no elements, and its queue: a sycl::queue that was moved from must not
  /// be touched.
  array_view(array_view&& other) noexcept
      : origin_(other.origin_),
        layout_(std::exchange(other.layout_, usmx::layout::without_elements())),
        queue_(other.queue_),
        type_(other.type_),
        kind_(other.kind_),
        readonly_(other.readonly_) {}
  array_view& operator=(const array_view&) = default;
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
  ~array_view() = default;

  /// Where offsets count from.
  std::byte* origin() const noexcept { return origin_; }
  /// Element zero; `origin`, not to be used, when there are no elements.
  std::byte* data() const noexcept;
  dtype type() const noexcept { return type_; }
  const usmx::layout& layout() const noexcept { return layout_; }
  int ndim() const noexcept { return layout_.ndim(); }
  std::span<const std::ptrdiff_t> shape() const noexcept { return layout_.shape(); }
  /// In elements.
  std::span<const std::ptrdiff_t> strides() const noexcept { return layout_.strides(); }
  std::ptrdiff_t size() const noexcept { return layout_.size(); }
  /// Bytes of the elements, gaps between them not counted.
  std::size_t nbytes() const noexcept;
  usm_kind kind() const noexcept { return kind_; }
  const sycl::queue& queue() const noexcept { return queue_; }
  sycl::context context() const { return queue_.get_context(); }
  sycl::device device() const { return queue_.get_device(); }
  bool readonly() const noexcept { return readonly_; }

  /// Elements of the same memory with another layout. The caller has checked that they lie inside
  /// the view's memory.
  array_view with_layout_unchecked(usmx::layout where) const {
    return {origin_, type_, std::move(where), kind_, queue_, readonly_};
  }

  /// The elements as T in N dimensions. Throws type_error on another element type, value_error on
  /// another number of dimensions, read_only_error when T is not const and the view is read-only.
  template <class T, std::size_t N>
  strided_view<T, N> as() const {
    require(dtype::of<std::remove_const_t<T>>(), static_cast<int>(N), !std::is_const_v<T>);
    std::array<std::ptrdiff_t, N> extents;
    std::array<std::ptrdiff_t, N> strides;
    for (std::size_t k = 0; k < N; ++k) {
      extents[k] = shape()[k];
      strides[k] = layout_.strides()[k];
    }
    return strided_view<T, N>(reinterpret_cast<T*>(data()), extents, strides);
  }

  /// The elements as one C-contiguous run of T. Throws as `as`, and value_error when they are not
  /// C-contiguous.
  template <class T>
  T* contiguous() const {
    require(dtype::of<std::remove_const_t<T>>(), ndim(), !std::is_const_v<T>);
    require_c_contiguous();
    return reinterpret_cast<T*>(data());
  }

 private:
  void require(dtype type, int ndim, bool writable) const;
  void require_c_contiguous() const;

  std::byte* origin_;
  usmx::layout layout_;
  sycl::queue queue_;
  dtype type_;
  usm_kind kind_;
  bool readonly_;
};

}  // namespace usmx::inline v1
