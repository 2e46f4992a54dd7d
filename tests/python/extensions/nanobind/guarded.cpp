// Functions under a call guard, by nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <usmx/python/nanobind.hpp>

#include "../guarded.hpp"

namespace nb = nanobind;

NB_MODULE(nanobind_guarded, m) {
  usmx::python::import_usmx();
  using guard = nb::call_guard<nb::gil_scoped_release>;
  test_extension::bind_guarded_functions<guard, nb::handle, nb::arg>(m);
  m.def("through_the_table", [](nb::handle object) {
    PyObject* result = [&] {
      const nb::gil_scoped_release unlocked;
      return test_extension::through_the_table(object.ptr());
    }();
    if (result == nullptr) {
      nb::raise_python_error();
    }
    return nb::steal(result);
  });
}
