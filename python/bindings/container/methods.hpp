// Methods of USMArray that copy it and wait. Those written in Python: usmx/_container/methods.py.
#pragma once

#include "objects/array.hpp"

namespace usmx::bindings {

void bind_methods(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
