// The test extension by nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <usmx/python/nanobind.hpp>

#include "../functions.hpp"

NB_MODULE(nanobind_extension, m) {
  usmx::python::import_usmx();
  test_extension::bind_functions(m);
}
