// How exceptions that leave an extension's functions become Python errors: as a number and a text,
// through usmx's table of C functions. The casters of nanobind and pybind11 use it; it has nothing
// for users.
#pragma once

#include <exception>

#include "usmx/exchange/c_error.hpp"
#include "usmx/python/c_api.h"

namespace usmx::python::detail {

/// Sets the Python error that an exception of usmx or SYCL stands for; any other is thrown again.
inline void translate(const std::exception_ptr& exception) {
  const auto [code, text] = exchange::to_c_error(exception);
  if (!exchange::is_own(code)) {
    std::rethrow_exception(exception);
  }
  usmx_import()->set_error(code, text);
}

/// Runs `step` at the first call of an extension.
template <class Step>
[[gnu::visibility("hidden")]] void once_an_extension(Step step) {
  static bool is_done = false;
  if (!is_done) {
    step();
    is_done = true;
  }
}

}  // namespace usmx::python::detail
