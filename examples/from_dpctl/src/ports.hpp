// Modules of the package: each is the port of an example of dpctl's or dpnp's.
#pragma once

#include <pybind11/pybind11.h>

#include <usmx/python/pybind11.hpp>

namespace py = pybind11;

void define_external_usm_allocation(py::module_& m);
void define_onemkl_gemv(py::module_& m);
void define_use_dpctl_sycl_kernel(py::module_& m);
void define_use_dpctl_sycl_queue(py::module_& m);
void define_use_dpnp_array(py::module_& m);
