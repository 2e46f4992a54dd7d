#include "sycl_objects/classes.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include "support/arguments.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// What `ask(device)` finds out from the runtime.
template <class Ask>
auto asked(Ask ask) {
  return [ask](const sycl::device& d) {
    require_usable_process();
    return std::invoke(ask, d);
  };
}

template <class Info>
auto info() {
  return asked([](const sycl::device& d) { return d.get_info<Info>(); });
}

}  // namespace

sycl::device construct_device(nb::handle argument) {
  if (argument.is_none()) {
    return default_device();
  }
  if (nb::isinstance<nb::str>(argument)) {
    return select_device(to_text("filter selector", argument.ptr()));
  }
  if (const auto* device = value_of_either<sycl::device>(argument.ptr())) {
    return *device;
  }
  throw_not_accepted("SyclDevice", "nothing, a filter string or a SyclDevice", argument);
}

std::optional<std::string> filter_string_of(const sycl::device& device) {
  try {
    return filter_string(device);
  } catch (const value_error&) {
    return std::nullopt;
  }
}

std::string device_name(const sycl::device& device) {
  const auto filter = filter_string_of(device);
  return filter ? "'" + *filter + "'" : "<sub-device of " + describe(device) + ">";
}

void bind_sycl_device(nb::module_& m) {
  namespace id = sycl::info::device;
  nb::class_<sycl::device> cls(m, "SyclDevice",
                               "A SYCL device. It equals another one for the same device.");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<sycl::device> self, nb::handle arg) {
           initialize(self, [&] { return construct_device(arg); });
         },
         nb::arg("arg") = nb::none(),
         nb::sig("def __init__(self, arg: str | SyclDevice | None = None) -> None"),
         R"(Find a device.

Args:
    arg: None for the default device, a SyclDevice for the same device, or a filter selector
        ``backend:device_type:relative_id``. Any part of it may be left out, and a comma means "else". The
        grammar is dpctl's.

Raises:
    ValueError: the text is no filter selector.
    SyclDeviceCreationError: no device matches.

Example:
    >>> usmx.SyclDevice() == usmx.SyclDevice(None)
    True)")
      .def_prop_ro("name", info<id::name>(), "The name that the driver gives.")
      .def_prop_ro("vendor", info<id::vendor>(), "The vendor that the driver names.")
      .def_prop_ro("driver_version", info<id::driver_version>(), "The version of the driver.")
      .def_prop_ro("global_mem_size", info<id::global_mem_size>(),
                   "The bytes of the device's memory.")
      .def_prop_ro("local_mem_size", info<id::local_mem_size>(),
                   "The bytes of local memory that a work-group may use.")
      .def_prop_ro("max_compute_units", info<id::max_compute_units>(),
                   "The number of compute units; of a CPU, its hardware threads.")
      .def_prop_ro("sub_group_sizes", info<id::sub_group_sizes>(),
                   "How many work-items a sub-group may have.")
      .def_prop_ro(
          "backend", [](const sycl::device& d) { return backend_name(d.get_backend()); },
          "The back end as filter selectors spell it: 'opencl', 'level_zero', 'cuda', ...")
      .def_prop_ro("device_type", asked(&device_type_name),
                   "The type as filter selectors spell it: 'cpu', 'gpu', ...")
      .def_prop_ro(
          "filter_string", &filter_string,
          "A filter selector that names the device, ``backend:device_type:relative_id``. Raises "
          "ValueError for a sub-device, which has none.")
      .def_prop_ro("is_cpu", asked(&sycl::device::is_cpu), "Whether the device is a CPU.")
      .def_prop_ro("is_gpu", asked(&sycl::device::is_gpu), "Whether the device is a GPU.")
      .def_prop_ro("is_accelerator", asked(&sycl::device::is_accelerator),
                   "Whether the device is an accelerator.");
  const auto aspect = [&](const char* name, sycl::aspect which) {
    cls.def_prop_ro(name, asked([which](const sycl::device& d) { return d.has(which); }),
                    "Whether the device has this aspect of SYCL 2020.");
  };
  aspect("has_aspect_fp16", sycl::aspect::fp16);
  aspect("has_aspect_fp64", sycl::aspect::fp64);
  aspect("has_aspect_usm_device_allocations", sycl::aspect::usm_device_allocations);
  aspect("has_aspect_usm_host_allocations", sycl::aspect::usm_host_allocations);
  aspect("has_aspect_usm_shared_allocations", sycl::aspect::usm_shared_allocations);
  aspect("has_aspect_usm_system_allocations", sycl::aspect::usm_system_allocations);
  bind_value_semantics(cls, &value_of_either<sycl::device>);
  cls.def("__repr__", [](const sycl::device& d) { return "SyclDevice(" + device_name(d) + ")"; });
  set_python_class<sycl::device>(cls);
  m.def("get_devices", &get_devices,
        R"(List the devices of this machine.

Returns:
    A list of all root devices, in dpctl's order. It is empty if there is none.

Example:
    >>> usmx.SyclDevice() in usmx.get_devices()
    True)");
  m.def("diagnose_missing_device", &diagnose_missing_device,
        "Why no device is found: what the environment says and which driver is there.");
}

}  // namespace usmx::bindings
