// Iterating over a USMArray: its views a[0], a[1], ... along the first axis.
#pragma once

#include "objects/array.hpp"

namespace usmx::bindings {

/// The iterator's class, and __reversed__, which has no slot.
void bind_iteration(nb::module_& m, nb::class_<py_array>& array_class);

/// The slot __iter__ of USMArray. TypeError for a 0-d array.
PyObject* iterate(PyObject* array);

}  // namespace usmx::bindings
