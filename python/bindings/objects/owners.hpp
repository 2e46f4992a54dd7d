// Python's side of who frees adopted memory: objects that are kept alive, with or without one of
// their buffers, and deleters that are called. All may be let go on any thread.
#pragma once

#include <memory>

#include "support/held_buffer.hpp"
#include "support/nanobind.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

/// Keeps a Python object alive until the action runs.
detail::release_action keep_alive(PyObject* object) noexcept;

/// Keeps a producer alive until the action runs, and the object that it has for its queue.
detail::release_action keep_alive_with_queue(PyObject* producer, PyObject* queue);

/// What `sycl_queue` of an array or memory object is: the object that came in with memory of a
/// producer, else the one of the buffer's queue.
nb::object queue_object_of(const buffer& memory);

/// Keeps a Python object and a buffer that it gave.
detail::release_action keep_alive(PyObject* object, std::unique_ptr<held_buffer> given);

/// Calls `deleter(pointer)`, where `pointer` is a Python object, and keeps `owner`, which may be
/// null, until then; what it raises goes to sys.unraisablehook. If this throws, the deleter has
/// been called.
detail::release_action call_with_pointer(PyObject* deleter, PyObject* pointer, PyObject* owner);

/// The object that one of these functions keeps alive for a buffer; null for any other buffer, such
/// as memory of usmx's own.
PyObject* python_owner(const buffer& memory) noexcept;

}  // namespace usmx::bindings
