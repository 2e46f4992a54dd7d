// dpctl's examples/pybind11/use_dpctl_sycl_kernel: a kernel that Python gives works on two arrays.
#include <string>
#include <usmx/base/error.hpp>
#include <usmx/user_kernels/kernel.hpp>

#include "ports.hpp"

namespace {

using source_array = usmx::read<std::int32_t, 1, usmx::c_contig>;
using destination_array = usmx::write<std::int32_t, 1, usmx::c_contig>;

void submit_custom_kernel(const std::string& source, const std::string& name,
                          const source_array& from, const destination_array& to) {
  if (from.size() != to.size()) {
    throw usmx::value_error("src and dst must have as many elements");
  }
  const usmx::kernel kernel = usmx::kernel::compile(from.queue(), source, name);
  kernel(sycl::range<1>(static_cast<std::size_t>(from.size())), from, to);
}

}  // namespace

void define_use_dpctl_sycl_kernel(py::module_& m) {
  usmx::python::def(m, "submit_custom_kernel", &submit_custom_kernel, py::arg("source"),
                    py::arg("name"), py::arg("src"), py::arg("dst"),
                    py::call_guard<py::gil_scoped_release>());
}
