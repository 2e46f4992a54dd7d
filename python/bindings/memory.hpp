// usmx.memory: MemoryUSMDevice, MemoryUSMShared and MemoryUSMHost in Python.
#pragma once

#include <memory>

#include "support.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

void bind_memory(nb::module_& m);

/// The Python memory object of a buffer: the same one for as long as somebody holds it.
nb::object memory_object(const std::shared_ptr<buffer>& memory);

/// The buffer inside a usmx memory object; null for any other object, and for one of a subclass
/// that has a dictionary of its own, which is a producer like any other.
std::shared_ptr<buffer> as_memory(PyObject* object);

/// What the memory is in the context of a `syclobj`; its own kind for None.
usm_kind usm_type_of(const buffer& memory, nb::handle syclobj);

/// The memory as the array of bytes that it describes itself as.
array as_bytes(const std::shared_ptr<buffer>& memory);

/// How new memory is to be made, or existing memory to be taken: the keywords of the constructors.
struct memory_options {
  std::size_t alignment = 0;
  /// None: the default queue, or for a copy that of its source.
  nb::object queue = nb::none();
  bool copy = false;
};

/// The alignment of new memory: an integer that is not negative.
std::size_t alignment_argument(nb::handle alignment);

/// New memory. nbytes > 0 (value_error).
std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options);

/// A view of existing memory, or with options.copy a copy of it in new memory of that kind.
/// value_error when a view would have another kind or context than is asked for.
std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options);

/// The bytes that a usmx memory object, array or foreign producer covers; null when the object is
/// no producer.
std::shared_ptr<buffer> memory_of_producer(PyObject* object);

}  // namespace usmx::bindings
