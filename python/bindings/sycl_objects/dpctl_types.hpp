// What usmx knows of dpctl's classes, without ever importing it: an object can only be one of
// dpctl's if dpctl's modules are loaded already.
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

}  // namespace usmx::bindings
