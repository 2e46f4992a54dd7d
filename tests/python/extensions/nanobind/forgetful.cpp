// A module that does not call import_usmx.
#include <nanobind/nanobind.h>
#include <usmx/base/error.hpp>
#include <usmx/python/nanobind.hpp>

NB_MODULE(forgetful_extension, m) {
  m.def("same_array", [](usmx::array x) { return x; });
  m.def("take_and_raise", [](const usmx::array&) { throw usmx::type_error("mine"); });
  m.def("new_event", [] { return sycl::event(); });
}
