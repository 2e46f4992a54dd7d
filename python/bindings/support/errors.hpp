// The translation of usmx's exceptions to Python's, and the place in a Python program where
// something happens. nanobind translates exceptions that leave a bound function; type slots are
// `guarded`.
#pragma once

#include <Python.h>

#include <exception>
#include <string>
#include <string_view>

#include <sycl/exception.hpp>

#include "support/nanobind.hpp"
#include "usmx/c_api.h"

namespace usmx::bindings {

/// Adds the exception classes to the module and translates C++ exceptions that leave functions.
void bind_errors(nb::module_& m);

/// Takes the class of linalg_error, which is written in Python.
void set_linalg_error_class(nb::handle);

/// Sets Python's error if the exception is one of usmx's or SYCL's; returns false for any other.
bool translate_exception(const std::exception_ptr& exception) noexcept;

/// The step that has failed: making one of these objects, or the range or the start of a launch.
/// Each has an error class under dpctl's name.
enum class failure { device, sub_devices, context, queue, kernel_range, kernel_submission };

/// Throws the error of the class of that failure.
[[noreturn]] void throw_failure(failure what, const char* text);

/// Returns the result of `make()`. Errors of values, of devices and of the runtime become that
/// class's error.
template <class Make>
auto creating(failure what, const Make& make) {
  try {
    return make();
  } catch (const value_error& e) {
    throw_failure(what, e.what());
  } catch (const device_error& e) {
    throw_failure(what, e.what());
  } catch (const sycl::exception& e) {
    throw_failure(what, detail::message("the SYCL runtime reports: ", e.what()).c_str());
  }
}

/// Throws SyclKernelSubmitError, or the runtime's exception that is being handled if the driver
/// lacks memory.
[[noreturn]] void throw_failed_launch(std::string_view kernel, const sycl::exception&);

/// Returns the result of `launch()`. Its failures become the errors of throw_failed_launch().
template <class Launch>
auto launching(std::string_view kernel, const Launch& launch) {
  try {
    return launch();
  } catch (const sycl::exception& e) {
    throw_failed_launch(kernel, e);
  }
}

/// Sets the Python error for an error code of the C interface.
void set_python_error(usmx_error code, const char* text) noexcept;

/// Sets Python's error from the C++ exception that is being handled.
void set_python_error() noexcept;

/// Runs `body`; an exception becomes Python's current error and `failed` the result.
template <class Result, class Body>
Result guarded(Result failed, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

// Warnings of the library as records of Python's logger "usmx".

/// Makes the library's warnings such records from now on (usmx/base/error.hpp).
void log_warnings() noexcept;

// The place in a Python program where something happens: for the tracking of memory, and for
// warnings.

/// The call site: "file.py:12 in function", for the innermost Python frame on this thread that is
/// not usmx's. On a thread without the interpreter lock, it is the call site that was noted there,
/// or "native code".
std::string python_call_site();

/// Gives a warning of that category at the innermost Python frame on this thread that is not
/// usmx's. Raises the warning if a filter makes it an error. The caller holds the interpreter lock.
void warn_at_call_site(PyObject* category, const char* text);

/// Notes the call site, if anything tracks memory, for what this thread allocates without the
/// interpreter lock as long as this object lives. It is made before the lock is released.
class noted_call_site {
 public:
  noted_call_site();
  noted_call_site(const noted_call_site&) = delete;
  noted_call_site& operator=(const noted_call_site&) = delete;
  ~noted_call_site();

 private:
  std::string site_;
  const std::string* outer_;
};

}  // namespace usmx::bindings
