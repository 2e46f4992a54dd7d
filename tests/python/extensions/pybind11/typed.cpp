// Typed parameters by pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <usmx/python/pybind11.hpp>

#include "../typed.hpp"

namespace py = pybind11;

PYBIND11_MODULE(pybind11_typed, m) {
  usmx::python::import_usmx();
  test_extension::bind_typed_functions<py::arg>(m);
  test_extension::bind_checked_functions<py::arg>(m);
  usmx::python::def(m, "unlocked", &test_extension::sum_of_copied, py::arg("x").noconvert(),
                    py::call_guard<py::gil_scoped_release>());

  py::class_<test_extension::solver> solver(m, "Solver");
  solver.def(py::init<>()).def(py::init<const test_extension::vector_of_double&>(), py::arg("x"));
  solver.def_static("made", usmx::python::checked(&test_extension::made, "made", {"x"}),
                    py::arg("x"));
  usmx::python::def(solver, "size", &test_extension::solver::size, py::arg("x"));
  usmx::python::def(solver, "grow", &test_extension::solver::grow);
  solver.def("ended", [](const test_extension::solver&, int) { return "int"; });
  usmx::python::end_overloads(solver, "ended");
  py::class_<test_extension::sized> sized(m, "Sized");
  const auto make = [](const test_extension::vector_of_double& x) {
    return test_extension::sized{x.size()};
  };
  sized.def(py::init(usmx::python::checked(make, "__init__", {"x"})), py::arg("x"));
  sized.def_readonly("size", &test_extension::sized::size);
  usmx::python::def(m.def_submodule("below"), "sum", &test_extension::sum, py::arg("x"));
}
