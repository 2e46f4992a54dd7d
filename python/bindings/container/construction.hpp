// USMArray(shape, dtype, buffer, ...): in new memory, or in memory that exists.
#pragma once

#include "objects/array.hpp"

namespace usmx::bindings {

void bind_construction(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
