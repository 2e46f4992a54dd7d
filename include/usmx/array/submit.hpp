// Work of your own on arrays, in order and without waiting: submit() starts a command after the
// unfinished work on the elements that it uses, and records it on them. pending_events() and
// array::record_read() and record_write() do the same in two steps, for libraries that take events
// and return one.
//
//   usmx::submit(queue, {x}, {y}, [&](sycl::handler& command) { command.memcpy(...); });
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Arrays that some work reads, or those that it writes: any number in braces, of arrays and of
/// parameters (array/in.hpp), one of these alone, or a vector of arrays. It refers to them, and so
/// it is for arguments only.
class array_list {
 public:
  /// An array, or that of a parameter.
  class item {
   public:
    /// An array.
    item(const array& of) noexcept : of_(&of) {}
    /// A parameter such as usmx::read.
    template <class Parameter>
      requires requires(const Parameter& of) {
        { of.array() } -> std::same_as<const array&>;
      }
    item(const Parameter& of) noexcept : of_(&of.array()) {}

    /// The array.
    const array& get() const noexcept { return *of_; }

   private:
    const array* of_;
  };

  /// No arrays.
  array_list() = default;
  /// Arrays in braces.
  array_list(std::initializer_list<item> items) : items_(items) {}
  /// One array, or that of one parameter.
  template <std::convertible_to<item> One>
  array_list(const One& one) : items_(1, item(one)) {}
  /// All arrays of a vector.
  array_list(const std::vector<array>& arrays) : items_(arrays.begin(), arrays.end()) {}

  /// The arrays.
  std::span<const item> items() const noexcept { return items_; }

 private:
  std::vector<item> items_;
};

/// Submits a command that reads the elements of some arrays and writes those of others, and returns
/// its event. The command comes after all work on these elements that usmx knows of: reads come
/// after writes, and writes after reads and writes; reads do not wait for reads. usmx records the
/// command on the arrays. So what usmx does with them afterwards comes after it, and their memory
/// outlives it.
///
/// `command` is called once, before this returns: it puts one command into the handler. It must not
/// call functions of usmx that submit or wait. An array that it reads and writes stands in
/// `writes`.
///
/// This function does not wait, with one exception: memory that others may work on without usmx,
/// such as that of another package's array or of an exposed one (see `array`). If the only queue of
/// theirs is `queue`, and it is in order, the queue's order is enough. If their queue is in order,
/// a barrier orders the command after their work. If it is out of order, as dpctl's and dpnp's are,
/// this waits for that queue first. And unless their only queue is this one in order, it waits for
/// the command, too, because they cannot order their next work after it.
///
/// Throws value_error when the queue is not of the arrays' context or when an array has no memory;
/// read_only_error when an array in `writes` is read-only; whatever `command` throws.
USMX_API sycl::event submit(const sycl::queue& queue, const array_list& reads,
                            const array_list& writes,
                            const std::function<void(sycl::handler&)>& command);

/// Starts work of a library that takes the events that it must come after, and returns its own,
/// such as oneMKL's functions do: `start(events)` is called once. Orders, records, waits and throws
/// as the other submit() does. What `start` has submitted before it throws is not recorded.
USMX_API sycl::event submit(
    const sycl::queue& queue, const array_list& reads, const array_list& writes,
    const std::function<sycl::event(const std::vector<sycl::event>&)>& start);

/// @cond
template <class... T>
sycl::event submit(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "submit(queue, {reads}, {writes}, command), where command takes a sycl::handler&, "
                "or a std::vector<sycl::event> to come after and returns its own event");
  return {};
}
/// @endcond

/// The events of the unfinished work that new work must come after which reads the elements of some
/// arrays and writes those of others, as submit() orders it. Where others may work on the memory
/// through an out-of-order queue, this waits for that queue. Whoever submits the new work records
/// its event by array::record_read() and array::record_write(), and keeps the arrays until then.
/// Throws value_error when an array has no memory, read_only_error when an array in `writes` is
/// read-only.
[[nodiscard]] USMX_API std::vector<sycl::event> pending_events(const array_list& reads,
                                                               const array_list& writes);

}  // namespace usmx::inline v1
