// An exception that waits until it may be thrown: nanobind's from_python must not throw, and its
// containers take the values of their elements where nothing may be thrown, but ask can_cast
// before. Users include usmx/python/nanobind.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <utility>

namespace NB_NAMESPACE {
namespace detail {

/// A Python exception, or none.
class usmx_error {
 public:
  /// No exception.
  usmx_error() = default;
  /// Python's current error.
  static usmx_error current() noexcept { return usmx_error(borrow(python_error().value())); }
  /// The exception that is being handled.
  static usmx_error handled() noexcept {
    try {
      throw;
    } catch (python_error& e) {
      return usmx_error(borrow(e.value()));
    } catch (...) {
      PyErr_NoMemory();
      return current();
    }
  }

  explicit operator bool() const noexcept { return exception_.is_valid(); }

  void raise_if_any() const {
    if (exception_.is_valid()) {
      PyErr_SetObject(exception_.type().ptr(), exception_.ptr());
      raise_python_error();
    }
  }

  /// Puts it into the list of objects that live until the call ends, for the container that asks.
  void leave_in(cleanup_list* call) const noexcept {
    if (exception_.is_valid() && call != nullptr) {
      call->append(exception_.inc_ref().ptr());
    }
  }
  /// The exception that was put into the list since it had that size.
  static usmx_error left_in(const cleanup_list* call, std::size_t size_before) noexcept {
    for (std::size_t k = size_before; call != nullptr && k < call->size(); ++k) {
      if (PyExceptionInstance_Check((*call)[k]) != 0) {
        return usmx_error(borrow((*call)[k]));
      }
    }
    return usmx_error();
  }

 private:
  explicit usmx_error(object exception) noexcept : exception_(std::move(exception)) {}

  object exception_;
};

}  // namespace detail
}  // namespace NB_NAMESPACE
