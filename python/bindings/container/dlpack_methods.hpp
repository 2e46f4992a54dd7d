// DLPack as USMArray and usmx.from_dlpack offer it: the arguments that the array API gives them.
#pragma once

#include "objects/array.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_dlpack_methods(nb::class_<py_array>& cls);
/// from_dlpack.
void bind_from_dlpack(nb::module_& m);

}  // namespace usmx::bindings
