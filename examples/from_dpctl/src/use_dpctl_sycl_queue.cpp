// dpctl's examples/pybind11/use_dpctl_sycl_queue: properties of queues and devices, and a NumPy
// array that a device works on.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <span>
#include <usmx/base/error.hpp>
#include <usmx/copy/host_data.hpp>
#include <usmx/generated_kernels/generated_kernels.hpp>

#include "ports.hpp"

namespace {

using integers = py::array_t<std::int64_t, py::array::c_style>;

integers offloaded_array_mod(const sycl::queue& queue, const integers& array, std::int64_t mod) {
  if (array.ndim() != 1 || mod <= 0) {
    throw usmx::value_error("expected a vector and a positive modulus");
  }
  static const usmx::elementwise_kernel modulo("T x, T mod", "T y", "y = x % mod", {"modulo"});
  integers result(array.size());
  const std::span from(array.data(), static_cast<std::size_t>(array.size()));
  const std::span to(result.mutable_data(), from.size());
  const py::gil_scoped_release unlocked;
  usmx::to_host(modulo(usmx::from_host(queue, from), mod), to);
  return result;
}

template <class Property>
auto property_of(const sycl::device& device) {
  return device.get_info<Property>();
}

}  // namespace

void define_use_dpctl_sycl_queue(py::module_& m) {
  namespace info = sycl::info::device;
  m.def("get_max_compute_units", [](const sycl::queue& queue) {
    return queue.get_device().get_info<info::max_compute_units>();
  });
  m.def("get_device_global_mem_size", &property_of<info::global_mem_size>);
  m.def("get_device_local_mem_size", &property_of<info::local_mem_size>);
  m.def("get_sub_group_sizes", &property_of<info::sub_group_sizes>);
  m.def("get_partition_max_sub_devices", &property_of<info::partition_max_sub_devices>);
  m.def("offloaded_array_mod", &offloaded_array_mod);
}
