// The `syclobj` of dictionaries and arguments: every accepted form becomes a placement, which is a
// context or a queue.
#pragma once

#include "support/nanobind.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {

/// The forms of docs/protocol.md, in its order. Throws type_error/value_error naming the type
/// found.
exchange::placement resolve_syclobj(PyObject* object);

}  // namespace usmx::bindings
