// The import of the C interface, for extensions in C99 or C++ that take and return arrays in USM
// without linking libusmx.so. The interface itself is in usmx/c_api.h, which this includes. At run
// time the Python package usmx must be installed; it brings the SYCL runtime. The casters for C++
// (usmx/python/nanobind.hpp and usmx/python/pybind11.hpp) use this header.
#ifndef USMX_PYTHON_C_API_H
#define USMX_PYTHON_C_API_H

#include <Python.h>

#include "usmx/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How usmx_import() is declared, so that its variable exists once for each source file in C, and
/// once for each extension in C++.
#ifdef __cplusplus
#define USMX_IMPORT_INLINE inline __attribute__((visibility("hidden")))
#else
#define USMX_IMPORT_INLINE static inline
#endif

/// Returns the table of functions, which lives as long as the process. The caller holds the
/// interpreter lock. The first call imports the package usmx. Returns null with Python's error set
/// when usmx is missing (ModuleNotFoundError), or when it has another major version or is too old
/// (ImportError, which says what to do).
USMX_IMPORT_INLINE const usmx_api* usmx_import(void) {
  static const usmx_api* table = NULL;
  if (table == NULL) {
    PyObject* package = PyImport_ImportModule("usmx");  // whose error says most
    const usmx_api* found = NULL;
    if (package != NULL) {
      found = (const usmx_api*)PyCapsule_Import(USMX_C_API_CAPSULE, 0);
      Py_DECREF(package);
    }
    if (found != NULL &&
        found->accept(found, USMX_C_API_MAJOR, USMX_C_API_MINOR, (const void*)&table) == 0) {
      table = found;
    }
  }
  return table;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // USMX_PYTHON_C_API_H
