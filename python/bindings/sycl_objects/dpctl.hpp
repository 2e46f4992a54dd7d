// dpctl: its classes, which usmx knows without ever importing them; the Python objects for queues,
// contexts, devices and events; the queues that dpctl keeps; and its order manager.
#pragma once

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "support/declare.hpp"
#include "support/nanobind.hpp"
#include "sycl_objects/classes.hpp"

namespace usmx::bindings {

// Access to the classes of dpctl and dpnp. usmx never imports these packages: an object can only be
// one of theirs if their modules are loaded already.

/// A module if it is loaded; a null object if it is not. Never imports it.
nb::object loaded_module(interned& name);

/// The queue, context, device or event inside dpctl's object of that class, through dpctl's C
/// interface. Null for any other object, and if that interface is not the known one; then use the
/// object's _get_capsule(). Throws runtime_conflict when there is another SYCL runtime that dpctl
/// may use.
template <class T>
const T* as_dpctl(PyObject* object);

/// The queue, context, device or event inside an object of usmx's or dpctl's class; null for any
/// other object.
template <class T>
const T* value_of_either(PyObject* object) {
  const T* own = value_in<T>(object);
  return own == nullptr ? as_dpctl<T>(object) : own;
}

/// Whether dpctl is loaded, with the known C interface.
bool are_dpctls_classes_known();

/// Whether `data[1]` of a producer's dictionary means what the protocol says. It does not for
/// dpctl's memory classes, and for subclasses with the same dictionary: they write True for
/// writable memory.
bool has_truthful_readonly_flag(PyObject* producer);

/// Whether a producer is an array of dpnp's. Work on its memory that dpnp has submitted is known to
/// dpctl's order manager (order_manager.hpp).
bool is_dpnp_array(PyObject* producer);

/// A new memory object of dpctl's for `nbytes` bytes on a queue, which keeps `owner` alive. A null
/// object if dpctl is not loaded, or has no such function.
nb::object new_dpctl_memory(void* first, std::size_t nbytes, const sycl::queue&, nb::handle owner);

/// The object that a chain of dpctl's and dpnp's own wrappers keeps alive: objects of these classes
/// only keep something else alive. The object itself if it is of another class. A subclass may do
/// more, such as reuse the memory when its object is destroyed.
nb::object kept_by_wrappers(PyObject* producer);

// The Python objects for queues, contexts, devices and events. In a process that has loaded dpctl
// they are of dpctl's classes, since dpnp, dpctl and scikit-learn-intelex accept no others
// (docs/decisions.md, 49). Otherwise they are usmx's own.

/// The object for a queue that code outside usmx gets. For a cached queue it holds the queue that
/// dpctl keeps for the device. It depends on the queue alone, and is the same one as long as any
/// reference to it lives. Its holder may submit work that usmx does not see.
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
  declare_attribute<"def sycl_queue(self) -> SyclQueue">(
      cls, [object_of](const T& self) { return object_of(self); },
      "The queue: where other packages work on the memory.");
  declare_attribute<"def sycl_context(self) -> SyclContext">(
      cls, [queue_of](const T& self) { return context_object(queue_of(self)); },
      "The context of the queue.");
  declare_attribute<"def sycl_device(self) -> SyclDevice">(
      cls, [queue_of](const T& self) { return device_object(queue_of(self)); },
      "The device of the queue.");
  declare_attribute<"def _own_queue(self) -> SyclQueue">(
      cls, [queue_of](const T& self) { return own_object(queue_of(self)); },
      "The queue: where usmx works on the memory.");
}

// The queues that dpctl keeps for devices, on which default arrays of dpctl and dpnp are: found as
// soon as dpctl is loaded, and made known to the library, which then shows them instead of its own.

/// Finds dpctl's queues for the devices on which usmx has queues, as soon as dpctl is loaded.
/// Called before anything that may wait, because a consumer may have put memory that left earlier
/// on such a queue. Takes nanoseconds if nothing has changed.
void look_for_peers();

/// Finds dpctl's queue for the device of a queue that goes out or comes in, also where usmx has no
/// queue yet.
void look_for_peers_of(const sycl::queue&);

// The order of usmx's work and dpnp's: dpnp keeps the events of its unfinished work in dpctl's
// order manager, and submits new work after them. usmx takes its events from there, and adds its
// own (src/runtime/queues.hpp).

/// Lets the library ask and tell the order manager from now on.
void connect_order_manager() noexcept;

}  // namespace usmx::bindings
