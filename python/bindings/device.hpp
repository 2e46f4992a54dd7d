// usmx.Device: what `device=` means in Python, as a value.
#pragma once

#include <sycl/queue.hpp>

#include "support.hpp"

namespace usmx::bindings {

void bind_device_object(nb::module_& m);

/// The queue inside a Device; null for any other object.
const sycl::queue* as_device_queue(PyObject* object);

/// A new Device around a queue.
nb::object device_on(const sycl::queue& queue);

}  // namespace usmx::bindings
