// The Python module usmx_with_kernel._native.
#include <nanobind/nanobind.h>

#include <usmx/python/nanobind.hpp>

#include "scaled.hpp"

namespace nb = nanobind;

NB_MODULE(_native, module) {
  usmx::python::import_usmx();
  usmx::python::def(
      module, "scaled", &scaled, nb::arg("x"), nb::arg("factor"),
      nb::call_guard<nb::gil_scoped_release>(),
      "Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D.");
}
