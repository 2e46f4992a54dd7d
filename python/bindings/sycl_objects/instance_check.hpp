// isinstance(x, usmx.SyclQueue) and its like: true for dpctl's objects of that name, too.
#pragma once

namespace usmx::bindings {

/// After the classes are bound.
void bind_instance_check();

}  // namespace usmx::bindings
