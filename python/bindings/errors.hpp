// How usmx's exceptions arrive in Python, in one place.
#pragma once

#include <nanobind/nanobind.h>

#include "usmx/base/error.hpp"

namespace usmx::bindings {

/// Adds the exception classes to the module and translates C++ exceptions that leave functions.
void bind_errors(nanobind::module_& m);

/// Sets Python's error if the exception is one of usmx's or SYCL's; else returns false.
bool translate_exception(const std::exception_ptr& exception) noexcept;

/// Sets Python's error from the C++ exception that is being handled.
void set_python_error() noexcept;

}  // namespace usmx::bindings
