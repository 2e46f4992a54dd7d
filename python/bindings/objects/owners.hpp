// Python's owners of adopted memory: objects that are kept alive, with or without one of their
// buffers, and deleters that are called. All may be released on any thread.
#pragma once

#include <memory>
#include <utility>

#include "support/nanobind.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

/// Lets a reference to a Python object go, on whatever thread, with the interpreter lock or
/// without; does nothing for null. When the interpreter is gone, the object stays.
void release_object(void* object) noexcept;

/// Keeps a Python object alive until the action runs.
detail::release_action keep_alive(PyObject* object) noexcept;

/// Keeps a producer, and its object for its queue, alive until the action runs.
detail::release_action keep_alive_with_queue(PyObject* producer, PyObject* queue);

/// The value of `sycl_queue` of an array or memory object: the producer's own object if the memory
/// came with one, else the object for the buffer's queue.
nb::object queue_object_of(const buffer& memory);

/// Keeps a Python object and a buffer that it gave.
detail::release_action keep_alive(PyObject* object, std::unique_ptr<held_buffer> given);

/// The same of a buffer in memory of the system's allocator, which the SYCL runtime calls no USM.
detail::release_action keep_system_memory_alive(PyObject* object,
                                                std::unique_ptr<held_buffer> given);

/// Whether keep_system_memory_alive() keeps the memory. Others cannot be given it as USM
/// (docs/decisions.md, 106).
bool is_system_memory(const buffer& memory);

/// An object's buffer, kept with the object until the last user is gone, on whatever thread.
struct shared_buffer {
  shared_buffer(nb::handle object, int flags) {
    auto held = std::make_unique<held_buffer>(object, flags);
    view = &held->view();
    owner = std::make_shared<detail::release_action>(keep_alive(object.ptr(), std::move(held)));
  }
  const Py_buffer* view;
  std::shared_ptr<const void> owner;
};

/// Calls `deleter(pointer)`, where `pointer` is a Python object, and keeps `owner`, which may be
/// null, alive until then. What the deleter raises goes to sys.unraisablehook. If this throws, the
/// deleter has been called.
detail::release_action call_with_pointer(PyObject* deleter, PyObject* pointer, PyObject* owner);

/// The object that one of these functions keeps alive for a buffer; null for any other buffer, such
/// as memory of usmx's own.
PyObject* python_owner(const buffer& memory) noexcept;

}  // namespace usmx::bindings
