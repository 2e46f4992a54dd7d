// Functions under a call guard, by pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <usmx/python/pybind11.hpp>

#include "../guarded.hpp"

namespace py = pybind11;

PYBIND11_MODULE(pybind11_guarded, m) {
  usmx::python::import_usmx();
  using guard = py::call_guard<py::gil_scoped_release>;
  test_extension::bind_guarded_functions<guard, py::handle, py::arg>(m);
  m.def("through_the_table", [](py::handle object) {
    PyObject* result = [&] {
      const py::gil_scoped_release unlocked;
      return test_extension::through_the_table(object.ptr());
    }();
    if (result == nullptr) {
      throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(result);
  });
}
