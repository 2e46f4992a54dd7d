#include "sycl_objects/classes.hpp"

#include <algorithm>

#include <sycl/properties/queue_properties.hpp>

#include "internals.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::bindings {
namespace {

/// dpctl's numbers for properties, which may be added.
constexpr long with_profiling = 1;
constexpr long in_order_number = 2;

[[noreturn]] void throw_unknown_property(nb::handle item) {
  throw value_error(
      detail::message("property must be 'default', 'in_order' or 'enable_profiling', found ",
                      repr_text(item.ptr())));
}

long property_number(nb::handle item) {
  if (PyLong_Check(item.ptr()) != 0) {
    const long number = PyLong_AsLong(item.ptr());
    if (number >= 0 && number <= (with_profiling | in_order_number)) {
      return number;
    }
    PyErr_Clear();  // -1 for a number that does not fit
  } else if (nb::isinstance<nb::str>(item)) {
    const auto text = to_text("property", item.ptr());
    if (text == "default") {
      return 0;
    }
    if (text == "in_order") {
      return in_order_number;
    }
    if (text == "enable_profiling") {
      return with_profiling;
    }
  }
  throw_unknown_property(item);
}

sycl::property_list queue_properties(nb::handle property) {
  long wanted = 0;
  if (nb::isinstance<nb::tuple>(property) || nb::isinstance<nb::list>(property)) {
    for (nb::handle item : property) {
      wanted |= property_number(item);
    }
  } else if (!property.is_none()) {
    wanted = property_number(property);
  }
  using sycl::property::queue::enable_profiling;
  using sycl::property::queue::in_order;
  switch (wanted) {
    case with_profiling | in_order_number:
      return {in_order(), enable_profiling()};
    case in_order_number:
      return {in_order()};
    case with_profiling:
      return {enable_profiling()};
    default:
      return {};
  }
}

bool is_in(const sycl::context& context, const sycl::device& device) {
  const std::vector<sycl::device> members = context.get_devices();
  return std::ranges::find(members, device) != members.end();
}

sycl::queue construct_queue(nb::handle argument, nb::handle property) {
  const auto* queue = value_of_either<sycl::queue>(argument.ptr());
  const bool exists = queue != nullptr || PyCapsule_CheckExact(argument.ptr());
  if (exists && !property.is_none()) {
    throw type_error("property is for a new queue, found a SyclQueue or capsule that exists");
  }
  if (exists) {
    return queue != nullptr ? *queue : take_queue(argument.ptr());
  }
  if (argument.is_none() || nb::isinstance<nb::str>(argument) ||
      value_of_either<sycl::device>(argument.ptr()) != nullptr) {
    const sycl::property_list properties = queue_properties(property);
    return creating(failure::queue, [&] {
      const sycl::device device = construct_device(argument);
      return sycl::queue(context_of(device), device, properties);
    });
  }
  throw_not_accepted("SyclQueue",
                     "nothing, a filter string, a SyclDevice, a SyclQueue, a "
                     "SyclContext and a SyclDevice, or a capsule 'SyclQueueRef'",
                     argument);
}

sycl::queue construct_queue(nb::handle context, nb::handle device, nb::handle property) {
  const auto* c = value_of_either<sycl::context>(context.ptr());
  if (c == nullptr) {
    throw_not_accepted("SyclQueue", "a SyclContext before a SyclDevice", context);
  }
  const auto* d = value_of_either<sycl::device>(device.ptr());
  if (d == nullptr) {
    throw_not_accepted("SyclQueue", "a SyclDevice after a SyclContext", device);
  }
  require_usable_process();
  const sycl::property_list properties = queue_properties(property);
  return creating(failure::queue, [&] {
    if (!is_in(*c, *d)) {
      throw value_error(detail::message("device must be one of the context's, found ", describe(*d),
                                        " with ", describe(*c)));
    }
    return sycl::queue(*c, *d, properties);
  });
}

const sycl::queue& any_queue(nb::handle object) {
  const auto* queue = value_of_either<sycl::queue>(object.ptr());
  if (queue == nullptr) {
    throw_not_accepted("this function", "a SyclQueue", object);
  }
  return *queue;
}

std::string text_of_queue(const sycl::queue& queue) {
  return "<SyclQueue on " + device_name(queue.get_device()) +
         (queue.is_in_order() ? ", in order>" : ", out of order>");
}

}  // namespace

nb::class_<sycl::queue> bind_sycl_queue(nb::module_& m) {
  auto cls = pooled_class<sycl::queue>(m, "SyclQueue",
                                       "A SYCL queue: a device, a context, and an order of work.");
  bind_new<"def __new__(cls, *args: typing.Any, **kwargs: typing.Any) -> SyclQueue">(cls,
                                                                                     &queue_object);
  declare<
      "def __init__(self, arg: str | SyclDevice | SyclQueue | typing_extensions.CapsuleType | None "
      "= None, *, property: QueueProperty | tuple[QueueProperty, ...] | list[QueueProperty] | None "
      "= None) -> None">(cls, init_by(+[](nb::handle arg, nb::handle property) {
                           return construct_queue(arg, property);
                         }),
                         docstring("SyclQueue.__init__"));
  declare<
      "def __init__(self, context: SyclContext, device: SyclDevice, *, property: QueueProperty | "
      "tuple[QueueProperty, ...] | list[QueueProperty] | None = None) -> None">(
      cls, init_by(+[](nb::handle context, nb::handle device, nb::handle property) {
        return construct_queue(context, device, property);
      }));
  cls.def_prop_ro("sycl_device", &sycl::queue::get_device, "The device of the queue.")
      .def_prop_ro("sycl_context", &sycl::queue::get_context, "The context of the queue.")
      .def("get_sycl_device", &sycl::queue::get_device, "sycl_device as a method.")
      .def("get_sycl_context", &sycl::queue::get_context, "sycl_context as a method.")
      .def_prop_ro("is_in_order", &sycl::queue::is_in_order,
                   "Whether commands run in the order in which they were submitted.")
      .def_prop_ro(
          "has_enable_profiling",
          [](const sycl::queue& q) {
            return q.has_property<sycl::property::queue::enable_profiling>();
          },
          "Whether the queue measures times: events have ``profiling_info_start`` and the like.")
      .def(
          "print_device_info", [](const sycl::queue& q) { print_device_info(q.get_device()); },
          "Print name, driver version, vendor and filter string of the device.")
      .def(
          "addressof_ref",
          [](const sycl::queue& q) {
            look_for_peers_of(q);
            static_cast<void>(internal::handed_out(q));
            return reinterpret_cast<std::uintptr_t>(&q);
          },
          "The address of the C++ object, a sycl::queue, which lives as long as this object.")
      .def(
          "wait", [](const sycl::queue& q) { internal::wait_for_both(q); },
          nb::call_guard<without_interpreter_lock>(),
          "Wait until everything submitted to the queue has finished. Other Python threads run "
          "meanwhile.");
  declare<"def _get_capsule(self) -> typing_extensions.CapsuleType">(
      cls,
      [](const sycl::queue& q) {
        look_for_peers_of(q);
        return to_capsule(internal::handed_out(q));
      },
      "A new capsule 'SyclQueueRef' that owns a copy.");
  const auto of_device = [&](const char* name, const char* signature, const char* doc) {
    cls.def_prop_ro(
        name,
        [name](const sycl::queue& q) { return nb::object(to_python(q.get_device()).attr(name)); },
        nb::sig(signature), doc);
  };
  of_device("name", "def name(self) -> str", "The name of the device.");
  of_device("driver_version", "def driver_version(self) -> str", "The version of its driver.");
  of_device("backend", "def backend(self) -> backend_type",
            "The back end, a member of backend_type.");
  bind_value_semantics(cls, &value_of_either<sycl::queue>);
  cls.def("__repr__", &text_of_queue);
  bind_name_of_class(cls);
  keep_thread_state_at_end(cls);
  set_python_class<sycl::queue>(cls);
  // The function serves objects of usmx's subclass of dpctl's class.
  declare<"def _own_queue(queue: Any) -> SyclQueue">(
      m, [](nb::handle queue) { return own_object(any_queue(queue)); });
  m.def("synchronize", &synchronize, nb::call_guard<without_interpreter_lock>(),
        docstring("synchronize"));
  return cls;
}

}  // namespace usmx::bindings
