// The `syclobj` of the dictionary and of arguments: every accepted form becomes a context and,
// where it has one, a queue.
#pragma once

#include "support/nanobind.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {

/// The forms of PROTOCOL.md, in its order. Throws type_error/value_error naming the type found.
exchange::placement resolve_syclobj(PyObject* object);

}  // namespace usmx::bindings
