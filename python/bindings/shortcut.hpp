// usmx.asarray's short cut: its commonest call, of one argument, is answered without entering
// Python, which would look up the default of every argument that is not given.
#pragma once

#include "support.hpp"

namespace usmx::bindings {

void bind_shortcut(nb::module_& m);

}  // namespace usmx::bindings
