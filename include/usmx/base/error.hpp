// The exceptions of usmx, each derived from its std counterpart, and how their messages are put
// together: where, what was expected, what was found. No SYCL here. Next: layout/dtype.hpp.
#pragma once

#include <cstddef>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// A value that breaks a rule. Python: ValueError.
class USMX_API value_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A value of the wrong type. Python: TypeError.
class USMX_API type_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An index outside its axis, or too many of them. Python: IndexError.
class USMX_API index_error : public std::out_of_range {
 public:
  using std::out_of_range::out_of_range;
};

/// An axis that an array does not have. Python: numpy.exceptions.AxisError, or without NumPy an
/// equal of it: a ValueError and an IndexError.
class USMX_API axis_error : public index_error {
 public:
  using index_error::index_error;
};

/// A size, stride or offset that ptrdiff_t cannot hold. Python: ValueError.
class USMX_API overflow_error : public std::overflow_error {
 public:
  using std::overflow_error::overflow_error;
};

/// Memory that may not be written to. Python: ValueError, as in NumPy.
class USMX_API read_only_error : public value_error {
 public:
  using value_error::value_error;
};

/// What an exchange has no words for, or may not hand out. Python: BufferError.
class USMX_API buffer_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No device answers to what was asked for. Python: SyclDeviceCreationError.
class USMX_API device_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A forked child cannot use the runtime. Python: RuntimeError.
class USMX_API fork_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// More than one SYCL runtime in the process. Python: RuntimeError.
class USMX_API runtime_conflict : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The runtime could not give the memory. Python: USMAllocationError, a MemoryError.
class USMX_API allocation_error : public std::bad_alloc {
 public:
  explicit allocation_error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

namespace detail {

/// All arguments, streamed into one string.
template <class... Args>
std::string message(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return std::move(out).str();
}

}  // namespace detail
}  // namespace usmx::inline v1
