#include <sycl/platform.hpp>

#include "support/errors.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/enums.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

sycl::platform construct_platform(nb::handle argument) {
  if (const auto* platform = value_in<sycl::platform>(argument.ptr())) {
    return *platform;
  }
  if (argument.is_none() || nb::isinstance<nb::str>(argument)) {
    return creating(failure::device, [&] { return construct_device(argument).get_platform(); });
  }
  throw_not_accepted("SyclPlatform", "nothing, a filter string or a SyclPlatform", argument);
}

template <class Info>
std::string info(const sycl::platform& platform) {
  require_usable_process();
  return platform.get_info<Info>();
}

std::vector<sycl::device> composite_devices(const sycl::platform& platform) {
  require_usable_process();
  return platform.ext_oneapi_get_composite_devices();
}

/// Those with devices, in the order of get_devices().
std::vector<sycl::platform> get_platforms() {
  std::vector<sycl::platform> platforms;
  for (const sycl::device& device : get_devices()) {
    const sycl::platform of = device.get_platform();
    if (platforms.empty() || platforms.back() != of) {
      platforms.push_back(of);
    }
  }
  return platforms;
}

}  // namespace

void bind_sycl_platform(nb::module_& m) {
  namespace id = sycl::info::platform;
  nb::class_<sycl::platform> cls(
      m, "SyclPlatform",
      "A SYCL platform: a driver with its devices. It equals another one for the same platform.");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<sycl::platform> self, nb::handle arg) {
           initialize(self, [&] { return construct_platform(arg); });
         },
         nb::arg("arg") = nb::none(),
         nb::sig("def __init__(self, arg: str | SyclPlatform | None = None) -> None"),
         R"(Find a platform.

Args:
    arg: None for that of the default device, a filter string for that of the device which it selects, or a
        SyclPlatform for the same one.

Raises:
    SyclDeviceCreationError: no device matches, or the text is no filter selector. It is a ValueError, too.
    TypeError: `arg` is none of these.

Example:
    >>> usmx.SyclPlatform() == usmx.SyclDevice().sycl_platform
    True)")
      .def_prop_ro("name", info<id::name>, "The name that the driver gives.")
      .def_prop_ro("vendor", info<id::vendor>, "The vendor that the driver names.")
      .def_prop_ro("version", info<id::version>, "The version of the driver's interface.")
      .def_prop_ro(
          "backend",
          [](const sycl::platform& platform) {
            require_usable_process();
            return to_python(platform.get_backend());
          },
          nb::sig("def backend(self) -> backend_type"), "The back end, a member of backend_type.")
      .def_prop_ro(
          "default_context",
          [](const sycl::platform& platform) {
            require_usable_process();
            return to_python(platform.khr_get_default_context());
          },
          nb::sig("def default_context(self) -> SyclContext"),
          "The context of all root devices of the platform, which all users share.")
      .def(
          "_get_devices",
          [](const sycl::platform& platform) {
            require_usable_process();
            return platform.get_devices();
          },
          "All its root devices.")
      .def("get_composite_devices", &composite_devices,
           "List the platform's composite devices (Level Zero).");
  bind_value_semantics<sycl::platform>(cls, [](PyObject* other) -> const sycl::platform* {
    return value_in<sycl::platform>(other);
  });
  cls.def("__repr__", [](const sycl::platform& platform) {
    return detail::message("<SyclPlatform ", info<id::name>(platform), ", ",
                           info<id::vendor>(platform), ", ", info<id::version>(platform), ">");
  });
  bind_name_of_class(cls);
  set_python_class<sycl::platform>(cls);
  m.def("get_platforms", &get_platforms,
        R"(List the platforms of this machine that have devices.

Returns:
    A list of SyclPlatforms, in the order of ``get_devices()``.

Example:
    >>> usmx.SyclDevice().sycl_platform in usmx.get_platforms()
    True)");
}

}  // namespace usmx::bindings
