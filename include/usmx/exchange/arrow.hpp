// Arrow: arrays as Arrow's arrays, and Arrow's columns and tables as host memory to copy from. Rows
// are numbers, bools or lists of one size of them, and none is missing. No Python here: the
// bindings read and write the capsules. The structs are in exchange/arrow_abi.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/arrow_abi.hpp"

namespace usmx::inline v1::exchange {

// ---- out

/// The schema of elements of a type. Throws buffer_error unless they are bools, integers or
/// floating-point numbers.
[[nodiscard]] USMX_API arrow::owned<arrow::schema> to_arrow_schema(dtype);
/// The schema of an array: each dimension after the first is a list of one size. Throws
/// buffer_error as to_arrow().
[[nodiscard]] USMX_API arrow::owned<arrow::schema> to_arrow_schema(const array&);

/// Makes an array of Arrow of the elements of host-accessible memory, which it keeps alive. Bools
/// are copied, because Arrow packs them into bits. Exposes the array (see `array`). Does not wait
/// for unfinished work: see array::wait. Throws buffer_error unless the elements are bools,
/// integers or floating-point numbers that lie side by side in at least one dimension and in memory
/// of kind `shared` or `host`.
[[nodiscard]] USMX_API arrow::owned<arrow::array> to_arrow(const array&);
/// Makes a device array of Arrow of the elements of any memory, which it keeps alive. Exposes the
/// array (see `array`). Does not wait for unfinished work: see array::wait. Host-accessible memory
/// is on the device `cpu`, other memory on its dlpack_device. Throws buffer_error unless the
/// elements are bools in host-accessible memory, integers or floating-point numbers that lie side
/// by side in at least one dimension and the device has a number; value_error for an array without
/// memory.
[[nodiscard]] USMX_API arrow::owned<arrow::device_array> to_arrow_device(const array&);

// ---- in

/// A buffer of a producer that tells its size. Arrow's structures do not.
struct sized_buffer {
  /// The first byte.
  const void* first;
  /// The number of bytes.
  std::size_t nbytes;
};

/// The elements of a column, as a schema describes them.
struct column_format {
  /// The name of the column in its table.
  std::string name;
  /// The element type: of dates, times and durations the integers that count them.
  dtype type;
  /// The sizes of the lists in each other that a row is; none for a single element.
  std::vector<std::ptrdiff_t> row;
  /// Whether the elements are bools, eight in a byte.
  bool is_packed = false;
  /// The format of the values that the elements are indices of: one, or none.
  std::vector<column_format> dictionary;
};

/// A column or a table, in one or more chunks, which it owns.
struct column {
  /// The element type: of a table, of its first column.
  dtype type;
  /// The chunks, one after the other.
  std::vector<arrow::owned<arrow::array>> chunks;
  /// The chunks' buffers whose sizes are known from elsewhere.
  std::vector<sized_buffer> sizes = {};
  /// The format of the column; of a table, of each of its columns.
  std::vector<column_format> formats = {};
  /// Whether it is a table.
  bool is_table = false;
};

/// Rows of a chunk that were checked.
struct column_rows {
  /// The elements as they lie in host memory, in the shape below; of packed bools the bytes.
  array_view elements;
  /// The number of rows, and the sizes of the lists that each is.
  std::vector<std::ptrdiff_t> shape;
  /// The number of bits before the first bool; 0 for other elements.
  std::ptrdiff_t first_bit = 0;
};

/// Makes a column of an array of Arrow, which it takes over unless it throws. Throws value_error
/// for a schema or an array that was released before or breaks a rule, buffer_error for elements
/// that have no equivalent.
USMX_API column receive(const arrow::schema&, arrow::array&);
/// Makes a column of a device array of Arrow, which it takes over unless it throws. Throws
/// value_error for a schema or an array that was released before or breaks a rule, buffer_error for
/// elements that have no equivalent and for memory other than the host's.
USMX_API column receive(const arrow::schema&, arrow::device_array&);
/// Makes a column of all arrays that are left in a stream; the caller keeps the stream. Throws
/// value_error for a stream that was released before or breaks a rule, buffer_error for elements
/// that have no equivalent, std::runtime_error with the stream's own message when the stream fails.
USMX_API column receive(arrow::array_stream&);

/// Makes a view of each chunk of a column, to copy from. The views are read-only and valid as long
/// as the column. `queue` becomes the views' queue. A chunk must not reach beyond its buffers where
/// their sizes are known: from `sizes` of the column, or because they are USM of the queue's
/// context. Whether other memory exists cannot be checked. Throws value_error or overflow_error for
/// a chunk that breaks a rule, buffer_error for one with missing values.
/// Throws value_error for packed bools and for a table with other than one column, too.
USMX_API std::vector<array_view> host_views(const column&, const sycl::queue& queue);
/// The rows of one chunk of column number `k`: as host_views, of any format and of tables.
USMX_API column_rows host_rows(const column&, std::size_t chunk, std::size_t k,
                               const sycl::queue& queue);
/// The values that the rows of one chunk of column number `k` are indices of. Throws as host_views;
/// value_error if the column has no dictionary.
USMX_API column_rows dictionary_rows(const column&, std::size_t chunk, std::size_t k,
                                     const sycl::queue& queue);
/// Writes packed bools, one into a byte each: 0 or 1. Throws value_error unless `to` has as many
/// bytes as there are elements.
USMX_API void unpack(const column_rows&, std::span<std::uint8_t> to);

}  // namespace usmx::inline v1::exchange
