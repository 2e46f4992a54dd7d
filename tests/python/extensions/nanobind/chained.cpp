// Functions that do not wait, by nanobind.
#include <nanobind/nanobind.h>
#include <usmx/python/nanobind.hpp>

#include "../chained.hpp"

namespace nb = nanobind;

NB_MODULE(nanobind_chained, m) {
  usmx::python::import_usmx();
  test_extension::bind_chained_functions<nb::arg>(m);
  nb::class_<test_extension::gate>(m, "Gate")
      .def(nb::init<const usmx::array&>())
      .def("event", &test_extension::gate::event)
      .def("open", &test_extension::gate::open);
}
