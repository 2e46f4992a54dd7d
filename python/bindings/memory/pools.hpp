// usmx.memory: the pools that new memory comes from, and what they have.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_pools(nb::module_& m);

}  // namespace usmx::bindings
