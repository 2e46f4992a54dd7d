// usmx.Device: what `device=` means in Python, as a value.
#pragma once

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

struct py_device {
  sycl::queue queue;
};

/// All of the class but create_device: queue_argument.hpp.
nb::class_<py_device> bind_device(nb::module_& m);

/// The queue inside a Device; null for any other object.
inline const sycl::queue* device_queue(PyObject* object) {
  const py_device* device = value_in<py_device>(object);
  return device == nullptr ? nullptr : &device->queue;
}

}  // namespace usmx::bindings
