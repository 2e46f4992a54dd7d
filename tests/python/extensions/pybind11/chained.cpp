// Functions that do not wait, by pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <usmx/python/pybind11.hpp>

#include "../chained.hpp"

namespace py = pybind11;

PYBIND11_MODULE(pybind11_chained, m) {
  usmx::python::import_usmx();
  test_extension::bind_chained_functions<py::arg>(m);
  py::class_<test_extension::gate>(m, "Gate")
      .def(py::init<const usmx::array&>())
      .def("event", &test_extension::gate::event)
      .def("open", &test_extension::gate::open);
}
