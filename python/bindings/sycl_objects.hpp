// SyclDevice, SyclContext and SyclQueue in Python: each holds exactly the SYCL object of its name.
#pragma once

#include <sycl/queue.hpp>

#include "support.hpp"

namespace usmx::bindings {

void bind_sycl_objects(nb::module_& m);

nb::object to_python(const sycl::device&);
nb::object to_python(const sycl::context&);
nb::object to_python(const sycl::queue&);

/// The SYCL object inside a usmx Python object; null for any other object.
const sycl::device* as_device(PyObject*);
const sycl::context* as_context(PyObject*);
const sycl::queue* as_queue(PyObject*);

}  // namespace usmx::bindings
