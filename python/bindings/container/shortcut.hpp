// The short cuts of usmx.asarray, empty and zeros: their commonest call, of one argument, is
// answered without entering Python, which would look up the default of every argument that is not
// given. A C++ object that poses as a Python function is a lot for that; it stays because the aims
// are not met without it: `benchmarks/run.py --only import-asarray` gives 0.66 us with it and 0.86
// us without it, 1/21 and 1/15 of dpnp's time, where 1/20 is the aim.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_shortcut(nb::module_& m);

}  // namespace usmx::bindings
