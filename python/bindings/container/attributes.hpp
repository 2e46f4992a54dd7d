// What a USMArray says of itself: shape, type, where it is, its dictionary, its transposes.
#pragma once

#include "objects/array.hpp"

namespace usmx::bindings {

void bind_attributes(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
