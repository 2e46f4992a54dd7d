// Cumulative sums and sorting of few elements, by the host. Each function returns whether
// it has written the result: if not, kernels do (usmx/_compute/).
#include <algorithm>
#include <initializer_list>
#include <string>

#include "compute/compute.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

const array& array_in(nb::handle object) { return ready_instance<py_array>(object.ptr()).value; }

bool are_ready(std::initializer_list<const array*> arrays) {
  require_usable_process();
  look_for_peers();
  return std::ranges::all_of(arrays, [](const array* each) { return is_ready_on_cpu(*each); });
}

bool scan(const std::string& name, nb::handle x, nb::handle z, int lead) {
  const array& from = array_in(x);
  const array& to = array_in(z);
  return are_ready({&from, &to}) && internal::scan_on_host(name, from, to, lead);
}

bool sort(nb::handle x, nb::handle z, bool is_descending, bool wants_indices) {
  const array& from = array_in(x);
  const array& to = array_in(z);
  return are_ready({&from, &to}) && internal::sort_on_host(from, to, is_descending, wants_indices);
}

}  // namespace

void bind_algorithms(nb::module_& m) {
  m.def("_scan_on_host", &scan, nb::arg("name"), nb::arg("x"), nb::arg("z"), nb::arg("lead"),
        nb::sig("def _scan_on_host(name: str, x: USMArray, z: USMArray, lead: int, /) -> bool"));
  m.def("_sort_on_host", &sort, nb::arg("x"), nb::arg("z"), nb::arg("is_descending"),
        nb::arg("wants_indices"),
        nb::sig("def _sort_on_host(x: USMArray, z: USMArray, is_descending: bool, "
                "wants_indices: bool, /) -> bool"));
}

}  // namespace usmx::bindings
