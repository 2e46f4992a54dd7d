// Arrays as the C interface (usmx/c_api.h) has them: views as plain data, owners, and bytes. The
// casters for extensions in C++ use the owners; the rest is what usmx's Python module makes its
// table of C functions of. The casters begin with python/exchanged.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/c_api.h"

namespace usmx::inline v1::exchange {

// ---- owners

/// The bit of an owner's address that says that the array is lent. An owner is the address of an
/// array: a lent one belongs to somebody else, any other one is counted.
inline constexpr std::uintptr_t lent_bit = 1;

/// Makes an owner of an array that stays the caller's, without counting. It is valid as long as the
/// array lives and stays where it is. Nobody need release it.
inline usmx_owner* lend(const array& lender) noexcept {
  return reinterpret_cast<usmx_owner*>(reinterpret_cast<std::uintptr_t>(&lender) | lent_bit);
}
/// Whether an owner is a lent array.
inline bool is_lent(const usmx_owner* owner) noexcept {
  return (reinterpret_cast<std::uintptr_t>(owner) & lent_bit) != 0;
}
/// The array of an owner, which is not null; valid as long as the owner.
inline const array& array_of(const usmx_owner* owner) noexcept {
  return *reinterpret_cast<const array*>(reinterpret_cast<std::uintptr_t>(owner) & ~lent_bit);
}
/// Makes an owner that lives until the caller releases it. Throws std::bad_alloc.
[[nodiscard]] USMX_API usmx_owner* new_owner(array&&);
/// Keeps the array of an owner alive until the result is released. The result is another owner if
/// the array was lent. Throws std::bad_alloc, and value_error for null.
USMX_API usmx_owner* retain(usmx_owner*);
/// Releases an owner, which every owner from new_owner and retain needs once. Does nothing for null
/// and for a lent array. Does not wait.
USMX_API void release(usmx_owner*) noexcept;

// ---- views

/// Describes an array as plain data, valid as long as the array. Exposes the array (see `array`).
/// Throws value_error for an array without memory.
USMX_API usmx_view describe_to_c(const array&);
/// Describes an array as plain data for code that orders its work on the elements and records it:
/// does not expose the array.
USMX_API usmx_view describe_to_c_in_order(const array&);

/// Makes an array of the elements of an array's memory that a view describes; it is read-only if
/// either is. Of the view its data, dtype, ndim, shape, strides (null: C-contiguous) and
/// USMX_READ_ONLY count. Throws value_error when an element lies outside of the memory or when the
/// view's type is neither plain nor the array's, overflow_error when a place does not fit
/// ptrdiff_t.
USMX_API array with_view(const array&, const usmx_view&);
/// Makes a new C-contiguous array, whose elements are not set: the function `allocate` of the C
/// interface. Of the view its dtype, ndim, shape, kind and queue (null: the default queue) count.
/// Throws value_error or overflow_error for values that no array can have, allocation_error when
/// there is no such memory.
[[nodiscard]] USMX_API array allocate(const usmx_view& wanted);
/// Makes an array of existing memory, which it takes over: the function `adopt` of the C interface.
/// Of the view its data, dtype, ndim, shape, strides (null: C-contiguous), queue (not null) and
/// USMX_READ_ONLY count. `release` runs exactly once, also when this function throws. Throws
/// value_error or overflow_error when the elements do not lie in one USM allocation of the queue's
/// context, or for values that no array can have.
[[nodiscard]] USMX_API array adopt(const usmx_view& described, detail::release_action release);

// ---- bytes

/// Allocates bytes from the current resource: the function `allocate_bytes` of the C interface. The
/// caller gives them to free_bytes. Throws value_error when `nbytes` is 0 or the kind is unknown,
/// allocation_error when there is no such memory. Waits as buffer::allocate does.
[[nodiscard]] USMX_API void* allocate_bytes(std::size_t nbytes, usm_kind kind,
                                            const sycl::queue& queue);
/// Frees what allocate_bytes gave, after the work that was submitted to its queue; does nothing for
/// null. Does not wait. Throws value_error for any other pointer.
USMX_API void free_bytes(void* bytes);

/// An exception in the form of the C interface.
struct c_error {
  /// The number.
  usmx_error code;
  /// The text of the exception, which lives as long as the exception.
  const char* text;
};

/// The number and the text of an exception, which must not be null. A sycl::exception that says
/// that the driver has no memory is USMX_ALLOCATION_ERROR. Exceptions that have no number of their
/// own are USMX_OTHER_ERROR, with the text of those that are a std::exception.
USMX_API c_error to_c_error(const std::exception_ptr&) noexcept;

/// Whether a number stands for an exception of usmx or of SYCL.
constexpr bool is_own(usmx_error code) noexcept {
  return code != USMX_MEMORY_ERROR && code != USMX_OTHER_ERROR;
}

}  // namespace usmx::inline v1::exchange
