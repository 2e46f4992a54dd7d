// Arrays of one dimension as arrays of Arrow, without a copy, and Arrow's columns as host memory to
// copy from. Numbers alone, and none missing. No Python here: the bindings read and write the
// capsules.
#pragma once

#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/arrow_abi.hpp"

namespace usmx::inline v1::exchange {

// ---- out

/// What an array's elements are to Arrow. Throws buffer_error unless they are integers or
/// floating-point numbers.
USMX_API arrow::owned<arrow::schema> to_arrow_schema(dtype);

/// The elements, which the result keeps alive: of host-accessible memory, or of any memory with its
/// place. Others know the memory from here on; unfinished work is not waited for (array::wait).
/// Throws buffer_error unless they lie side by side in one dimension and the place has a name:
/// see dlpack_device.
USMX_API arrow::owned<arrow::array> to_arrow(const array&);
USMX_API arrow::owned<arrow::device_array> to_arrow_device(const array&);

// ---- in

/// A column in one chunk or several, which live as long as this.
struct column {
  dtype type;
  std::vector<arrow::owned<arrow::array>> chunks;
};

/// Takes the array over, where this does not throw: value_error for what was let go or breaks a
/// rule, buffer_error for elements that are no numbers and, of the second, for places other than
/// the host's memory.
USMX_API column receive(const arrow::schema&, arrow::array&);
USMX_API column receive(const arrow::schema&, arrow::device_array&);
/// All that is left of a stream. Throws so, and std::runtime_error with the stream's own words
/// where it fails.
USMX_API column receive(arrow::array_stream&);

/// A column's chunks; `queue` is what views must have one of. Throws value_error or overflow_error
/// for a chunk that breaks a rule, buffer_error for one with missing values; but whether the memory
/// is there nobody can tell.
USMX_API std::vector<array_view> host_views(const column&, const sycl::queue& queue);

}  // namespace usmx::inline v1::exchange
