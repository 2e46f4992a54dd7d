// The Python module usmx_with_onemkl._native.
#include <nanobind/nanobind.h>

#include <usmx/python/nanobind.hpp>

#include "product.hpp"

namespace nb = nanobind;

NB_MODULE(_native, module) {
  usmx::python::import_usmx();
  usmx::python::def(module, "product", &product, nb::arg("a"), nb::arg("b"),
                    nb::call_guard<nb::gil_scoped_release>(),
                    "Return the matrix product of two matrices in float64, on a's queue.");
}
