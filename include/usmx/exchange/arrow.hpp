// Arrow: arrays as Arrow's arrays, and Arrow's columns and tables as host memory to copy from. Rows
// are numbers, bools or lists of one size of them, and none is missing. No Python here: the
// bindings read and write the capsules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::arrow {

// The binary interface of Arrow: its C data, C stream and C device interfaces, under names of
// usmx's own. Pointers to the types of Arrow's header can be cast to pointers to these.
// https://arrow.apache.org/docs/format/CDataInterface.html and its neighbours describe the fields.

/// The type of an array's elements: `ArrowSchema`. In Python it is in a capsule "arrow_schema".
struct schema {
  /// The element type, a null-terminated text. Signed integers are "c", "s", "i" and "l", unsigned
  /// ones the same letters in upper case; floating-point numbers are "e", "f" and "g".
  const char* format;
  /// The name of the column, or null.
  const char* name;
  /// Further keys and values in Arrow's encoding, or null.
  const char* metadata;
  /// Bits that say, among others, whether values may be missing.
  std::int64_t flags;
  /// The number of children; numbers have none.
  std::int64_t n_children;
  /// The schemas of nested types.
  schema** children;
  /// The schema of a dictionary whose indices the elements are; null for other elements.
  schema* dictionary;
  /// Frees what the structure points to and sets itself to null. Whoever has the structure calls it
  /// once, on any thread. Null if the structure was released.
  void (*release)(schema*);
  /// Belongs to whoever made the structure.
  void* context;
};

/// The elements of an array: `ArrowArray`. In Python it is in a capsule "arrow_array".
struct array {
  /// The number of elements.
  std::int64_t length;
  /// The number of missing values; -1 if nobody has counted them.
  std::int64_t null_count;
  /// The number of elements in each buffer before the first one of the array.
  std::int64_t offset;
  /// The number of buffers: 2 for numbers.
  std::int64_t n_buffers;
  /// The number of children; numbers have none.
  std::int64_t n_children;
  /// The buffers. Numbers have two: a bit for each element, unset where it is missing (null if none
  /// is), and the numbers.
  const void** buffers;
  /// The arrays of nested types.
  array** children;
  /// The values of a dictionary whose indices the elements are; null for other elements.
  array* dictionary;
  /// Frees what the structure points to and sets itself to null. Whoever has the structure calls it
  /// once, on any thread. Null if the structure was released.
  void (*release)(array*);
  /// Belongs to whoever made the structure.
  void* context;
};

/// A type of device: those of Arrow's values that usmx exchanges. They are DLPack's.
enum class device_type : std::int32_t {
  cpu = 1,      ///< The host.
  cuda = 2,     ///< A CUDA device.
  oneapi = 14,  ///< A SYCL device.
};

/// An array and its device: `ArrowDeviceArray`. In Python it is in a capsule "arrow_device_array".
struct device_array {
  /// The elements.
  arrow::array array;
  /// The number of the device among those of its type; -1 for the host.
  std::int64_t device_id;
  /// The type of the device.
  arrow::device_type device_type;
  /// An event of the device that the consumer waits for; null if the elements are ready.
  void* sync_event;
  /// Reserved for later versions of Arrow: all are 0.
  std::int64_t reserved[3];
};

/// Arrays of one schema, one after the other: `ArrowArrayStream`. The functions return 0 or a
/// number of <errno.h>. In Python it is in a capsule "arrow_array_stream".
struct array_stream {
  /// Gives the schema of all arrays.
  int (*get_schema)(array_stream*, schema*);
  /// Gives the next array; one whose `release` is null if none is left.
  int (*get_next)(array_stream*, array*);
  /// The message of the last function that failed, valid until the next call, or null.
  const char* (*get_last_error)(array_stream*);
  /// Frees what the structure points to and sets itself to null. Whoever has the structure calls it
  /// once, on any thread. Null if the structure was released.
  void (*release)(array_stream*);
  /// Belongs to whoever made the structure.
  void* context;
};

/// A structure of Arrow with its owner, who releases it once. It holds nothing else, so that a
/// pointer to it is a pointer to the structure, too.
template <class Structure>
class owned {
 public:
  /// Owns nothing.
  owned() noexcept = default;
  /// Takes over a structure of which no other copy is released.
  explicit owned(const Structure& handed_over) noexcept : value_(handed_over) {}
  /// Takes over a structure from its owner, and marks that one as released.
  static owned taken_from(Structure& other) noexcept {
    owned result(other);
    releaser(other) = nullptr;
    return result;
  }
  /// Takes over the structure of another owner, which then owns nothing.
  owned(owned&& other) noexcept : value_(other.value_) { releaser(other.value_) = nullptr; }
  /// Exchanges the structures of both owners.
  owned& operator=(owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  /// Releases the structure, if there is one.
  ~owned() {
    if (is_there()) {
      let_go(value_);
    }
  }

  /// Whether there is a structure that has not been released.
  bool is_there() const noexcept { return releaser(value_) != nullptr; }
  /// The structure.
  Structure& operator*() noexcept { return value_; }
  /// The structure.
  const Structure& operator*() const noexcept { return value_; }
  /// The structure.
  Structure* operator->() noexcept { return &value_; }
  /// The structure.
  const Structure* operator->() const noexcept { return &value_; }

 private:
  static auto& releaser(auto& structure) noexcept {
    if constexpr (requires { structure.array; }) {
      return structure.array.release;
    } else {
      return structure.release;
    }
  }
  static void let_go(Structure& structure) noexcept {
    if constexpr (requires { structure.array; }) {
      structure.array.release(&structure.array);
    } else {
      structure.release(&structure);
    }
  }

  Structure value_{};
};

}  // namespace usmx::inline v1::arrow

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
/// that the host may touch (host_may_touch).
[[nodiscard]] USMX_API arrow::owned<arrow::array> to_arrow(const array&);
/// Makes a device array of Arrow of the elements of any memory: host-accessible memory is on the
/// device `cpu`, other memory on its dlpack_device. Waits and throws as to_arrow(). Throws
/// buffer_error also when the device has no number, and for bools that are not in host-accessible
/// memory; value_error for an array without memory.
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
  /// Whether the column is a table.
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
/// Makes a column of a device array of Arrow. Throws buffer_error also for memory other than the
/// host's.
USMX_API column receive(const arrow::schema&, arrow::device_array&);
/// Makes a column of all arrays that are left in a stream of Arrow, which the caller keeps. Throws
/// std::runtime_error, with the stream's own message, when the stream fails.
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
