// usmx.memory: resources that can be stacked, and set in place of the pools.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_resources(nb::module_& m);

}  // namespace usmx::bindings
