// Python's ways to say an element type: typestr, name, NumPy dtype or scalar type, Python type, a
// list of fields.
#pragma once

#include "support.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::bindings {

/// Throws value_error/type_error naming what was found. The common spellings are remembered.
dtype dtype_argument(nb::handle argument);

/// The NumPy dtype, made once for each plain type. Imports NumPy on first use.
nb::object to_numpy_dtype(dtype);

void bind_dtype_functions(nb::module_& m);

}  // namespace usmx::bindings
