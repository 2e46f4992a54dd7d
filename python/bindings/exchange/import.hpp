// The dictionary of a foreign producer: read with the right types and never trusted. Which values
// are right is decided in usmx/exchange.
#pragma once

#include <optional>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// A checked view of a foreign producer's memory, which keeps the producer alive: by
/// __sycl_usm_array_interface__, or where the object has none by __cuda_array_interface__; none
/// when it has neither. An exception raised by the attribute passes through.
std::optional<array> import_producer(PyObject* producer);

}  // namespace usmx::bindings
