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
  m.def("number_beside_array", [](nanobind::handle pair) {
    return nanobind::cast<std::pair<usmx::array, int>>(pair).second;
  });
  m.def("size_by_cast", [](nanobind::handle x) { return nanobind::cast<usmx::array>(x).size(); });
  m.def("caster_of_temporary",
        [](const nanobind::callable& make, const nanobind::callable& meanwhile) {
          nanobind::detail::make_caster<usmx::array> caster;
          caster.from_python(make(), 0, nullptr);
          meanwhile();
          return usmx::array(caster.operator const usmx::array&());
        });
  m.def("array_if_it_is_one", [](nanobind::handle x) {
    usmx::array result;
    return nanobind::try_cast(x, result) ? std::optional(result) : std::nullopt;
  });
}
