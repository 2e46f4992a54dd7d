// All that an extension needs which takes and gives arrays in USM without linking libusmx.so, in
// C99 or C++: usmx/c_api.h, and the import of its table. At run time the Python package usmx must
// be there; the SYCL runtime comes with it. The casters of C++ (usmx/python/nanobind.hpp,
// pybind11.hpp) stand on this.
#ifndef USMX_PYTHON_C_API_H
#define USMX_PYTHON_C_API_H

#include <Python.h>

#include "usmx/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One of each: in C for every source file, in C++ for every extension.
#ifdef __cplusplus
#define USMX_IMPORT_INLINE inline __attribute__((visibility("hidden")))
#else
#define USMX_IMPORT_INLINE static inline
#endif

/// The table, which lives as long as the process. The first call imports the package. With the
/// lock. Null with Python's error set: usmx is missing (ModuleNotFoundError), of another major
/// version or too old (ImportError, which says what to do).
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
