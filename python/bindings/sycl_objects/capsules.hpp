// SYCL objects in Python capsules, as dpctl makes and reads them: names, `used_` renaming, and a
// destructor that frees under either name. What a capsule holds is copied, never moved.
#pragma once

#include <optional>

#include <sycl/context.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// A new capsule "SyclQueueRef" that owns a copy of the queue.
nb::object to_capsule(const sycl::queue&);
/// A new capsule "SyclContextRef" that owns a copy of the context.
nb::object to_capsule(const sycl::context&);
/// A new capsule "SyclEventRef" that owns a copy of the event.
nb::object to_capsule(const sycl::event&);

/// A copy of what the capsule holds; none if it has another name. Throws runtime_conflict if there
/// is another SYCL runtime that may have made it.
std::optional<sycl::queue> queue_in_capsule(PyObject* capsule);
std::optional<sycl::context> context_in_capsule(PyObject* capsule);
std::optional<sycl::event> event_in_capsule(PyObject* capsule);

/// The same for a constructor, which marks the capsule as used. Throws type_error when the capsule
/// was used before or is named otherwise.
sycl::queue take_queue(PyObject* capsule);
sycl::context take_context(PyObject* capsule);
sycl::event take_event(PyObject* capsule);

/// Asks an object for its capsule by _get_capsule(), once; null when it has no such method.
/// type_error when that returns anything else.
nb::object capsule_of(PyObject* object);

/// "'SyclQueueRef'" or "no name", for messages.
std::string capsule_name_text(PyObject* capsule);

}  // namespace usmx::bindings
