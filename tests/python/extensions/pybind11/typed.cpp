// Typed parameters by pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <usmx/python/pybind11.hpp>

#include "../typed.hpp"

PYBIND11_MODULE(pybind11_typed, m) {
  const auto explained = usmx::python::import_usmx(m);
  test_extension::bind_typed_functions<pybind11::arg>(m);
  pybind11::class_<test_extension::solver>(m, "Solver")
      .def(pybind11::init<>())
      .def("size", &test_extension::solver::size, pybind11::arg("x"));
  m.def_submodule("below").def("sum", &test_extension::sum, pybind11::arg("x"));
}
