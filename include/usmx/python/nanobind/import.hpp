// How an extension that uses nanobind imports usmx: its table of functions and its exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "usmx/python/c_api.h"
#include "usmx/python/exceptions.hpp"

namespace usmx::python {

/// Imports usmx. An extension calls it first in NB_MODULE, so that a usmx that is missing or has
/// another version raises its ImportError (or ModuleNotFoundError) when the extension is imported.
/// From then on, exceptions of usmx and SYCL that leave the extension's functions become the Python
/// errors that usmx itself raises. Returns the table of functions.
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
