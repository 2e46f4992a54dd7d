// Typed parameters by nanobind.
#include <nanobind/nanobind.h>
#include <usmx/python/nanobind.hpp>

#include "../typed.hpp"

NB_MODULE(nanobind_typed, m) {
  const auto explained = usmx::python::import_usmx(m);
  test_extension::bind_typed_functions<nanobind::arg>(m);
  nanobind::class_<test_extension::solver>(m, "Solver")
      .def(nanobind::init<>())
      .def("size", &test_extension::solver::size, nanobind::arg("x"));
  m.def_submodule("below").def("sum", &test_extension::sum, nanobind::arg("x"));
}
