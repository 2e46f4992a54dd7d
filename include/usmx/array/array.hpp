// Arrays in USM, and functions that make new ones without setting their elements. Arrays whose
// elements are set are in copy/values.hpp; moving elements between arrays is in copy/copy.hpp.
#pragma once

// First, so that an error in them names few files: the compiler lists who included them.
#include "usmx/base/spellings.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/layout/strided_view.hpp"

#include <array>
#include <atomic>
#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>

#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1 {

namespace internal {

struct array_access;  // usmx's own parts

}  // namespace internal

class array;

namespace detail {

struct ordered_access;

}  // namespace detail

/// The number of bytes of `count` elements; `count` is 0 or more. Throws overflow_error when it
/// does not fit ptrdiff_t.
USMX_API std::size_t checked_nbytes(std::ptrdiff_t count, dtype type);

namespace detail {

/// Writes the only element of the array to `value`, converted to `type`, as array::item().
USMX_API void read_item(const array& from, dtype type, std::byte* value);

}  // namespace detail

/// An array in USM: an element type, a layout, and a share in the buffer that holds the memory.
///
/// Copying an array copies no elements. All copies, slices and other arrays made of an array share
/// its memory, which is freed when the last of them is gone; that does not wait, even where work on
/// the memory is unfinished (see `buffer`). A const array is one whose type and layout stay as they
/// are: whether its elements may be written is readonly().
///
/// An array whose functions gave a pointer, a view or a queue is *exposed*: others know the memory
/// and its queue, and may submit work there that nobody records. usmx then waits for the whole
/// queue where it must not miss such work.
class USMX_API array : public detail::array_spellings {
 public:
  /// Makes an array without memory and without elements: shape (0,), element type float64.
  /// Functions that need its memory or its queue throw value_error. An array that was moved from
  /// has no memory and no elements, either.
  array() noexcept;
  /// Shares the memory of the other array.
  array(const array&) = default;
  /// Takes the other array's share in the memory. The other one is left without memory and
  /// elements.
  array(array&& other) noexcept
      : owner_(std::move(other.owner_)),
        layout_(std::move(other.layout_)),
        type_(other.type_),
        readonly_(other.readonly_) {
    other.layout_ = usmx::layout::without_elements();
  }
  /// Shares the memory of the other array, and releases its own. A part is no variable: its
  /// elements are set by copy() and fill().
  array& operator=(const array&) & = default;
  /// Takes the other array's share in the memory, and releases its own. The other one is left
  /// without memory and elements.
  array& operator=(array&& other) & noexcept {
    if (this != &other) {
      owner_ = std::move(other.owner_);
      layout_ = std::exchange(other.layout_, usmx::layout::without_elements());
      type_ = other.type_;
      readonly_ = other.readonly_;
    }
    return *this;
  }
  /// @cond
  template <class Value>
  array& operator=(const Value&) && {
    static_assert(detail::never<Value>,
                  "a part is set by usmx::copy(source, a.slice(i)) or usmx::fill(a.slice(i), "
                  "value); an assignment would change which array the temporary object is");
    return *this;
  }
  /// @endcond
  /// @cond
  template <class Data>
    requires(!std::derived_from<Data, array>)
  explicit array(const Data&) : array() {
    static_assert(detail::never<Data>, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp");
  }
  template <class Data>
  array(const Data&, const sycl::queue&) : array() {
    static_assert(detail::never<Data>, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp");
  }
  template <class T>
  array(std::initializer_list<T>, const sycl::queue&) : array() {
    static_assert(detail::never<T>, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp");
  }
  /// @endcond
  /// Lets go of the memory. Does not wait.
  ~array() = default;

  /// Makes an array of elements inside an existing buffer. The offset of `where` counts from the
  /// buffer's first byte, in elements. The array is read-only if `readonly` says so or the buffer
  /// is. Throws value_error when `owner` is null, when an element lies outside of the buffer or
  /// when element zero is not aligned for its type; overflow_error when the place of an element in
  /// bytes does not fit ptrdiff_t.
  array(std::shared_ptr<buffer> owner, dtype type, usmx::layout where, bool readonly = false);

  /// Makes a C-contiguous array of memory that a native library allocated: USM of the queue's
  /// context that holds all elements. The array takes the memory over. `deleter(pointer)` runs
  /// exactly once, also when this function throws: after the last array of the memory is gone and
  /// the work on it that usmx knows of has finished. It may run on any thread and must not throw.
  /// Throws value_error when the memory is not in one USM allocation of that context or is not
  /// aligned for the type; value_error or overflow_error for a shape that no array can have.
  template <class Deleter>
    requires std::is_invocable_v<Deleter&, void*>
  [[nodiscard]] static array adopt(void* pointer, const shape_argument& shape, dtype type,
                                   const sycl::queue& queue, Deleter deleter);
  /// @cond
  template <class... T>
  static detail::anything adopt(detail::any_argument, detail::any_argument = {},
                                detail::any_argument = {}, detail::any_argument = {},
                                detail::any_argument = {}) {
    static_assert(detail::never<T...>,
                  "array::adopt(pointer, shape, dtype, queue, deleter), where deleter(pointer) "
                  "frees the memory");
    return {};
  }
  /// @endcond

  /// The buffer that keeps the memory alive; null for an array without memory.
  const std::shared_ptr<buffer>& owner() const noexcept { return owner_; }
  /// The buffer that keeps the memory alive. Throws value_error for an array without memory.
  buffer& memory() const {
    if (!owner_) [[unlikely]] {
      throw_no_memory();
    }
    return *owner_;
  }
  /// The element type. A structured type that came from outside is valid as long as some array has
  /// it (see held_dtype).
  dtype type() const noexcept { return type_; }
  /// Shape, strides and offset in elements; the offset counts from the first byte of memory().
  const usmx::layout& layout() const noexcept { return layout_; }
  /// The number of dimensions.
  int ndim() const noexcept { return layout_.ndim(); }
  /// The extents, one for each dimension.
  std::span<const std::ptrdiff_t> shape() const noexcept { return layout_.shape(); }
  /// @cond
  template <class Axis>
  std::ptrdiff_t shape(const Axis&) const {
    static_assert(detail::never<Axis>, "a.extent(k), or a.shape()[k]");
    return 0;
  }
  /// @endcond
  /// The strides in elements, one for each dimension. They can be zero or negative.
  std::span<const std::ptrdiff_t> strides() const noexcept { return layout_.strides(); }
  /// The extent of dimension k. Precondition: 0 <= k < ndim().
  std::ptrdiff_t extent(int k) const noexcept { return shape()[static_cast<std::size_t>(k)]; }
  /// The stride of dimension k in elements. Precondition: 0 <= k < ndim().
  std::ptrdiff_t stride(int k) const noexcept { return strides()[static_cast<std::size_t>(k)]; }
  /// The number of elements.
  std::ptrdiff_t size() const noexcept { return layout_.size(); }
  /// The bytes of all elements, without the gaps between them.
  std::size_t nbytes() const noexcept {
    return static_cast<std::size_t>(size()) * type_.itemsize();
  }
  /// The kind of the memory; `unknown` for an array without memory.
  usm_kind kind() const noexcept { return owner_ ? owner_->kind() : usm_kind::unknown; }
  /// The queue of the elements, which also gives the device and the context. Work that is submitted
  /// there finds dpctl's and dpnp's default arrays of that device on the same queue, once dpctl is
  /// loaded. Exposes the array. Throws value_error for an array without memory.
  const sycl::queue& queue() const;
  /// Whether the elements must not be written through this array.
  bool readonly() const noexcept { return readonly_.get(); }
  /// Makes this array read-only, for everyone who asks readonly() from now on. Other threads may
  /// read and copy the array meanwhile. Arrays and views that were made of it before stay writable.
  void make_readonly() noexcept { readonly_.set(); }
  /// A pointer to element zero. In an array without elements: to the first byte of the memory, or
  /// null without memory. Exposes the array. Does not wait for unfinished work: see wait().
  std::byte* data() const noexcept {
    if (!owner_) {
      return nullptr;
    }
    expose();
    return first_element();
  }

  /// A view for native code, valid as long as an array shares the memory. Exposes the array. Does
  /// not wait for unfinished work: see wait(). Throws value_error for an array without memory.
  array_view view() const&;
  /// Deleted: a view does not keep the memory alive, which a temporary array may be the last to
  /// share.
  array_view view() const&& = delete;
  /// The elements as T in N dimensions, for the host: waits until they are ready, as wait() does.
  /// The view is valid as long as an array shares the memory. Exposes the array. Throws value_error
  /// when the host may not touch the memory, the number of dimensions is another one or there is no
  /// memory, type_error when the elements are of another type, read_only_error when T is not const
  /// and the array is read-only.
  template <element_type T, std::size_t N>
  strided_view<T, N> host_as() const& {
    const strided_view<T, N> elements = view().template host_as<T, N>();
    wait();
    return elements;
  }
  /// Gives the elements of a temporary array in a view that keeps the memory alive: the array may
  /// be the last to share it. Waits and throws as for an array that has a name.
  template <element_type T, std::size_t N>
  held_view<T, N> host_as() const&& {
    return {owner_, host_as<T, N>()};
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
                  "a.host_as<T, N>() names an element type and the number of dimensions");
    return {};
  }
  /// @endcond
  /// The value of an array of one element, in any memory: waits for it, and converts it to T as
  /// usmx::copy() converts elements. Throws value_error when there is not one element, when it is
  /// of a structured type, or when there is no memory.
  template <element_type T>
  T item() const {
    T value;
    detail::read_item(*this, dtype::of<T>(), reinterpret_cast<std::byte*>(&value));
    return value;
  }
  /// @cond
  template <class T>
    requires(!element_type<T>)
  detail::anything item() const {
    static_assert(detail::never<T>, "a.item<T>(), where T is bool, a number or a complex number");
    return {};
  }
  template <class... Indices>
  detail::anything item(const Indices&...) const {
    static_assert(detail::never<Indices...>, "a.item<T>(), or a.slice(i, j).item<T>()");
    return {};
  }
  template <class T, class... Nothing>
  detail::anything data(const Nothing&...) const {
    static_assert(detail::never<T, Nothing...>,
                  "a.view().contiguous<T>(), which is checked, or a.data()");
    return {};
  }
  template <class... More>
  detail::anything view(detail::any_argument, const More&...) const {
    static_assert(detail::never<More...>, "a.reshaped({3, 2}); a.view() has no arguments");
    return {};
  }
  /// @endcond
  /// The elements as T in N dimensions, for kernels. Does not wait. The view is valid as long as an
  /// array shares the memory. Exposes the array. Throws type_error when the elements are of another
  /// type, value_error when the number of dimensions is another one or there is no memory,
  /// read_only_error when T is not const and the array is read-only.
  template <class T, std::size_t N>
  device_view<T, N> device_as() const& {
    return view().template device_as<T, N>();
  }
  /// Deleted: a view does not keep the memory alive, which a temporary array may be the last to
  /// share.
  template <class T, std::size_t N>
  device_view<T, N> device_as() const&& = delete;

  /// An array of the same memory and element type with another layout, whose offset counts from the
  /// first byte of memory(). It is read-only if this one is. Throws value_error when an element
  /// lies outside of the memory or there is none, overflow_error when the place of an element in
  /// bytes does not fit ptrdiff_t.
  [[nodiscard]] array with_layout(usmx::layout where) const {
    return array(owner_, type_, std::move(where), readonly());
  }
  /// The elements that `a[items...]` addresses in Python, as an array of the same memory. An item
  /// is an integer, `usmx::range(start, stop, step)`, `usmx::ellipsis`, `usmx::newaxis` or a pair
  /// of integers, which is a range. Throws index_error when an integer is outside of its axis, when
  /// there are too many items or when there are two ellipses; value_error for a step of 0.
  template <class... Items>
  [[nodiscard]] array slice(const Items&... items) const {
    // An index with any number of dimensions is applied by subscript(), which alone knows them.
    if constexpr (detail::sliced_rank<max_ndim, Items...>() != detail::no_rank) {
      return subscripted(std::array<index_item, sizeof...(Items)>{detail::as_index_item(items)...});
    } else {
      return *this;
    }
  }
  /// The elements with the order of the dimensions reversed, as an array of the same memory.
  [[nodiscard]] array transposed() const { return with_layout(usmx::transposed(layout_)); }
  /// The elements, taken in C order, with another shape, as an array of the same memory. An extent
  /// of -1 stands for what the others leave. Throws value_error when the number of elements differs
  /// or when only a copy can have that shape: usmx::clone() makes one.
  [[nodiscard]] array reshaped(const shape_argument& shape) const;
  /// The elements with a shape of these extents: `reshaped(2, 3)`.
  template <std::integral... Extents>
    requires(sizeof...(Extents) > 1)
  [[nodiscard]] array reshaped(Extents... extents) const {
    return reshaped({static_cast<std::ptrdiff_t>(extents)...});
  }
  /// The elements as a read-only array of the same memory.
  [[nodiscard]] array as_readonly() const {
    return array(owner_, type_, usmx::layout(layout_), true, 0);
  }

  /// Announces unfinished work of native code that reads these elements and ends with `event`. The
  /// memory outlives that work, and whatever writes these elements through usmx afterwards comes
  /// after it. Does nothing for an array without elements. Does not wait.
  void record_read(const sycl::event& event) const;
  /// Announces unfinished work of native code that writes these elements and ends with `event`. The
  /// memory outlives that work, and whatever usmx does with the elements afterwards comes after it.
  /// Does nothing for an array without elements. Does not wait.
  void record_write(const sycl::event& event) const;
  /// Announces unfinished work that may read and write these elements: as record_write().
  void record(const sycl::event& event) const { record_write(event); }
  /// Waits for all work on these elements that usmx can know of: its own, what was recorded, and,
  /// for an exposed array, everything on the queues on which others may work. Throws
  /// sycl::exception when the SYCL runtime reports an error.
  void wait() const;
  /// Whether wait() may have something to wait for. If false, wait() returns without a call of the
  /// SYCL runtime.
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
  friend struct detail::ordered_access;

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

/// Access to an array for code that orders its work after the array's and records it
/// (array/submit.hpp). Nothing here exposes the array, or waits.
struct USMX_API ordered_access {
  /// A pointer to element zero, as array::data().
  static std::byte* data(const array&) noexcept;
  /// The queue of the elements, as array::queue(). Throws value_error for an array without memory.
  static const sycl::queue& queue(const array&);
};

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

/// `where` with the offset that it has in new memory of exactly the bytes that its elements span:
/// its lowest element lies at the memory's first byte. Throws value_error unless the offset of
/// `where` is already that one, or 0, which asks for it.
USMX_API layout fitted_to_new_memory(const layout& where);

/// Makes a new array of any layout whose lowest element lies at offset 0 (see
/// fitted_to_new_memory). The elements are not set. usmx allocates at least one element, on the
/// queue's device. `alignment` is in bytes: a power of two, or 0 for that of the memory resource.
/// Throws value_error for another alignment, for kind `unknown` or when the lowest element lies
/// elsewhere; overflow_error when the number of bytes does not fit ptrdiff_t; allocation_error when
/// there is no such memory.
[[nodiscard]] USMX_API array empty(layout where, dtype type, const sycl::queue& queue,
                                   usm_kind kind, std::size_t alignment = 0);
/// Makes a new array of any layout in memory of a certain resource. Throws as empty() for a kind of
/// memory.
[[nodiscard]] USMX_API array empty(layout where, dtype type, const sycl::queue& queue,
                                   const placement& memory, std::size_t alignment = 0);
/// Makes a new C-contiguous array. The elements are not set. usmx allocates at least one element,
/// on the queue's device. Throws value_error or overflow_error for a shape that no array can have,
/// allocation_error when there is no such memory.
[[nodiscard]] USMX_API array empty(const shape_argument& shape, dtype type,
                                   const sycl::queue& queue, usm_kind kind = usm_kind::device);
/// Makes a new C-contiguous array in memory of a certain resource. The elements are not set.
[[nodiscard]] USMX_API array empty(const shape_argument& shape, dtype type,
                                   const sycl::queue& queue, const placement& memory);
/// Makes a new C-contiguous array of a shape in braces: `empty({2, 3}, usmx::float32, queue)`.
[[nodiscard]] inline array empty(std::initializer_list<std::ptrdiff_t> shape, dtype type,
                                 const sycl::queue& queue, usm_kind kind = usm_kind::device) {
  return empty(shape_argument(shape), type, queue, kind);
}
/// Makes a new C-contiguous array of a shape in braces, in memory of a certain resource: `empty({2,
/// 3}, usmx::float32, queue, resource)`.
[[nodiscard]] inline array empty(std::initializer_list<std::ptrdiff_t> shape, dtype type,
                                 const sycl::queue& queue, const placement& memory) {
  return empty(shape_argument(shape), type, queue, memory);
}

/// @cond
template <class... T>
detail::anything empty(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "empty<T>({2, 3}, queue, kind), empty<T, N>(range, queue, kind) or "
                "empty(shape, dtype, queue, kind)");
  return {};
}
template <class T, auto N>
detail::anything empty(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) {
  return empty<T>(detail::any_argument());
}
/// @endcond

/// Writes what the array is: "float64, shape (2, 3), strides (3, 1), shared memory", and whether it
/// is read-only or without memory. Does not wait, and does not expose the array. print.hpp writes
/// the elements.
USMX_API std::ostream& operator<<(std::ostream&, const array&);

/// Whether elements of both views may lie in the same bytes: whether the ranges from the lowest to
/// the highest byte of each overlap. Elements between each other's gaps count as overlapping.
USMX_API bool may_overlap(const array_view&, const array_view&) noexcept;

}  // namespace usmx::inline v1
