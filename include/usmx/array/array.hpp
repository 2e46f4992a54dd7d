// An array: a view and the buffer that keeps its memory alive. Copies share the memory. Making new
// arrays is here too; moving elements between them is in copy.hpp.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>

#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/held_dtype.hpp"
#include "usmx/layout/shape_argument.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1 {

namespace internal {

struct array_access;  // usmx's own parts

}  // namespace internal

namespace detail {

constexpr index_item as_index_item(index_item item) noexcept { return item; }
constexpr index_item as_index_item(std::ptrdiff_t index) noexcept {
  return index_item::integer(index);
}

}  // namespace detail

/// Bytes of `count` elements (0 or more). Throws overflow_error.
USMX_API std::size_t checked_nbytes(std::ptrdiff_t count, dtype type);

class USMX_API array {
 public:
  /// No memory and no elements: shape (0,), float64. An array that was moved from becomes this.
  /// Whatever needs a queue throws value_error.
  array() noexcept;
  array(const array&) = default;
  array(array&& other) noexcept
      : owner_(std::move(other.owner_)),
        layout_(std::move(other.layout_)),
        type_(other.type_),
        readonly_(other.readonly_) {
    other.layout_ = usmx::layout::without_elements();
  }
  array& operator=(const array&) = default;
  array& operator=(array&& other) noexcept {
    if (this != &other) {
      owner_ = std::move(other.owner_);
      layout_ = std::exchange(other.layout_, usmx::layout::without_elements());
      type_ = other.type_;
      readonly_ = other.readonly_;
    }
    return *this;
  }
  ~array() = default;

  /// Elements inside an existing buffer, `where` counted from its first byte. Throws value_error
  /// when an element lies outside of the buffer or element zero is not aligned for its type,
  /// overflow_error when its place in bytes does not fit ptrdiff_t.
  array(std::shared_ptr<buffer> owner, dtype type, usmx::layout where, bool readonly = false);

  /// An array around memory that a native library allocated: C-contiguous, `deleter(pointer)` runs
  /// exactly once when the last array or view of it is gone (and when adopting fails).
  template <class Deleter>
    requires std::is_invocable_v<Deleter&, void*>
  static array adopt(void* pointer, const shape_argument& shape, dtype type,
                     const sycl::queue& queue, Deleter deleter);

  /// What keeps the memory alive; null where there is none.
  const std::shared_ptr<buffer>& owner() const noexcept { return owner_; }
  /// The same. Throws value_error where there is none.
  buffer& memory() const {
    if (!owner_) [[unlikely]] {
      throw_no_memory();
    }
    return *owner_;
  }
  dtype type() const noexcept { return type_; }
  const usmx::layout& layout() const noexcept { return layout_; }
  int ndim() const noexcept { return layout_.ndim(); }
  std::span<const std::ptrdiff_t> shape() const noexcept { return layout_.shape(); }
  std::span<const std::ptrdiff_t> strides() const noexcept { return layout_.strides(); }
  std::ptrdiff_t size() const noexcept { return layout_.size(); }
  std::size_t nbytes() const noexcept {
    return static_cast<std::size_t>(size()) * type_.itemsize();
  }
  /// `unknown` without memory.
  usm_kind kind() const noexcept { return owner_ ? owner_->kind() : usm_kind::unknown; }
  /// Where usmx works on the elements; gives device and context. From here on others know the
  /// memory and its queue, as after view().
  const sycl::queue& queue() const {
    const buffer& here = memory();
    expose();
    return here.queue();
  }
  bool readonly() const noexcept { return readonly_.get(); }
  /// From now on nothing is written through this array, by whoever asks readonly() then: safe while
  /// other threads read and copy it. Arrays made of it before keep their right.
  void make_readonly() noexcept { readonly_.set(); }
  /// Element zero; the first byte of the memory, if any, when there are no elements. From here on
  /// others know the memory and its queue, as after view().
  std::byte* data() const noexcept {
    if (!owner_) {
      return nullptr;
    }
    expose();
    return first_element();
  }

  /// What native code works on. From here on others know the memory and its queue: they may submit
  /// work there that nobody records, and usmx waits for the queue where it must not miss that.
  array_view view() const& {
    array_view result = private_view();
    expose();
    return result;
  }
  /// A view does not keep the memory that a temporary array may be the last to hold.
  array_view view() const&& = delete;
  /// As of the view.
  template <class T, std::size_t N>
  strided_view<T, N> as() const& {
    return view().template as<T, N>();
  }
  template <class T, std::size_t N>
  strided_view<T, N> as() const&& = delete;

  /// The same memory, type and rights with another layout, counted from the first byte of the
  /// memory. Throws as the constructor.
  array with_layout(usmx::layout where) const {
    return array(owner_, type_, std::move(where), readonly());
  }
  /// What `a[items...]` is in Python: integers, `usmx::range(start, stop, step)`, and
  /// index_item::ellipsis() or newaxis(). Throws as `subscript`.
  template <class... Items>
  array slice(Items... items) const {
    return subscripted(std::array<index_item, sizeof...(Items)>{detail::as_index_item(items)...});
  }
  array as_readonly() const { return array(owner_, type_, usmx::layout(layout_), true, 0); }

  /// Announces unfinished work of native code on these elements: see buffer::record.
  void record(const sycl::event& event) const;
  /// Waits for all work on these elements that usmx can know of: see buffer::wait.
  void wait() const;
  /// False when wait() would certainly return without a runtime call.
  bool may_be_busy() const noexcept;

 private:
  /// A bool that is copied as one, and may be set while other threads read it.
  class shared_flag {
   public:
    explicit shared_flag(bool value) noexcept : value_(value) {}
    shared_flag(const shared_flag& other) noexcept : value_(other.get()) {}
    shared_flag& operator=(const shared_flag& other) noexcept {
      value_.store(other.get(), std::memory_order_relaxed);
      return *this;
    }
    bool get() const noexcept { return value_.load(std::memory_order_relaxed); }
    void set() noexcept { value_.store(true, std::memory_order_relaxed); }

   private:
    std::atomic<bool> value_;
  };

  array(std::shared_ptr<buffer> owner, dtype type, usmx::layout&& where, bool readonly,
        int) noexcept
      : owner_(std::move(owner)),
        layout_(std::move(where)),
        type_(type),
        readonly_(readonly || (owner_ && owner_->readonly())) {}

  friend struct internal::array_access;

  [[noreturn]] static void throw_no_memory();
  array subscripted(std::span<const index_item> items) const;
  void expose() const noexcept;
  array_view private_view() const;
  std::byte* first_element() const noexcept {
    const std::ptrdiff_t first = size() == 0 ? 0 : layout_.offset();
    return owner_->data() + first * static_cast<std::ptrdiff_t>(type_.itemsize());
  }

  std::shared_ptr<buffer> owner_;
  usmx::layout layout_;
  [[no_unique_address]] held_dtype type_;  // readonly_ fits behind its code
  shared_flag readonly_;
};

namespace detail {

/// The events of the work that has been recorded, or started by usmx, and has not completed.
USMX_API std::vector<sycl::event> recorded_work(const array&);

USMX_API array adopt_array(void* pointer, std::span<const std::ptrdiff_t> shape, dtype type,
                           const sycl::queue& queue, release_action release);

}  // namespace detail

template <class Deleter>
  requires std::is_invocable_v<Deleter&, void*>
array array::adopt(void* pointer, const shape_argument& shape, dtype type, const sycl::queue& queue,
                   Deleter deleter) {
  return detail::adopt_array(pointer, shape, type, queue,
                             detail::release_action::of(pointer, std::move(deleter)));
}

/// `where` in new memory of exactly the extent's bytes, which leaves one offset: the smallest that
/// fits. An offset of 0 asks for it, and so does naming it; any other is a value_error.
USMX_API layout fitted_to_new_memory(const layout& where);

/// A new array of any layout that starts at the memory's first byte (see fitted_to_new_memory), its
/// elements not set; at least one element is allocated. Throws value_error when its lowest element
/// is elsewhere.
USMX_API array empty(layout where, dtype type, const sycl::queue& queue, usm_kind kind,
                     std::size_t alignment = 0);
/// A new array, C-contiguous, its elements not set; at least one element is allocated.
USMX_API array empty(const shape_argument& shape, dtype type, const sycl::queue& queue,
                     usm_kind kind = usm_kind::device);
inline array empty(std::initializer_list<std::ptrdiff_t> shape, dtype type,
                   const sycl::queue& queue, usm_kind kind = usm_kind::device) {
  return empty(shape_argument(shape), type, queue, kind);
}

/// Makes a command come after all recorded work on the memory of these arrays.
///
///   queue.submit([&](sycl::handler& command) { usmx::depends_on(command, x, y); ... });
template <class Handler, std::same_as<array>... Arrays>
void depends_on(Handler& command, const Arrays&... arrays) {
  (command.depends_on(detail::recorded_work(arrays)), ...);
}

/// Whether elements of both may lie in the same bytes: the ranges from the lowest to the highest
/// element of each have some in common.
USMX_API bool may_overlap(const array_view&, const array_view&) noexcept;

}  // namespace usmx::inline v1
