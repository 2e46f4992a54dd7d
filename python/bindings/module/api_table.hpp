// Offers usmx/python/api.hpp's table to extension modules.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_api_table(nb::module_& m);

}  // namespace usmx::bindings
