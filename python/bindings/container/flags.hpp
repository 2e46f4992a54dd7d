// USMArray.flags: read as NumPy's are, by attribute in lower case and by key.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_flags(nb::module_& m);

/// The flags object of a USMArray.
nb::object flags_of(nb::handle array);

}  // namespace usmx::bindings
