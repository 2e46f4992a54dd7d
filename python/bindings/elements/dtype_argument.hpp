// Python's ways to name an element type: typestr, name, NumPy dtype or scalar type, Python type, a
// list of fields.
#pragma once

#include <sycl/device.hpp>

#include "support/nanobind.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::bindings {

/// Throws value_error/type_error naming what was found. The common spellings are cached.
dtype dtype_argument(nb::handle argument);

/// The element type of a new array on a device: the one that was asked for, which the device must
/// have (value_error if not), else the device's type in place of `natural`.
dtype dtype_argument_on(const sycl::device& device, nb::handle asked, dtype natural);

/// The NumPy dtype, made once for each plain type. Imports NumPy on first use.
nb::object to_numpy_dtype(dtype);

void bind_dtype_functions(nb::module_& m);

}  // namespace usmx::bindings
