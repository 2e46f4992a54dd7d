// What usmx's and dpctl's classes of one name have in common: isinstance(x, usmx.SyclQueue) and its
// like is true for dpctl's objects of that name, too, and objects of both are compared by what they
// hold.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// After the classes are bound.
void bind_instance_check(nb::module_& m);

}  // namespace usmx::bindings
