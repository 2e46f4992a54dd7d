// What usmx knows of the classes of dpctl and dpnp, without ever importing them: an object can only
// be one of theirs if their modules are loaded already.
#pragma once

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The queue inside a dpctl.SyclQueue, through dpctl's C interface; null for any other object, and
/// where that interface is not the known one (the object's _get_capsule() then serves). Throws
/// runtime_conflict when there is another SYCL runtime that dpctl may use.
const sycl::queue* as_dpctl_queue(PyObject* object);

/// Whether `data[1]` of a producer's dictionary means what the protocol says. It does not in
/// dpctl's memory classes, and subclasses with the same dictionary, which write True for writable
/// memory.
bool has_truthful_readonly_flag(PyObject* producer);

/// Whether a producer is of a class of dpctl's or dpnp's whose objects do no more for their memory
/// than keeping its owner alive. A subclass may do more, such as giving it to somebody else when
/// its object ends.
bool only_keeps_memory_alive(PyObject* producer);

}  // namespace usmx::bindings
