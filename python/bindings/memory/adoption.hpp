// usmx.memory.from_pointer and get_usm_type: memory of native libraries, known by its address
// alone.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_adoption(nb::module_& m);

}  // namespace usmx::bindings
