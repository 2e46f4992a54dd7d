// Copies, conversions and fills, whatever the layouts, element types and kinds of memory: functions
// that wait, for all work that must come before, too, and functions that start a copy and do not
// wait. Single values and std::vector are in copy/values.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <sycl/event.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The way in which elements are moved. Programs leave the choice to `automatic`; the other ways
/// are for tests and measurements, and throw value_error where they cannot make the copy.
enum class copy_path {
  automatic,  ///< usmx chooses the way.
  whole,      ///< One memcpy of the queue: both sides are compact in the same order.
  /// A memcpy of the queue for each innermost run, or for many runs where the driver has such a
  /// command.
  rows,
  host_loop,  ///< A loop on the host, over memory that the host may touch.
  kernel,     ///< A kernel on the destination's device, over USM of one context.
  staged,     ///< Two copies, by way of compact host memory.
};

/// Copies every element of `source` to the same index of `destination`, and waits until that is
/// done. Before that it waits for everything that wait() of both arrays would wait for, except that
/// what only reads `source` need not have finished.
///
/// Elements of different plain types are converted as by NumPy's `astype`, with a single rounding.
/// What a float that is NaN or out of range becomes as an integer is unspecified. Overlapping
/// arrays are copied as if `source` had been copied elsewhere first. Where several elements of the
/// destination lie in the same place (stride 0), one of them remains.
///
/// Throws value_error when the shapes differ, when one side is of a structured type and the other
/// is not of the same one, or when an array has no memory; read_only_error when the destination is
/// read-only.
USMX_API void copy(const array& source, const array& destination,
                   copy_path path = copy_path::automatic);

/// Elements in ordinary host memory, at any alignment. It owns nothing.
struct host_array {
  /// The address of element zero.
  std::byte* data;
  /// The element type.
  dtype type;
  /// The extents, one for each dimension.
  std::span<const std::ptrdiff_t> shape;
  /// The strides in bytes, one for each dimension. They need not be whole elements.
  std::span<const std::ptrdiff_t> strides_bytes;
};

/// Copies every element of host memory to the same index of an array, converting it and waiting as
/// `copy` does. Throws as `copy` does, and value_error when the host memory has another number of
/// strides than of extents, or elements at no address.
USMX_API void copy_from_host(const host_array& source, const array& destination);
/// Copies every element of a view of ordinary host memory (kind `unknown`) to the same index of an
/// array, converting it and waiting as `copy` does. Throws as `copy` does, and value_error for a
/// view of USM.
USMX_API void copy_from_host(const array_view& source, const array& destination);
/// Copies every element of an array to the same index of host memory, waiting and throwing as
/// copy_from_host() does.
USMX_API void copy_to_host(const array& source, const host_array& destination);

/// Converts one element in host memory as `copy` does. Both types are plain. Both addresses may
/// have any alignment.
USMX_API void convert_element(dtype source_type, const std::byte* source, dtype destination_type,
                              std::byte* destination) noexcept;

/// Sets every element of `destination` to the one at `element`, and waits as `copy` does. `element`
/// is of the destination's type, in host memory and at any alignment. By the path `whole` a queue
/// fills a compact destination, each time doubling what is filled already. Throws read_only_error
/// when the destination is read-only, value_error when `path` cannot fill it, it has no memory, or
/// `element` is null.
USMX_API void fill(const array& destination, const std::byte* element,
                   copy_path path = copy_path::automatic);

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
/// Throws as `copy` does.
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
/// is out of order, this function waits for the commands that are on that queue already. Throws as
/// copy_from_host() does.
USMX_API sycl::event copy_from_host_async(const host_array& source, const array& destination,
                                          std::shared_ptr<const void> owner);
/// Starts to copy every element of an array to the same index of ordinary host memory, which
/// `owner` keeps alive until it is no longer written, and returns the event. A copy that this
/// function would have to wait for is finished when it returns. Waits and throws as
/// copy_from_host_async().
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
