// Arrow: arrays of one dimension as Arrow's arrays, without a copy, and Arrow's columns as host
// memory to copy from. Elements are numbers, of which none is missing. No Python here: the bindings
// read and write the capsules. The structs are in exchange/arrow_abi.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/arrow_abi.hpp"

namespace usmx::inline v1::exchange {

// ---- out

/// The schema of elements of a type. Throws buffer_error unless they are integers or floating-point
/// numbers.
USMX_API arrow::owned<arrow::schema> to_arrow_schema(dtype);

/// Makes an array of Arrow of the elements of host-accessible memory, which it keeps alive. Exposes
/// the array (see `array`). Does not wait for unfinished work: see array::wait. Throws buffer_error
/// unless the elements are integers or floating-point numbers that lie side by side in one
/// dimension and in memory of kind `shared` or `host`.
USMX_API arrow::owned<arrow::array> to_arrow(const array&);
/// Makes a device array of Arrow of the elements of any memory, which it keeps alive. Exposes the
/// array (see `array`). Does not wait for unfinished work: see array::wait. Host-accessible memory
/// is on the device `cpu`, other memory on its dlpack_device. Throws buffer_error unless the
/// elements are integers or floating-point numbers that lie side by side in one dimension and the
/// device has a number; value_error for an array without memory.
USMX_API arrow::owned<arrow::device_array> to_arrow_device(const array&);

// ---- in

/// A buffer of a producer that tells its size. Arrow's structures do not.
struct sized_buffer {
  /// The first byte.
  const void* first;
  /// The number of bytes.
  std::size_t nbytes;
};

/// A column of numbers, in one or more chunks, which it owns.
struct column {
  /// The element type.
  dtype type;
  /// The chunks, one after the other.
  std::vector<arrow::owned<arrow::array>> chunks;
  /// The chunks' buffers whose sizes are known from elsewhere.
  std::vector<sized_buffer> sizes = {};
};

/// Makes a column of an array of Arrow, which it takes over unless it throws. Throws value_error
/// for a schema or an array that was released before or breaks a rule, buffer_error for elements
/// that are not numbers.
USMX_API column receive(const arrow::schema&, arrow::array&);
/// Makes a column of a device array of Arrow, which it takes over unless it throws. Throws
/// value_error for a schema or an array that was released before or breaks a rule, buffer_error for
/// elements that are not numbers and for memory other than the host's.
USMX_API column receive(const arrow::schema&, arrow::device_array&);
/// Makes a column of all arrays that are left in a stream; the caller keeps the stream. Throws
/// value_error for a stream that was released before or breaks a rule, buffer_error for elements
/// that are not numbers, std::runtime_error with the stream's own message when the stream fails.
USMX_API column receive(arrow::array_stream&);

/// Makes a view of each chunk of a column, to copy from. The views are read-only and valid as long
/// as the column. `queue` becomes the views' queue. A chunk must not reach beyond its buffers where
/// their sizes are known: from `sizes` of the column, or because they are USM of the queue's
/// context. Whether other memory exists cannot be checked. Throws value_error or overflow_error for
/// a chunk that breaks a rule, buffer_error for one with missing values.
USMX_API std::vector<array_view> host_views(const column&, const sycl::queue& queue);

}  // namespace usmx::inline v1::exchange
