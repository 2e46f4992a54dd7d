// a[key] and a[key] = value of USMArray, for every kind of key and value.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// usmx._core._nonzero and _count_nonzero, of which the package makes functions.
void bind_items(nb::module_& m);

// The slots of Python's mapping protocol.

/// A view where the key is basic or names a field, else a new array on the same queue and of the
/// same kind.
PyObject* get_item(PyObject* self, PyObject* key);

/// Sets elements to a scalar, or to those of an array, producer, buffer or nested list, converted
/// and repeated; waits. No value: TypeError, since elements cannot be deleted.
int set_item(PyObject* self, PyObject* key, PyObject* value);

}  // namespace usmx::bindings
