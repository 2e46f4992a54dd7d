// Arrow's C data, C stream and C device interfaces, as their specification lays them out, under
// names of usmx's own: users of Arrow's header cast pointers. Fields mean what
// https://arrow.apache.org/docs/format/CDataInterface.html and its neighbours say.
// Next: arrow.hpp.
#pragma once

#include <cstdint>
#include <utility>

namespace usmx::inline v1::arrow {

/// What the elements of an array are. In capsules "arrow_schema".
struct schema {
  /// Null-terminated: "c", "s", "i", "l", in capitals unsigned, and "e", "f", "g" are numbers.
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  schema** children;
  schema* dictionary;
  /// Called once by who has the structure, on any thread; clears itself. Null: it was let go.
  void (*release)(schema*);
  void* context;
};

/// Where they are. In capsules "arrow_array".
struct array {
  std::int64_t length;
  /// -1: nobody has counted.
  std::int64_t null_count;
  /// In elements, from the first of each buffer.
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  /// Of numbers: a bit for each, set unless it is missing (null: none is), and the numbers.
  const void** buffers;
  array** children;
  array* dictionary;
  /// As schema::release.
  void (*release)(array*);
  void* context;
};

/// Of the kinds of devices only those that usmx exchanges; others have other numbers. All are
/// DLPack's.
enum class device_type : std::int32_t { cpu = 1, cuda = 2, oneapi = 14 };

/// The same with its place. In capsules "arrow_device_array".
struct device_array {
  arrow::array array;
  /// -1 for the host.
  std::int64_t device_id;
  arrow::device_type device_type;
  /// Null: the elements are ready.
  void* sync_event;
  std::int64_t reserved[3];
};

/// Arrays of one schema, one after the other. The functions give 0 or an errno. In capsules
/// "arrow_array_stream".
struct array_stream {
  int (*get_schema)(array_stream*, schema*);
  /// An array that was let go: there is none left.
  int (*get_next)(array_stream*, array*);
  /// Of the last function that failed, until the next call; or null.
  const char* (*get_last_error)(array_stream*);
  /// As schema::release.
  void (*release)(array_stream*);
  void* context;
};

/// A structure of these with whoever has it: lets it go once. Alone in its memory, so that a
/// pointer to it is one to the structure.
template <class Structure>
class owned {
 public:
  owned() noexcept = default;
  explicit owned(const Structure& handed_over) noexcept : value_(handed_over) {}
  /// Takes it from somebody else, who has it no more.
  static owned taken_from(Structure& other) noexcept {
    owned result(other);
    releaser(other) = nullptr;
    return result;
  }
  owned(owned&& other) noexcept : value_(other.value_) { releaser(other.value_) = nullptr; }
  owned& operator=(owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~owned() {
    if (is_there()) {
      let_go(value_);
    }
  }

  bool is_there() const noexcept { return releaser(value_) != nullptr; }
  Structure& operator*() noexcept { return value_; }
  const Structure& operator*() const noexcept { return value_; }
  Structure* operator->() noexcept { return &value_; }
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
