#include "sycl_objects/classes.hpp"

#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// A new context of several devices.
sycl::context context_of_all(nb::handle devices) {
  require_usable_process();
  std::vector<sycl::device> all;
  for (nb::handle each : devices) {
    const auto* device = value_of_either<sycl::device>(each.ptr());
    if (device == nullptr) {
      throw_not_accepted("SyclContext", "SyclDevices in a tuple or list", each);
    }
    all.push_back(*device);
  }
  if (all.empty()) {
    throw value_error("SyclContext takes at least one device, found none");
  }
  return creating(failure::context, [&] { return sycl::context(all); });
}

sycl::context construct_context(nb::handle argument) {
  if (PyCapsule_CheckExact(argument.ptr())) {
    return take_context(argument.ptr());
  }
  if (const auto* context = value_of_either<sycl::context>(argument.ptr())) {
    return *context;
  }
  if (nb::isinstance<nb::tuple>(argument) || nb::isinstance<nb::list>(argument)) {
    return context_of_all(argument);
  }
  if (argument.is_none() || nb::isinstance<nb::str>(argument) ||
      value_of_either<sycl::device>(argument.ptr()) != nullptr) {
    return creating(failure::context, [&] { return context_of(construct_device(argument)); });
  }
  throw_not_accepted("SyclContext",
                     "nothing, a filter string, a SyclDevice, several of them in a tuple or list, "
                     "a SyclContext or a capsule 'SyclContextRef'",
                     argument);
}

template <class Info>
nb::object capabilities(const sycl::context& context) {
  return to_python(context.get_info<Info>());
}

/// The devices of a context. In a forked child, the runtime would answer with devices that cannot
/// be used there.
std::vector<sycl::device> devices_of(const sycl::context& context) {
  require_usable_process();
  return context.get_devices();
}

std::string text_of_context(const sycl::context& context) {
  std::string text = "<SyclContext of";
  for (const sycl::device& device : devices_of(context)) {
    text += ' ';
    text += device_name(device);
  }
  return text + ">";
}

}  // namespace

sycl::context context_of(const sycl::device& device) {
  return parent_device(device) ? sycl::context(device) : default_context(device);
}

void bind_sycl_context(nb::module_& m) {
  nb::class_<sycl::context> cls(m, "SyclContext",
                                "A SYCL context: what USM pointers are bound to.");
  declare<
      "def __init__(self, arg: str | SyclDevice | typing.Sequence[SyclDevice] | SyclContext | "
      "typing_extensions.CapsuleType | None = None) -> None">(cls, init_by(&construct_context),
                                                              docstring("SyclContext.__init__"));
  cls.def("get_devices", &devices_of, "List the devices of the context.")
      .def_prop_ro(
          "device_count", [](const sycl::context& c) { return devices_of(c).size(); },
          "The number of devices of the context.");
  declare_attribute<"def sycl_platform(self) -> SyclPlatform">(
      cls,
      [](const sycl::context& c) {
        require_usable_process();
        return to_python(c.get_platform());
      },
      "The platform of its devices.");
  cls.def(
      "addressof_ref", [](const sycl::context& c) { return reinterpret_cast<std::uintptr_t>(&c); },
      "The address of the C++ object, a sycl::context, which lives as long as this object.");
  declare<"def _get_capsule(self) -> typing_extensions.CapsuleType">(
      cls, [](const sycl::context& c) { return to_capsule(c); },
      "A new capsule 'SyclContextRef' that owns a copy.");
  namespace id = sycl::info::context;
  const auto orders_and_scopes = [&](const char* name, nb::object (*ask)(const sycl::context&),
                                     const char* signature, const char* doc) {
    cls.def_prop_ro(
        name,
        [ask](const sycl::context& context) {
          require_usable_process();
          const internal::kept_thread_state kept;
          return ask(context);
        },
        nb::sig(signature), doc);
  };
  orders_and_scopes(
      "atomic_memory_order_capabilities", capabilities<id::atomic_memory_order_capabilities>,
      "def atomic_memory_order_capabilities(self) -> tuple[memory_order, ...]",
      "The memory orders of atomic operations on all its devices, members of memory_order.");
  orders_and_scopes("atomic_fence_order_capabilities",
                    capabilities<id::atomic_fence_order_capabilities>,
                    "def atomic_fence_order_capabilities(self) -> tuple[memory_order, ...]",
                    "The memory orders of fences on all its devices, members of memory_order.");
  orders_and_scopes("atomic_memory_scope_capabilities",
                    capabilities<id::atomic_memory_scope_capabilities>,
                    "def atomic_memory_scope_capabilities(self) -> tuple[memory_scope, ...]",
                    "The scopes of atomic operations on all its devices, members of memory_scope.");
  orders_and_scopes("atomic_fence_scope_capabilities",
                    capabilities<id::atomic_fence_scope_capabilities>,
                    "def atomic_fence_scope_capabilities(self) -> tuple[memory_scope, ...]",
                    "The scopes of fences on all its devices, members of memory_scope.");
  bind_value_semantics(cls, &value_of_either<sycl::context>);
  cls.def("__repr__", &text_of_context);
  bind_name_of_class(cls);
  set_python_class<sycl::context>(cls);
}

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
std::string platform_info(const sycl::platform& platform) {
  require_usable_process();
  return platform.get_info<Info>();
}

std::vector<sycl::device> composite_devices(const sycl::platform& platform) {
  require_usable_process();
  return platform.ext_oneapi_get_composite_devices();
}

/// The platforms that have devices, in the order of get_devices().
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
  declare<"def __init__(self, arg: str | SyclPlatform | None = None) -> None">(
      cls, init_by(&construct_platform), docstring("SyclPlatform.__init__"));
  cls.def_prop_ro("name", platform_info<id::name>, "The name that the driver gives.")
      .def_prop_ro("vendor", platform_info<id::vendor>, "The vendor that the driver names.")
      .def_prop_ro("version", platform_info<id::version>, "The version of the driver's interface.");
  declare_attribute<"def backend(self) -> backend_type">(
      cls,
      [](const sycl::platform& platform) {
        require_usable_process();
        return to_python(platform.get_backend());
      },
      "The back end, a member of backend_type.");
  declare_attribute<"def default_context(self) -> SyclContext">(
      cls,
      [](const sycl::platform& platform) {
        require_usable_process();
        return to_python(platform.khr_get_default_context());
      },
      "The context of all root devices of the platform, which all users share.");
  cls.def(
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
    return detail::message("<SyclPlatform ", platform_info<id::name>(platform), ", ",
                           platform_info<id::vendor>(platform), ", ",
                           platform_info<id::version>(platform), ">");
  });
  bind_name_of_class(cls);
  set_python_class<sycl::platform>(cls);
  m.def("get_platforms", &get_platforms, docstring("get_platforms"));
}

}  // namespace usmx::bindings
