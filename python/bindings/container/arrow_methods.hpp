// Arrow as USMArray and usmx.from_arrow offer it: the arguments that the PyCapsule protocol gives.
#pragma once

#include "objects/array.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_arrow_methods(nb::class_<py_array>& cls);
/// from_arrow.
void bind_from_arrow(nb::module_& m);

}  // namespace usmx::bindings
