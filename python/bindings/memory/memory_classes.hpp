// usmx.memory: the classes MemoryUSMDevice, MemoryUSMShared and MemoryUSMHost, and as_usm_memory.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_memory_classes(nb::module_& m);

}  // namespace usmx::bindings
