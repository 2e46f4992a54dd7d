// Waits of threads that hold the interpreter lock: usmx's tests look for them. Nobody may wait so,
// since dpctl and dpnp need the lock before their work can end.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_watched_waits(nb::module_& m);

}  // namespace usmx::bindings
