// Views of arrays under another shape, order of axes or element type: what
// usmx._container.manipulation and the methods of USMArray are made of.
#pragma once

#include "array.hpp"
#include "support.hpp"

namespace usmx::bindings {

/// The functions, which take the array as their first argument.
void bind_array_shapes(nb::module_& m);

/// The methods that NumPy's users expect.
void bind_shape_methods(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
