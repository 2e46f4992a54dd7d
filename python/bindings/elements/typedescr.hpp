// Descriptions of structured types in Python: reads and writes the list of a `typedescr` or of
// NumPy's `dtype.descr`, and checks the Python types in it. Which values are right is decided in
// usmx/exchange.
#pragma once

#include "support/nanobind.hpp"
#include "usmx/exchange/typedescr.hpp"

namespace usmx::bindings {

/// Reads a list of (name, typestr or list[, shape]) tuples. Throws type_error/value_error for
/// anything else, for nesting deeper than usmx::exchange::max_typedescr_depth, and for too many
/// entries.
exchange::typedescr to_typedescr(PyObject* list);

/// The same for a dictionary with that typestr. A value_error names it.
exchange::typedescr to_typedescr(PyObject* list, std::string_view typestr);

/// The list, as NumPy's `dtype.descr` has it.
nb::object to_python(const exchange::typedescr& entries);

}  // namespace usmx::bindings
