// The test extension by pybind11.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <usmx/python/pybind11.hpp>

#include "../functions.hpp"

PYBIND11_MODULE(pybind11_extension, m) {
  usmx::python::import_usmx();
  test_extension::bind_functions(m);
}
