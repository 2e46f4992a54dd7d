// Copies between arrays, and between arrays and the host: what usmx's Python modules move elements
// with.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_copies(nb::module_& m);

}  // namespace usmx::bindings
