// Copies and fills that are started and not waited for. Those that wait are in copy/copy.hpp.
#pragma once

#include <cstddef>
#include <memory>

#include <sycl/event.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::inline v1 {

/// Starts a copy of every element of `source` to the same index of `destination`, converted as
/// `copy` does, and returns its event. The copy comes after all work on both arrays that usmx knows
/// of or must expect. usmx records it on both arrays: what usmx does with them afterwards comes
/// after the copy, and their memory outlives it. Whoever works on them without usmx waits for the
/// event.
///
/// This function does not wait where commands of the destination's queue can make the copy: both
/// arrays are USM of one context and do not overlap, and their elements are aligned for their
/// types. Other copies, and those that the host makes in less time than a command takes, are
/// finished when it returns; their event is complete. If an array is exposed (see `array`) and its
/// queue is out of order, this function waits for the commands that are on that queue already.
///
/// Throws value_error when the shapes differ, when one side is of a structured type and the other
/// is not of the same one, or when an array has no memory; read_only_error when the destination is
/// read-only.
USMX_API sycl::event copy_async(const array& source, const array& destination);

/// Starts a copy from ordinary host memory to an array, converted as `copy` does, and returns its
/// event. The copy comes after the work on the array, and is recorded on it, as with `copy_async`.
///
/// `owner` keeps the host memory alive. usmx releases it when the memory is no longer read, on a
/// thread that then copies asynchronously, allocates, frees memory or synchronizes. If `owner` is
/// null, the caller keeps the memory alive until the event is complete.
///
/// This function does not wait where both sides are compact in the same order and of one type. Any
/// other source has been read when it returns. If the array is exposed (see `array`) and its queue
/// is out of order, this function waits for the commands that are on that queue already.
///
/// Throws value_error when the shapes differ, when one side is of a structured type and the other
/// is not of the same one, when the array has no memory, or when the host memory has another number
/// of strides than of extents, or elements at no address; read_only_error when it is read-only.
USMX_API sycl::event copy_from_host_async(const host_array& source, const array& destination,
                                          std::shared_ptr<const void> owner);
/// Starts a copy from an array to ordinary host memory, converted as `copy` does, and returns its
/// event. The copy comes after the work on the array, and is recorded on it, as with `copy_async`.
///
/// `owner` keeps the host memory alive. usmx releases it when the memory is no longer written, on a
/// thread that then copies asynchronously, allocates, frees memory or synchronizes. If `owner` is
/// null, the caller keeps the memory alive until the event is complete.
///
/// This function does not wait where both sides are compact in the same order and of one type. Any
/// other copy is finished when it returns. If the array is exposed (see `array`) and its queue is
/// out of order, this function waits for the commands that are on that queue already.
///
/// Throws value_error when the shapes differ, when one side is of a structured type and the other
/// is not of the same one, when the array has no memory, or when the host memory has another number
/// of strides than of extents, or elements at no address.
[[nodiscard]] USMX_API sycl::event copy_to_host_async(const array& source,
                                                      const host_array& destination,
                                                      std::shared_ptr<const void> owner);

/// Starts to set every element of `destination` to the one at `element`, and returns the event.
/// `element` is of the destination's type, in host memory and at any alignment; it has been read
/// when this function returns. The fill comes after the work on the array, and is recorded on it,
/// as with `copy_async`. If the array is exposed (see `array`) and its queue is out of order, this
/// function waits for the commands that are on that queue already. Throws read_only_error when the
/// destination is read-only, value_error when it has no memory or `element` is null. The fill_async
/// of copy/values.hpp takes a value of another type.
USMX_API sycl::event fill_async(const array& destination, const std::byte* element);

}  // namespace usmx::inline v1
