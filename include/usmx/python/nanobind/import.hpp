// How an extension that uses nanobind imports usmx: its table of functions and its exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <exception>

#include "usmx/python/c_api.h"
#include "usmx/python/exceptions.hpp"
#include "usmx/python/explained.hpp"

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

namespace detail {

/// Makes a function of nanobind explain what it refuses. Does nothing under the stable ABI, which
/// hides how a function is called.
inline void explain_function([[maybe_unused]] PyObject* object) noexcept {
#if !defined(Py_LIMITED_API)
  const PyTypeObject* type = Py_TYPE(object);
  if (std::strcmp(type->tp_name, "nanobind.nb_func") == 0 ||
      std::strcmp(type->tp_name, "nanobind.nb_method") == 0) {
    auto* entry = reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(object) +
                                                    type->tp_vectorcall_offset);
    *entry = explained_entries<vectorcallfunc>::stand_in_for(*entry);
  }
#endif
}

}  // namespace detail

/// Imports usmx for a module whose functions have typed parameters (usmx::in and usmx::convert). An
/// extension calls it first in NB_MODULE and keeps the result until the end: then the TypeErrors of
/// the module's functions name the argument that does not fit. Raises ImportError or
/// ModuleNotFoundError when usmx is missing or has another version.
[[nodiscard]] inline explained_module import_usmx(nanobind::module_& module) {
  import_usmx();
  return explained_module(module.ptr(), &detail::explain_function);
}

}  // namespace usmx::python
