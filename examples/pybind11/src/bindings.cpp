// The Python module usmx_with_pybind11._native: one function, of any USM array that the host may
// touch.
#include <pybind11/pybind11.h>

#include <usmx/python/pybind11.hpp>

namespace py = pybind11;

usmx::array scaled(const usmx::host<const double, 1>& x, double factor) {
  const py::gil_scoped_release unlocked;
  usmx::array result = usmx::empty(x.shape(), usmx::float64, x.queue(), x.array().kind());
  const auto from = x.view();
  const auto to = result.host_as<double, 1>();
  for (std::ptrdiff_t i = 0; i < from.size(); ++i) to(i) = factor * from(i);
  return result;
}

PYBIND11_MODULE(_native, module) {
  usmx::python::import_usmx();
  usmx::python::def(
      module, "scaled", &scaled, py::arg("x"), py::arg("factor"),
      "Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D.");
}
