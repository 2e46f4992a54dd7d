// The Python module usmx_with_nanobind._native: one function, of any USM array that the host may
// touch.
#include <nanobind/nanobind.h>

#include <usmx/array.hpp>
#include <usmx/base/error.hpp>
#include <usmx/python/nanobind.hpp>

namespace nb = nanobind;

usmx::array scaled(const usmx::array_view& x, double factor) {
  const nb::gil_scoped_release unlocked;
  if (!usmx::is_host_accessible(x.kind())) {
    throw usmx::value_error("scaled: expected shared or host memory, found " +
                            std::string(usmx::name(x.kind())));
  }
  const auto from = x.as<const double, 1>();  // throws on any other type or number of dimensions
  usmx::array result = usmx::empty(x.shape(), x.type(), x.queue(), x.kind());
  const auto to = result.view().as<double, 1>();
  for (std::ptrdiff_t i = 0; i < from.extent(0); ++i) to(i) = factor * from(i);
  return result;
}

NB_MODULE(_native, module) {
  usmx::python::import_usmx();
  module.def("scaled", &scaled, nb::arg("x"), nb::arg("factor"),
             "Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D.");
}
