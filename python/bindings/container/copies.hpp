// Copies between arrays, and between arrays and the host: what usmx's Python modules move elements
// with.
#pragma once

#include "objects/array.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Sets every element to a number or an array of no dimensions. Waits.
void fill_array(const py_array& destination, nb::handle scalar);

void bind_copies(nb::module_& m);

}  // namespace usmx::bindings
