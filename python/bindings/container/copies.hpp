// Copies between arrays, and between arrays and the host: what usmx's Python modules move elements
// with.
#pragma once

#include "objects/array.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Sets every element to a number or an array of no dimensions. Waits.
void fill_array(const py_array& destination, nb::handle scalar);

/// A producer's elements in a NumPy array: `out`, or a new one where that is None. Waits.
nb::object asnumpy(nb::handle usm_ary, nb::handle out);

/// copy, asnumpy, to_numpy, and what the package's other copies are made of.
void bind_copies(nb::module_& m);

}  // namespace usmx::bindings
