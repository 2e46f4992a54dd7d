// Functions of the package that are written in Python, as it hands them out: a keyword that a
// function does not have is answered by those that it has, as functions written in C++ do.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_python_function(nb::module_& m);

}  // namespace usmx::bindings
