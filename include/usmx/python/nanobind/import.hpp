// How an extension by nanobind comes to usmx: its table, and its exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <exception>

#include "usmx/python/c_api.h"
#include "usmx/python/exceptions.hpp"
#include "usmx/python/explained.hpp"

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

namespace detail {

/// Makes a function of nanobind's explain what it refuses: not under the stable ABI, where the way
/// into a function cannot be seen.
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

/// The same for a module with typed parameters (usmx::in): keep what it returns until NB_MODULE
/// ends, so that the module's functions name the argument that does not fit.
[[nodiscard]] inline explained_module import_usmx(nanobind::module_& module) {
  import_usmx();
  return explained_module(module.ptr(), &detail::explain_function);
}

}  // namespace usmx::python
