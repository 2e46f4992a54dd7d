// Element types of Python: arguments and attributes that name one, and `__usm_typedescr__`.
#pragma once

#include <sycl/device.hpp>

#include "support/nanobind.hpp"
#include "usmx/exchange/typedescr.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::bindings {

// Python's ways to name an element type: typestr, name, NumPy dtype or scalar type, Python type, a
// list of fields.

/// Throws value_error/type_error naming what was found. The common spellings are cached.
dtype dtype_argument(nb::handle argument);

/// The element type of a new array on a device: the one that was asked for, which the device must
/// have (value_error if not), else the device's type in place of `natural`.
dtype dtype_argument_on(const sycl::device& device, nb::handle asked, dtype natural);

/// The NumPy dtype, made once for each plain type. Imports NumPy on first use.
nb::object to_numpy_dtype(dtype);

void bind_dtype_functions(nb::module_& m);

// Descriptions of structured types in Python: reads and writes the list of a `typedescr` or of
// NumPy's `dtype.descr`, and checks the Python types in it. Which values are right is decided in
// usmx/exchange.

/// Reads a list of (name, typestr or list[, shape]) tuples. Throws type_error/value_error for
/// anything else, for nesting deeper than usmx::exchange::max_typedescr_depth, and for too many
/// entries.
exchange::typedescr to_typedescr(PyObject* list);

/// The same for a dictionary with that typestr. A value_error names it.
exchange::typedescr to_typedescr(PyObject* list, std::string_view typestr);

/// The list, as NumPy's `dtype.descr` has it.
nb::object to_python(const exchange::typedescr& entries);

}  // namespace usmx::bindings
