// The class of the objects that replace usmx's objects in a forked child, where none can be made.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// _Refusing, every operation of which raises what require_usable_process() throws, and
/// _is_forked_child(). The package adds the rest (python/usmx/_unpickling.py): attributes, and what
/// pickle needs.
void bind_refusing(nb::module_& m);

}  // namespace usmx::bindings
