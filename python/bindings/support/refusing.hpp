// The class of the objects that replace usmx's objects where pickle cannot make them.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Raises what an object that could not be unpickled says, if it stands for one: for code that asks
/// arguments for their type alone.
void raise_if_stand_in(nb::handle object);

/// _Refusing, every operation of which raises what a subclass says, and _is_forked_child(). The
/// package adds the rest (python/usmx/_stand_ins.py): the error, attributes, and what pickle needs.
void bind_refusing(nb::module_& m);

}  // namespace usmx::bindings
