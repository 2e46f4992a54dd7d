// The dictionary of __sycl_usm_array_interface__ in Python: read with the right types, never
// trusted, and written. Which values are right is decided in usmx/exchange.
#pragma once

#include <memory>
#include <optional>

#include "support.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// "__sycl_usm_array_interface__"
PyObject* interface_name();

/// A checked view of a foreign producer's memory, which keeps the producer alive; none when the
/// object has no such attribute. An exception raised by the attribute passes through.
std::optional<array> import_producer(PyObject* producer);

/// The dictionary of an array; `memory` is ready to be read by others when this returns.
nb::object to_dictionary(const array& described);

/// Waits for the work on some memory, without the interpreter lock if that may take time.
void wait_for(buffer& memory);

}  // namespace usmx::bindings
