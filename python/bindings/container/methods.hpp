// Methods of USMArray that copy, convert, print and pickle it.
#pragma once

#include "objects/array.hpp"

namespace usmx::bindings {

void bind_methods(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
