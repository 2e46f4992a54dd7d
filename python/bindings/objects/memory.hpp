// The contents of MemoryUSMDevice, MemoryUSMShared and MemoryUSMHost: one shared buffer each. The
// classes are bound in memory/.
#pragma once

#include <memory>
#include <utility>

#include "objects/array.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

class py_memory {
 public:
  explicit py_memory(std::shared_ptr<buffer> memory) noexcept : memory_(std::move(memory)) {}
  py_memory(py_memory&& other) noexcept = default;
  ~py_memory();

  /// Makes `self`, which holds this, the object that memory_object() finds for the buffer, unless
  /// there is such an object already. Returns the one that it finds.
  nb::object make_known(nb::object self);

  const std::shared_ptr<buffer>& memory() const noexcept { return memory_; }
  buffer& bytes() const noexcept { return *memory_; }
  lent_part& lent() noexcept { return lent_; }

 private:
  std::shared_ptr<buffer> memory_;
  lent_part lent_;
  PyObject* known_as_ = nullptr;
};

// One Python class for each kind, as dpctl has them; what they hold is the same.
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

/// The Python memory object of a buffer: the same one for as long as somebody holds it.
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
