// DLPack as USMArray and usmx.from_dlpack offer it: the arguments that the array API gives them.
#pragma once

#include "objects/array.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

/// usmx.from_dlpack(x) of an object alone.
nb::object from_dlpack(nb::handle producer);

void bind_dlpack_methods(nb::class_<py_array>& cls);
/// _from_dlpack.
void bind_from_dlpack(nb::module_& m);

}  // namespace usmx::bindings
