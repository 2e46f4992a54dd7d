// Operations on arrays that only usmx's own parts may use, its Python module among them. Not
// installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "memory/buffer.hpp"
#include "memory/pending_work.hpp"
#include "memory/registry.hpp"
#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::inline v1::internal {

struct array_access {
  static array unchecked(std::shared_ptr<buffer> owner, dtype type, layout where,
                         bool readonly) noexcept {
    return array(std::move(owner), type, std::move(where), readonly, 0);
  }
  static array with_layout(const array& of, layout where) {
    if (where.size() > of.size()) {
      checked_nbytes(where.size(), of.type_);
    }
    return array(of.owner_, of.type_, std::move(where), of.readonly(), 0);
  }
  static array_view private_view(const array& of) { return of.private_view(); }
  static std::byte* first_element(const array& of) {
    of.memory();
    return of.first_element();
  }
};

/// Does as usmx::empty(), for memory whose first use is the given one.
USMX_API array new_array(layout where, dtype type, const sycl::queue&, const placement&,
                         std::size_t alignment, first_use);
/// The bytes of new memory for such an array. Throws value_error unless the lowest element is at
/// offset 0, and overflow_error if the number of bytes does not fit ptrdiff_t.
USMX_API std::size_t nbytes_of_new_array(const layout& where, dtype type);

/// An array inside a buffer for which the rules of array's constructor are known to hold: a part of
/// an existing array, or a checked import.
inline array unchecked_array(std::shared_ptr<buffer> owner, dtype type, layout where,
                             bool readonly) noexcept {
  return array_access::unchecked(std::move(owner), type, std::move(where), readonly);
}

/// Other elements of an array's memory that are known to lie inside of it, such as those of a
/// subscript or a broadcast. Throws overflow_error if their bytes do not fit ptrdiff_t: a broadcast
/// counts some elements several times.
inline array with_layout(const array& of, layout where) {
  return array_access::with_layout(of, std::move(where));
}

/// The array as others are told of it: its strides that say nothing become normal ones.
USMX_API array as_told(const array&);

/// The view that array::view() gives, without exposing the array: for synchronous work of usmx's
/// own.
inline array_view private_view(const array& of) { return array_access::private_view(of); }

/// The pointer that array::data() gives, without exposing the array: for synchronous work of usmx's
/// own.
inline std::byte* first_element(const array& of) { return array_access::first_element(of); }

/// The queue on which usmx works on the elements, without exposing the array: for work of usmx's
/// own. Throws value_error for an array without memory.
inline const sycl::queue& private_queue(const array& of) { return private_queue(of.memory()); }

/// Whether the host may read and write the array's memory. Throws value_error for an array without
/// memory.
inline bool host_reaches(const array& of) {
  return host_may_touch(of.kind(), private_queue(of).get_device());
}

/// Whether work may be unfinished that an access to the elements must come after: a read does not
/// come after other reads.
USMX_API bool may_have_work_before(const array&, detail::access) noexcept;

/// Whether nothing may be writing the elements, so that the host may read what it reaches.
inline bool is_readable(const array& of) { return !may_have_work_before(of, detail::access::read); }

/// Whether the host may read and write the elements now: no work on them may be unfinished.
inline bool is_ready_for_host(const array& of) { return !of.may_be_busy() && host_reaches(of); }

/// Whether the host gets views of the array's memory; not of an array without memory.
inline bool host_may_view(const array& of) {
  return of.owner() != nullptr && host_may_view(of.kind(), private_queue(of).get_device());
}

/// Waits until a partner that reads events (runtime/queues.hpp) may work on the elements through
/// the array's queue. Waits for usmx's own work on them, and for all others that may work on them,
/// but not for the partner's work on that queue.
USMX_API void wait_for_all_but_partner(const array&);

/// Waits for usmx's own work on the elements, and recorded work. A caller that has waited for the
/// array, and then said that others have it, calls this for work that was submitted between.
USMX_API void wait_for_known_work(const array&);

/// Throws value_error for an array of another context than the queue's, whose commands reach memory
/// of their own context only, and for an array without memory.
USMX_API void require_context(const sycl::queue&, const array&);

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// The bytes from the lowest to the highest element; none if there are no elements.
inline std::optional<byte_range> range_of(const std::byte* origin, dtype type,
                                          const layout& where) {
  return where.size() == 0 ? std::nullopt : std::optional(bytes_of(origin, where, type.itemsize()));
}
inline std::optional<byte_range> range_of(const array_view& view) {
  return range_of(view.origin(), view.type(), view.layout());
}

/// The rule of waiting (docs/decisions.md, 24): code that reads or writes the elements of an array
/// on the host, or by commands that do not wait for events, calls this first. Waits for the work on
/// the elements that usmx has started or that was recorded, and for all work of the queues through
/// which others may work on the memory. Does not call the runtime if there can be no such work.
void wait_before(const array&, access wanted);

}  // namespace usmx::inline v1::detail
