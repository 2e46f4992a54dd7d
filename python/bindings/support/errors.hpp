// The translation of usmx's exceptions to Python's. nanobind translates what leaves a bound
// function; type slots are `guarded`.
#pragma once

#include <exception>
#include <string_view>

#include <sycl/exception.hpp>

#include "support/nanobind.hpp"
#include "usmx/c_api.h"

namespace usmx::bindings {

/// Adds the exception classes to the module and translates C++ exceptions that leave functions.
void bind_errors(nb::module_& m);

/// Sets Python's error if the exception is one of usmx's or SYCL's; else returns false.
bool translate_exception(const std::exception_ptr& exception) noexcept;

/// The step that has failed: making one of these objects, or the range or the start of a launch.
/// Each has an error class under dpctl's name.
enum class failure { device, sub_devices, context, queue, kernel_range, kernel_submission };

/// Throws that class's error.
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

/// Within a handler of the runtime's exception: throws SyclKernelSubmitError, or that exception if
/// the driver lacks memory.
[[noreturn]] void throw_failed_launch(std::string_view kernel, const sycl::exception&);

/// Returns the result of `launch()`, with those errors.
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

/// Makes the library's warnings such records from now on (usmx/base/warnings.hpp).
void log_warnings() noexcept;

}  // namespace usmx::bindings
