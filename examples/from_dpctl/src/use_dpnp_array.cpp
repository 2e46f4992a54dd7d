// dpnp's examples/pybind11/use_dpnp_array: what an array is.
#include <pybind11/stl.h>

#include <string>
#include <usmx/array.hpp>
#include <vector>

#include "ports.hpp"

void define_use_dpnp_array(py::module_& m) {
  m.def("get_ndim", [](const usmx::array& a) { return a.ndim(); });
  m.def("get_shape",
        [](const usmx::array& a) { return std::vector(a.shape().begin(), a.shape().end()); });
  m.def("get_size", [](const usmx::array& a) { return a.size(); });
  m.def("get_type", [](const usmx::array& a) { return std::string(a.type().name()); });
  m.def("get_elemsize", [](const usmx::array& a) { return a.type().itemsize(); });
  m.def("is_c_contiguous", [](const usmx::array& a) { return a.layout().is_c_contiguous(); });
  m.def("is_f_contiguous", [](const usmx::array& a) { return a.layout().is_f_contiguous(); });
  m.def("is_writable", [](const usmx::array& a) { return !a.readonly(); });
}
