// Moving elements between arrays of one element type, whatever their layouts and kinds of memory.
#pragma once

#include "usmx/array_view.hpp"
#include "usmx/detail/api.hpp"

namespace usmx {

/// How elements are moved. `automatic` chooses; the others are for tests and measurements, and
/// throw value_error where they cannot do the copy.
enum class copy_path {
  automatic,
  /// One memcpy: both sides compact in the same order.
  whole,
  /// A memcpy for each innermost run.
  rows,
  /// A loop on the host over memory that it may touch.
  host_loop,
};

/// Copies every element of `source` to the same index of `destination` and waits until that is
/// done. Shapes and types must be equal (value_error), the destination writable (read_only_error).
/// Overlapping views are copied as if `source` had been copied first. Work pending on either side
/// must have finished. Ordinary host memory has kind `unknown`.
USMX_API void copy(const array_view& source, const array_view& destination,
                   copy_path path = copy_path::automatic);

/// Sets nbytes bytes of memory that queue can reach to `value` and waits.
USMX_API void fill_bytes(void* pointer, int value, std::size_t nbytes, usm_kind kind,
                         const sycl::queue& queue);

}  // namespace usmx
