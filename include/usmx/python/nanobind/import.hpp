// How an extension by nanobind comes to usmx: its table, and its exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "usmx/python/c_api.h"
#include "usmx/python/exceptions.hpp"

namespace usmx::python {

/// Call it first in NB_MODULE: then a usmx that is missing, or too different, is an ImportError of
/// the extension, and not one of the first function that needs it. From then on exceptions of usmx
/// and SYCL that leave the extension's functions arrive in Python as those of usmx itself do.
inline const usmx_api& import_usmx() {
  const usmx_api* table = usmx_import();
  if (table == nullptr) {
    nanobind::raise_python_error();
  }
  detail::once_an_extension([] {
    nanobind::register_exception_translator(
        [](const std::exception_ptr& exception, void*) { detail::translate(exception); });
  });
  return *table;
}

}  // namespace usmx::python
