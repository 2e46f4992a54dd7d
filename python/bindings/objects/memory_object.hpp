// Python's owners of adopted memory, and the contents of MemoryUSMDevice, MemoryUSMShared and
// MemoryUSMHost: one shared buffer each. The classes are bound in memory/.
#pragma once

#include <memory>
#include <utility>

#include "objects/array.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

// Python's owners of adopted memory: objects that are kept alive, with or without one of their
// buffers, and deleters that are called. All may be released on any thread.

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

/// Keeps a Python object and its buffer in memory of the system's allocator, which the SYCL runtime
/// calls no USM.
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

// The contents of MemoryUSMDevice, MemoryUSMShared and MemoryUSMHost: one shared buffer each. The
// classes are bound in memory/.

class py_memory {
 public:
  explicit py_memory(std::shared_ptr<buffer> memory) noexcept : memory_(std::move(memory)) {}
  py_memory(py_memory&& other) noexcept = default;
  ~py_memory();

  /// Makes `self`, the Python object of this value, the one that memory_object() finds for the
  /// buffer, unless there is one already. Returns the one that it finds.
  nb::object make_known(nb::object self);

  const std::shared_ptr<buffer>& memory() const noexcept { return memory_; }
  buffer& bytes() const noexcept { return *memory_; }
  lent_part& lent() noexcept { return lent_; }

 private:
  std::shared_ptr<buffer> memory_;
  lent_part lent_;
  PyObject* known_as_ = nullptr;
};

// One Python class for each kind, as dpctl has them. All three hold the same contents.
struct device_memory : py_memory {
  using py_memory::py_memory;
};
struct shared_memory : py_memory {
  using py_memory::py_memory;
};
struct host_memory : py_memory {
  using py_memory::py_memory;
};

/// A new memory object, of the class of the buffer's kind.
nb::object new_memory_object(std::shared_ptr<buffer> memory);

/// The Python memory object of a buffer: the same one as long as any reference to it lives.
nb::object memory_object(const std::shared_ptr<buffer>& memory);

/// The buffer inside a usmx memory object. Null for any other object, and for an object of a
/// subclass with a dictionary of its own, which is a producer like any other.
std::shared_ptr<buffer> as_memory(PyObject* object);

/// Whether the object is of one of usmx's memory classes, and not of a subclass. An object of a
/// subclass may do more when it is destroyed than release its buffer.
bool is_plain_memory(PyObject* object) noexcept;

/// The kind of the memory in the context of a `syclobj`; its own kind for None.
usm_kind usm_type_of(const buffer& memory, nb::handle syclobj);

/// The memory as the array of bytes that it describes itself as.
array as_bytes(const std::shared_ptr<buffer>& memory);

}  // namespace usmx::bindings
