#include "sycl_objects/classes.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include <sycl/properties/queue_properties.hpp>

#include "internals.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/capsules.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl_objects.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "sycl_objects/peers_queues.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::bindings {
namespace {

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
    const sycl::device device = construct_device(argument);
    return {default_context(device), device, queue_properties(property)};
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
  const std::vector<sycl::device> members = c->get_devices();
  if (std::ranges::find(members, *d) == members.end()) {
    throw value_error(detail::message("device must be one of the context's, found ", describe(*d),
                                      " with ", describe(*c)));
  }
  return {*c, *d, queue_properties(property)};
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

void bind_sycl_queue(nb::module_& m) {
  auto cls = pooled_class<sycl::queue>(m, "SyclQueue",
                                       "A SYCL queue: a device, a context, and an order of work.");
  bind_new(cls, &queue_object,
           "def __new__(cls, *args: typing.Any, **kwargs: typing.Any) -> SyclQueue");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<sycl::queue> self, nb::handle arg, nb::handle property) {
           initialize(self, [&] { return construct_queue(arg, property); });
         },
         nb::arg("arg") = nb::none(), nb::kw_only(), nb::arg("property") = nb::none(),
         nb::sig("def __init__(self, arg: str | SyclDevice | SyclQueue | "
                 "typing_extensions.CapsuleType | None "
                 "= None, *, property: str | tuple[str, ...] | list[str] | None = None) -> None"),
         R"(Make a queue, or take one from elsewhere.

Args:
    arg: a filter string or a SyclDevice, for a new queue in the default context of the device's platform; None
        for one on the default device; a SyclQueue, for the same queue; or a capsule 'SyclQueueRef', of which a
        copy is taken. The capsule is renamed and cannot be used twice.
    context, device: the context and the device of a new queue.
    property: 'in_order', 'enable_profiling', or several in a tuple or list. A queue is out of order unless
        told otherwise.

Raises:
    SyclDeviceCreationError: no device matches.
    ValueError: an argument has a value that is not accepted.
    TypeError: an argument has a wrong type.

Example:
    >>> usmx.SyclQueue(property='in_order').is_in_order
    True)")
      .def(
          "__init__",
          [](nb::pointer_and_handle<sycl::queue> self, nb::handle context, nb::handle device,
             nb::handle property) {
            initialize(self, [&] { return construct_queue(context, device, property); });
          },
          nb::arg("context"), nb::arg("device"), nb::kw_only(), nb::arg("property") = nb::none(),
          nb::sig("def __init__(self, context: SyclContext, device: SyclDevice, *, property: str | "
                  "tuple[str, ...] | list[str] | None = None) -> None"))
      .def_prop_ro("sycl_device", &sycl::queue::get_device, "The device of the queue.")
      .def_prop_ro("sycl_context", &sycl::queue::get_context, "The context of the queue.")
      .def_prop_ro("is_in_order", &sycl::queue::is_in_order,
                   "Whether commands run in the order in which they were submitted.")
      .def(
          "wait", [](const sycl::queue& q) { internal::wait_for_both(q); },
          nb::call_guard<without_interpreter_lock>(),
          "Wait until everything submitted to the queue has finished. Other Python threads run "
          "meanwhile.")
      .def(
          "_get_capsule",
          [](const sycl::queue& q) {
            look_for_peers_of(q);
            return to_capsule(internal::handed_out(q));
          },
          nb::sig("def _get_capsule(self) -> typing_extensions.CapsuleType"),
          "A new capsule 'SyclQueueRef' that owns a copy.");
  bind_value_semantics(cls, &value_of_either<sycl::queue>);
  cls.def("__repr__", &text_of_queue);
  set_python_class<sycl::queue>(cls);
  // For dpctl's objects, of usmx's subclass.
  m.def(
      "_wait_for_queue",
      [](nb::handle queue) {
        const sycl::queue waited_for = any_queue(queue);
        const without_interpreter_lock unlocked;
        internal::wait_for_both(waited_for);
      },
      nb::arg("queue"), nb::sig("def _wait_for_queue(queue: object) -> None"));
  m.def(
      "_queue_text", [](nb::handle queue) { return text_of_queue(any_queue(queue)); },
      nb::arg("queue"), nb::sig("def _queue_text(queue: object) -> str"));
  m.def("synchronize", &synchronize, nb::call_guard<without_interpreter_lock>(),
        R"(Wait until everything submitted to the queues that usmx keeps has finished.

This includes dpctl's queues for the same devices, once dpctl is loaded. Memory that waited for that work to be
freed is freed then.

Example:
    >>> usmx.synchronize())");
}

}  // namespace usmx::bindings
