#include "ports.hpp"

PYBIND11_MODULE(_native, m) {
  usmx::python::import_usmx();
  auto external_usm_allocation = m.def_submodule("external_usm_allocation");
  define_external_usm_allocation(external_usm_allocation);
  auto onemkl_gemv = m.def_submodule("onemkl_gemv");
  define_onemkl_gemv(onemkl_gemv);
  auto use_dpctl_sycl_kernel = m.def_submodule("use_dpctl_sycl_kernel");
  define_use_dpctl_sycl_kernel(use_dpctl_sycl_kernel);
  auto use_dpctl_sycl_queue = m.def_submodule("use_dpctl_sycl_queue");
  define_use_dpctl_sycl_queue(use_dpctl_sycl_queue);
  auto use_dpnp_array = m.def_submodule("use_dpnp_array");
  define_use_dpnp_array(use_dpnp_array);
}
