// Offers the table of usmx/c_api.h to extension modules.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_c_api(nb::module_& m);

}  // namespace usmx::bindings
