// Typed parameters by nanobind.
#include <nanobind/nanobind.h>
#include <usmx/python/nanobind.hpp>

#include "../typed.hpp"

namespace nb = nanobind;

NB_MODULE(nanobind_typed, m) {
  usmx::python::import_usmx();
  test_extension::bind_typed_functions<nb::arg>(m);
  test_extension::bind_checked_functions<nb::arg>(m);
  usmx::python::def(m, "unlocked", &test_extension::sum_of_copied, nb::arg("x").noconvert(),
                    nb::call_guard<nb::gil_scoped_release>());

  nb::class_<test_extension::solver> solver(m, "Solver");
  solver.def(nb::init<>()).def(nb::init<const test_extension::vector_of_double&>(), nb::arg("x"));
  solver.def_static("made", usmx::python::checked(&test_extension::made, "made", {"x"}),
                    nb::arg("x"));
  usmx::python::def(solver, "size", &test_extension::solver::size, nb::arg("x"));
  usmx::python::def(solver, "grow", &test_extension::solver::grow);
  solver.def("ended", [](const test_extension::solver&, int) { return "int"; });
  usmx::python::end_overloads(solver, "ended");
  nb::class_<test_extension::sized> sized(m, "Sized");
  usmx::python::def(
      sized, "__init__",
      [](test_extension::sized* self, const test_extension::vector_of_double& x) {
        new (self) test_extension::sized{x.size()};
      },
      nb::arg("x"));
  sized.def_ro("size", &test_extension::sized::size);
  usmx::python::def(m.def_submodule("below"), "sum", &test_extension::sum, nb::arg("x"));
}
