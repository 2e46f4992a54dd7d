// Copies between arrays, and between arrays and the host: what usmx's Python modules move elements
// with.
#pragma once

#include "support.hpp"

namespace usmx::bindings {

void bind_array_copies(nb::module_& m);

}  // namespace usmx::bindings
