// What usmx knows of the classes of dpctl and dpnp, without ever importing them: an object can only
// be one of theirs if their modules are loaded already.
#pragma once

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// A module if it is loaded; a null object if it is not. Never imports it.
nb::object loaded_module(interned& name);

/// The queue, context, device or event inside dpctl's object of that class, through dpctl's C
/// interface. Null for any other object, and if that interface is not the known one; then use the
/// object's _get_capsule(). Throws runtime_conflict when there is another SYCL runtime that dpctl
/// may use.
template <class T>
const T* as_dpctl(PyObject* object);
template <>
const sycl::queue* as_dpctl(PyObject* object);
template <>
const sycl::context* as_dpctl(PyObject* object);
template <>
const sycl::device* as_dpctl(PyObject* object);
template <>
const sycl::event* as_dpctl(PyObject* object);

/// The same for usmx's and dpctl's objects.
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
/// object where dpctl is not loaded, or has no such function.
nb::object new_dpctl_memory(void* first, std::size_t nbytes, const sycl::queue&, nb::handle owner);

/// The object that a chain of dpctl's and dpnp's own wrappers keeps alive: objects of these classes
/// only keep something else alive. The object itself if it is of another class. A subclass may do
/// more, such as reuse the memory when its object is destroyed.
nb::object kept_by_wrappers(PyObject* producer);

}  // namespace usmx::bindings
