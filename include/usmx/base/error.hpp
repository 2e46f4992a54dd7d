// The exceptions of usmx. Each is derived from the closest class of the standard library. Every
// message says where the error is, what was expected and what was found. The comments name the
// class that the Python package raises in its place. This header does not need SYCL. Next:
// layout/dtype.hpp.
#pragma once

#include <cstddef>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// An argument has the right type and a value that is not allowed. Python: ValueError.
class USMX_API value_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Arrays are on different queues, and no queue was named. Python's functions raise
/// ExecutionPlacementError, which is a ValueError.
class USMX_API placement_error : public value_error {
 public:
  using value_error::value_error;
};

/// A matrix for which a function of linear algebra has no result, such as a singular one, or a
/// shape that is no matrix's. Python: usmx.linalg.LinAlgError, which is a ValueError.
class USMX_API linalg_error : public value_error {
 public:
  using value_error::value_error;
};

/// An argument or an array has the wrong type. Python: TypeError.
class USMX_API type_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An index is outside of its axis, or there are more indices than axes. Python: IndexError.
class USMX_API index_error : public std::out_of_range {
 public:
  using std::out_of_range::out_of_range;
};

/// The array does not have the axis. Python: numpy.exceptions.AxisError, or, if NumPy is not
/// installed, a class that is a ValueError and an IndexError, too.
class USMX_API axis_error : public index_error {
 public:
  using index_error::index_error;
};

/// A size, stride or offset does not fit std::ptrdiff_t. Python: ValueError.
class USMX_API overflow_error : public std::overflow_error {
 public:
  using std::overflow_error::overflow_error;
};

/// The memory must not be written to. Python: ValueError, as NumPy raises.
class USMX_API read_only_error : public value_error {
 public:
  using value_error::value_error;
};

/// An exchange protocol cannot describe the array, or must not hand it out. Python: BufferError.
class USMX_API buffer_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No device fits the request. Python: SyclDeviceCreationError.
class USMX_API device_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The process was forked after its parent had used the SYCL runtime, which does not survive a
/// fork. Python: RuntimeError.
class USMX_API fork_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The error of a process in which more than one SYCL runtime is loaded. Python: RuntimeError.
class USMX_API runtime_conflict : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The error of too little memory. Python: USMAllocationError, which is a MemoryError.
class USMX_API allocation_error : public std::bad_alloc {
 public:
  /// An error with this message.
  explicit allocation_error(std::string message) : message_(std::move(message)) {}
  /// The message. The string lives as long as this object.
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

namespace detail {

/// Writes all arguments into one string.
template <class... Args>
std::string message(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return std::move(out).str();
}

/// Hands on a pointer or a function that has to be there. Throws value_error for null: `where` is
/// what was called, `what` is expected.
template <class T>
T&& required(T&& value, const char* where, const char* what) {
  if (!value) [[unlikely]] {
    throw value_error(message(where, ": expected ", what, ", found null"));
  }
  return std::forward<T>(value);
}

}  // namespace detail

/// A function that takes a warning. The text has one or more lines, does not begin with "usmx: ",
/// and is valid during the call only. Any thread may call the handler, while usmx holds locks. So
/// it must return soon, must not call usmx, and must not wait for a lock that others hold while
/// they call usmx.
using warning_handler = void (*)(const char* text) noexcept;

/// Sets the handler of all warnings of the process. The first handler writes to stderr, and null
/// brings it back. The Python package sets one that passes warnings to the logger "usmx".
USMX_API void set_warning_handler(warning_handler) noexcept;

}  // namespace usmx::inline v1
