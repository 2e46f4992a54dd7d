#include "sycl_objects.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include <sycl/properties/queue_properties.hpp>

#include "arguments.hpp"
#include "capsules.hpp"
#include "syclobj.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::bindings {
namespace {

PyTypeObject* device_type = nullptr;
PyTypeObject* context_type = nullptr;
PyTypeObject* queue_type = nullptr;

template <class T>
const T* value_in(PyObject* object, PyTypeObject* type) {
  return PyObject_TypeCheck(object, type) ? &ready_instance<T>(object) : nullptr;
}

[[noreturn]] void throw_not_accepted(const char* what, const char* accepted, nb::handle found) {
  throw type_error(
      detail::message(what, " takes ", accepted, ", found ", Py_TYPE(found.ptr())->tp_name));
}

sycl::device device_from(nb::handle argument) {
  if (argument.is_none()) {
    return default_device();
  }
  if (nb::isinstance<nb::str>(argument)) {
    return select_device(to_text("filter selector", argument.ptr()));
  }
  if (const sycl::device* device = as_device(argument.ptr())) {
    return *device;
  }
  throw_not_accepted("SyclDevice", "nothing, a filter string or a SyclDevice", argument);
}

sycl::context context_from(nb::handle argument) {
  if (PyCapsule_CheckExact(argument.ptr())) {
    return take_context(argument.ptr());
  }
  if (const sycl::context* context = as_context(argument.ptr())) {
    return *context;
  }
  if (argument.is_none() || nb::isinstance<nb::str>(argument) || as_device(argument.ptr())) {
    return default_context(device_from(argument));
  }
  throw_not_accepted("SyclContext",
                     "nothing, a filter string, a SyclDevice, a SyclContext or a "
                     "capsule 'SyclContextRef'",
                     argument);
}

sycl::property_list queue_properties(nb::handle property) {
  if (property.is_none()) {
    return {};
  }
  bool in_order = false;
  bool profiling = false;
  const auto add = [&](nb::handle item) {
    if (!nb::isinstance<nb::str>(item)) {
      throw_not_accepted("property", "'default', 'in_order', 'enable_profiling' or a tuple of them",
                         item);
    }
    const auto text = to_text("property", item.ptr());
    if (text == "in_order") {
      in_order = true;
    } else if (text == "enable_profiling") {
      profiling = true;
    } else if (text != "default") {
      throw value_error(detail::message(
          "property must be 'default', 'in_order' or 'enable_profiling', found '", text, "'"));
    }
  };
  if (nb::isinstance<nb::tuple>(property) || nb::isinstance<nb::list>(property)) {
    for (nb::handle item : property) {
      add(item);
    }
  } else {
    add(property);
  }
  using sycl::property::queue::enable_profiling;
  if (in_order && profiling) {
    return {sycl::property::queue::in_order(), enable_profiling()};
  }
  if (in_order) {
    return {sycl::property::queue::in_order()};
  }
  return profiling ? sycl::property_list{enable_profiling()} : sycl::property_list{};
}

sycl::queue queue_from(nb::handle argument, nb::handle property) {
  const sycl::queue* queue = as_queue(argument.ptr());
  const bool exists = queue != nullptr || PyCapsule_CheckExact(argument.ptr());
  if (exists && !property.is_none()) {
    throw type_error("property is for a new queue, found a SyclQueue or capsule that exists");
  }
  if (exists) {
    return queue != nullptr ? *queue : take_queue(argument.ptr());
  }
  if (argument.is_none() || nb::isinstance<nb::str>(argument) || as_device(argument.ptr())) {
    const sycl::device device = device_from(argument);
    return {default_context(device), device, queue_properties(property)};
  }
  throw_not_accepted("SyclQueue",
                     "nothing, a filter string, a SyclDevice, a SyclQueue, a "
                     "SyclContext and a SyclDevice, or a capsule 'SyclQueueRef'",
                     argument);
}

sycl::queue queue_of_context(nb::handle context, nb::handle device, nb::handle property) {
  const sycl::context* c = as_context(context.ptr());
  if (c == nullptr) {
    throw_not_accepted("SyclQueue", "a SyclContext before a SyclDevice", context);
  }
  const sycl::device* d = as_device(device.ptr());
  if (d == nullptr) {
    throw_not_accepted("SyclQueue", "a SyclDevice after a SyclContext", device);
  }
  require_usable_process();
  const std::vector<sycl::device> members = c->get_devices();
  if (std::ranges::find(members, *d) == members.end()) {
    throw value_error(detail::message("device must be one of the context's, found ", describe(*d),
                                      " with ", describe(*c)));
  }
  return {*c, *d, queue_properties(property)};
}

/// filter_string, or a description of a sub-device, which has none: for repr.
std::string name_of(const sycl::device& device) {
  try {
    return "'" + filter_string(device) + "'";
  } catch (const value_error&) {
    return "<sub-device of " + describe(device) + ">";
  }
}

std::string repr(const sycl::device& device) { return "SyclDevice(" + name_of(device) + ")"; }

std::string repr(const sycl::context& context) {
  std::string text = "<SyclContext of";
  for (const sycl::device& device : context.get_devices()) {
    text += " " + name_of(device);
  }
  return text + ">";
}

std::string repr(const sycl::queue& queue) {
  return "<SyclQueue on " + name_of(queue.get_device()) +
         (queue.is_in_order() ? ", in order>" : ", out of order>");
}

/// Equality and hash as SYCL has them, for any of the three.
template <class T>
void bind_value_semantics(nb::class_<T>& cls) {
  cls.def(
         "__eq__", [](const T& a, const T& b) { return a == b; }, nb::is_operator())
      .def(
          "__ne__", [](const T& a, const T& b) { return a != b; }, nb::is_operator())
      .def("__hash__", [](const T& a) { return std::hash<T>{}(a); })
      .def("__repr__", [](const T& a) { return repr(a); });
}

template <class Info>
auto info() {
  return [](const sycl::device& d) {
    require_usable_process();
    return d.get_info<Info>();
  };
}

void bind_device(nb::module_& m) {
  namespace id = sycl::info::device;
  nb::class_<sycl::device> cls(m, "SyclDevice", "A SYCL device. Equal when it is the same device.");
  cls.def(
         "__init__",
         [](sycl::device* self, nb::handle arg) { new (self) sycl::device(device_from(arg)); },
         nb::arg("arg") = nb::none(),
         nb::sig("def __init__(self, arg: str | SyclDevice | None = None) -> None"),
         "The default device, or the one a filter selector `backend:device_type:relative_id` "
         "names (any part may be left out, a comma means \"else\").\n\n"
         "Raises ValueError for what is no filter selector, SyclDeviceCreationError when no device "
         "matches.")
      .def_prop_ro("name", info<id::name>())
      .def_prop_ro("vendor", info<id::vendor>())
      .def_prop_ro("driver_version", info<id::driver_version>())
      .def_prop_ro("global_mem_size", info<id::global_mem_size>(), "Bytes.")
      .def_prop_ro("local_mem_size", info<id::local_mem_size>(), "Bytes.")
      .def_prop_ro("max_compute_units", info<id::max_compute_units>())
      .def_prop_ro(
          "backend", [](const sycl::device& d) { return backend_name(d.get_backend()); },
          "As filter selectors spell it: 'opencl', 'level_zero', 'cuda', ...")
      .def_prop_ro("device_type", &device_type_name,
                   "As filter selectors spell it: 'cpu', 'gpu', ...")
      .def_prop_ro("filter_string", &filter_string,
                   "`backend:device_type:relative_id`. Raises ValueError for a sub-device.")
      .def_prop_ro("is_cpu", &sycl::device::is_cpu)
      .def_prop_ro("is_gpu", &sycl::device::is_gpu)
      .def_prop_ro("is_accelerator", &sycl::device::is_accelerator);
  const auto aspect = [&](const char* name, sycl::aspect which) {
    cls.def_prop_ro(name, [which](const sycl::device& d) { return d.has(which); });
  };
  aspect("has_aspect_fp16", sycl::aspect::fp16);
  aspect("has_aspect_fp64", sycl::aspect::fp64);
  aspect("has_aspect_usm_device_allocations", sycl::aspect::usm_device_allocations);
  aspect("has_aspect_usm_host_allocations", sycl::aspect::usm_host_allocations);
  aspect("has_aspect_usm_shared_allocations", sycl::aspect::usm_shared_allocations);
  aspect("has_aspect_usm_system_allocations", sycl::aspect::usm_system_allocations);
  bind_value_semantics(cls);
  device_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
}

void bind_context(nb::module_& m) {
  nb::class_<sycl::context> cls(m, "SyclContext",
                                "A SYCL context: what USM pointers are bound to.");
  cls.def(
         "__init__",
         [](sycl::context* self, nb::handle arg) { new (self) sycl::context(context_from(arg)); },
         nb::arg("arg") = nb::none(),
         nb::sig("def __init__(self, arg: str | SyclDevice | SyclContext | "
                 "typing_extensions.CapsuleType | "
                 "None = None) -> None"),
         "The platform default context of a device (by default the default one), the same context "
         "again, or a copy of what a capsule 'SyclContextRef' holds (the capsule is renamed and "
         "cannot be used twice).")
      .def("get_devices", &sycl::context::get_devices)
      .def_prop_ro("device_count", [](const sycl::context& c) { return c.get_devices().size(); })
      .def(
          "_get_capsule", [](const sycl::context& c) { return to_capsule(c); },
          nb::sig("def _get_capsule(self) -> typing_extensions.CapsuleType"),
          "A new capsule 'SyclContextRef' that owns a copy.");
  bind_value_semantics(cls);
  context_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
}

void bind_queue(nb::module_& m) {
  nb::class_<sycl::queue> cls(m, "SyclQueue", nb::pooled(),
                              "A SYCL queue: a device, a context, and an order of work.");
  cls.def(
         "__init__",
         [](sycl::queue* self, nb::handle arg, nb::handle property) {
           new (self) sycl::queue(queue_from(arg, property));
         },
         nb::arg("arg") = nb::none(), nb::kw_only(), nb::arg("property") = nb::none(),
         nb::sig("def __init__(self, arg: str | SyclDevice | SyclQueue | "
                 "typing_extensions.CapsuleType | None "
                 "= None, *, property: str | tuple[str, ...] | list[str] | None = None) -> None"),
         "A new queue on a device (by default the default one) in its platform's default context, "
         "the same queue again, or a copy of what a capsule 'SyclQueueRef' holds (the capsule is "
         "renamed and cannot be used twice). Out of order unless `property` says 'in_order'.")
      .def(
          "__init__",
          [](sycl::queue* self, nb::handle context, nb::handle device, nb::handle property) {
            new (self) sycl::queue(queue_of_context(context, device, property));
          },
          nb::arg("context"), nb::arg("device"), nb::kw_only(), nb::arg("property") = nb::none(),
          nb::sig("def __init__(self, context: SyclContext, device: SyclDevice, *, property: str | "
                  "tuple[str, ...] | list[str] | None = None) -> None"))
      .def_prop_ro("sycl_device", &sycl::queue::get_device)
      .def_prop_ro("sycl_context", &sycl::queue::get_context)
      .def_prop_ro("is_in_order", &sycl::queue::is_in_order)
      .def(
          "wait",
          [](sycl::queue& q) {
            require_usable_process();
            const without_interpreter_lock unlocked;
            wait_for_queue(q);
          },
          "Waits until everything submitted to the queue has finished.")
      .def(
          "_get_capsule",
          [](const sycl::queue& q) {
            note_cached_queues_exposed();
            return to_capsule(q);
          },
          nb::sig("def _get_capsule(self) -> typing_extensions.CapsuleType"),
          "A new capsule 'SyclQueueRef' that owns a copy.");
  bind_value_semantics(cls);
  queue_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
}

}  // namespace

nb::object to_python(const sycl::device& device) {
  return make_instance(nb::handle(reinterpret_cast<PyObject*>(device_type)), device);
}
nb::object to_python(const sycl::context& context) {
  return make_instance(nb::handle(reinterpret_cast<PyObject*>(context_type)), context);
}
nb::object to_python(const sycl::queue& queue) {
  return make_instance(nb::handle(reinterpret_cast<PyObject*>(queue_type)), queue);
}

const sycl::device* as_device(PyObject* object) {
  return value_in<sycl::device>(object, device_type);
}
const sycl::context* as_context(PyObject* object) {
  return value_in<sycl::context>(object, context_type);
}
const sycl::queue* as_queue(PyObject* object) { return value_in<sycl::queue>(object, queue_type); }

void bind_sycl_objects(nb::module_& m) {
  bind_device(m);
  bind_context(m);
  bind_queue(m);
  m.def("get_devices", &get_devices,
        "All root devices, in dpctl's order; an empty list when there is none.");
  m.def(
      "_queue_argument",
      [](nb::handle sycl_queue, nb::handle device) {
        return to_python(queue_argument(sycl_queue, device));
      },
      nb::arg("sycl_queue").none(), nb::arg("device").none(),
      nb::sig("def _queue_argument(sycl_queue: object, device: object) -> SyclQueue"));
  m.def("diagnose_missing_device", &diagnose_missing_device,
        "Why no device is found: what the environment says and which driver is there.");
  m.def("synchronize", &synchronize, nb::call_guard<without_interpreter_lock>(),
        "Waits until everything submitted to usmx's own queues has finished.");
}

}  // namespace usmx::bindings
