// The binary interface of Arrow: its C data, C stream and C device interfaces, under names of
// usmx's own. Pointers to the types of Arrow's header can be cast to pointers to these.
// https://arrow.apache.org/docs/format/CDataInterface.html and its neighbours describe the fields.
// Functions that make and take these structs are in exchange/arrow.hpp.
#pragma once

#include <cstdint>
#include <utility>

namespace usmx::inline v1::arrow {

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
  /// For numbers two buffers: a bit for each element, unset where it is missing (null if none is),
  /// and the numbers.
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
  /// The host.
  cpu = 1,
  /// A CUDA device.
  cuda = 2,
  /// A SYCL device.
  oneapi = 14
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
