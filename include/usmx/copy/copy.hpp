// Moving elements between arrays, whatever their layouts, element types and kinds of memory.
#pragma once

#include <cstddef>
#include <span>

#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// How elements are moved. `automatic` chooses; the others are for tests and measurements, and
/// throw value_error where they cannot do the copy.
enum class copy_path {
  automatic,
  /// One memcpy: both sides compact in the same order.
  whole,
  /// A memcpy for each innermost run, or for many of them where the driver has such a command.
  rows,
  /// A loop on the host over memory that it may touch.
  host_loop,
  /// A kernel on the device, over USM of one context.
  kernel,
  /// By way of compact host memory.
  staged,
};

/// Copies every element of `source` to the same index of `destination` and waits until that is
/// done. Shapes must be equal and the destination writable (value_error, read_only_error).
///
/// Elements of different plain types are converted as by NumPy's astype, with a single rounding;
/// what a float that is NaN or out of range becomes as an integer is unspecified. Structured types
/// are copied to themselves only (value_error).
///
/// Overlapping views are copied as if `source` had been copied first; what the destination has
/// several elements for in one place is one of them. Work pending on either side
/// must have finished. Ordinary host memory has kind `unknown`.
USMX_API void copy(const array_view& source, const array_view& destination,
                   copy_path path = copy_path::automatic);

/// Ordinary host memory of any strides, which need not be whole elements, and any alignment.
struct host_array {
  std::byte* data;  // element zero
  dtype type;
  std::span<const std::ptrdiff_t> shape;
  std::span<const std::ptrdiff_t> strides_bytes;
};

/// The same between host memory and an array.
USMX_API void copy_from_host(const host_array& source, const array_view& destination);
USMX_API void copy_to_host(const array_view& source, const host_array& destination);

/// Converts one element in host memory, at any alignment, between plain types as `copy` does.
USMX_API void convert_element(dtype source_type, const std::byte* source, dtype destination_type,
                              std::byte* destination) noexcept;

/// Sets every element to the one at `element`, which is of the destination's type, in host memory
/// and at any alignment; waits. Throws read_only_error. Of the paths, `whole` doubles what is
/// filled already, by a queue, where the destination is compact.
USMX_API void fill(const array_view& destination, const std::byte* element,
                   copy_path path = copy_path::automatic);

/// Sets nbytes bytes of memory that queue can reach to `value` and waits.
USMX_API void fill_bytes(void* pointer, int value, std::size_t nbytes, usm_kind kind,
                         const sycl::queue& queue);

}  // namespace usmx::inline v1
