// The Python module usmx_with_nanobind._native: one function, of any USM array that the host may
// touch.
#include <nanobind/nanobind.h>

#include <usmx/python/nanobind.hpp>

namespace nb = nanobind;

usmx::array scaled(const usmx::host<const double, 1>& x, double factor) {
  const nb::gil_scoped_release unlocked;
  usmx::array result = usmx::empty(x.shape(), usmx::float64, x.queue(), x.array().kind());
  const auto from = x.view();
  const auto to = result.host_as<double, 1>();
  for (std::ptrdiff_t i = 0; i < from.size(); ++i) to(i) = factor * from(i);
  return result;
}

NB_MODULE(_native, module) {
  usmx::python::import_usmx();
  usmx::python::def(
      module, "scaled", &scaled, nb::arg("x"), nb::arg("factor"),
      "Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D.");
}
