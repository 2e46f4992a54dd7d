#include "sycl_objects/classes.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "sycl_objects/capsules.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

sycl::context construct_context(nb::handle argument) {
  if (PyCapsule_CheckExact(argument.ptr())) {
    return take_context(argument.ptr());
  }
  if (const auto* context = value_of_either<sycl::context>(argument.ptr())) {
    return *context;
  }
  if (argument.is_none() || nb::isinstance<nb::str>(argument) ||
      value_of_either<sycl::device>(argument.ptr()) != nullptr) {
    return default_context(construct_device(argument));
  }
  throw_not_accepted("SyclContext",
                     "nothing, a filter string, a SyclDevice, a SyclContext or a "
                     "capsule 'SyclContextRef'",
                     argument);
}

std::string text_of_context(const sycl::context& context) {
  std::string text = "<SyclContext of";
  for (const sycl::device& device : context.get_devices()) {
    text += ' ';
    text += device_name(device);
  }
  return text + ">";
}

}  // namespace

void bind_sycl_context(nb::module_& m) {
  nb::class_<sycl::context> cls(m, "SyclContext",
                                "A SYCL context: what USM pointers are bound to.");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<sycl::context> self, nb::handle arg) {
           initialize(self, [&] { return construct_context(arg); });
         },
         nb::arg("arg") = nb::none(),
         nb::sig("def __init__(self, arg: str | SyclDevice | SyclContext | "
                 "typing_extensions.CapsuleType | "
                 "None = None) -> None"),
         R"(Find a context, or take one from elsewhere.

Args:
    arg: a filter string or a SyclDevice, for the default context of its platform; None for that of the default
        device; a SyclContext, for the same context; or a capsule 'SyclContextRef', of which a copy is taken. The
        capsule is renamed and cannot be used twice.

Example:
    >>> usmx.SyclContext().device_count >= 1
    True)")
      .def("get_devices", &sycl::context::get_devices, "List the devices of the context.")
      .def_prop_ro(
          "device_count", [](const sycl::context& c) { return c.get_devices().size(); },
          "The number of devices of the context.")
      .def(
          "_get_capsule", [](const sycl::context& c) { return to_capsule(c); },
          nb::sig("def _get_capsule(self) -> typing_extensions.CapsuleType"),
          "A new capsule 'SyclContextRef' that owns a copy.");
  bind_value_semantics(cls, &value_of_either<sycl::context>);
  cls.def("__repr__", &text_of_context);
  set_python_class<sycl::context>(cls);
}

}  // namespace usmx::bindings
