// The Python objects for queues, contexts, devices and events. In a process that has loaded dpctl
// they are of dpctl's classes, since dpnp, dpctl and scikit-learn-intelex accept no others
// (docs/decisions.md, 49). Otherwise they are usmx's own.
#pragma once

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "support/nanobind.hpp"
#include "sycl_objects/classes.hpp"

namespace usmx::bindings {

/// The object for a queue that code outside usmx gets. For a cached queue it holds the queue that
/// dpctl keeps for the device. It depends on the queue alone, and is the same one as long as
/// somebody holds it. Its holder may submit work that usmx does not see.
nb::object queue_object(const sycl::queue&);

/// The objects for a queue's context and its device.
nb::object context_object(const sycl::queue&);
nb::object device_object(const sycl::queue&);

/// Makes device_object() of a queue that is asked again fast, as long as the module lives.
void bind_latest_device(nb::module_& m);

/// Objects for a context, a device and an event that no queue gives.
nb::object context_object(const sycl::context&);
nb::object device_object(const sycl::device&);
nb::object event_object(const sycl::event&);

/// Defines the attributes sycl_queue, sycl_context and sycl_device of a class from the queue of its
/// object, and _own_queue for the package itself, which exposes nothing. `object_of` returns the
/// value of sycl_queue.
template <class Class, class QueueOf, class ObjectOf>
void bind_where(Class& cls, QueueOf queue_of, ObjectOf object_of) {
  using T = typename Class::Type;
  cls.def_prop_ro(
         "sycl_queue", [object_of](const T& self) { return object_of(self); },
         nb::sig("def sycl_queue(self) -> SyclQueue"),
         "The queue: where other packages work on the memory.")
      .def_prop_ro(
          "sycl_context", [queue_of](const T& self) { return context_object(queue_of(self)); },
          nb::sig("def sycl_context(self) -> SyclContext"), "The context of the queue.")
      .def_prop_ro(
          "sycl_device", [queue_of](const T& self) { return device_object(queue_of(self)); },
          nb::sig("def sycl_device(self) -> SyclDevice"), "The device of the queue.")
      .def_prop_ro(
          "_own_queue", [queue_of](const T& self) { return own_object(queue_of(self)); },
          nb::sig("def _own_queue(self) -> SyclQueue"),
          "The queue: where usmx works on the memory.");
}

}  // namespace usmx::bindings
