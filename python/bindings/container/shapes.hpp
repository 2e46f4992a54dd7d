// Views of arrays under another shape, order of axes or element type: what the package and the
// methods of USMArray are made of.
#pragma once

#include "objects/array.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The functions, which take the array as their first argument.
void bind_shapes(nb::module_& m);

/// The methods that NumPy's users expect.
void bind_shape_methods(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
