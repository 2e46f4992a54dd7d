// USMArray.real and USMArray.imag, read and set.
#pragma once

#include "objects/array.hpp"

namespace usmx::bindings {

void bind_complex_parts(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
