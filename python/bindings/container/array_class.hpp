// usmx.USMArray: the class, put together from the files of this folder.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_array_class(nb::module_& m);

}  // namespace usmx::bindings
