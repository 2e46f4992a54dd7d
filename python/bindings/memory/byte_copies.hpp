// Copies of bytes between memory objects, producers and buffers, and how they are named as
// arguments.
#pragma once

#include <memory>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

// The arguments of the memory classes: makes new memory, or takes existing memory.

/// The keywords of the constructors.
struct memory_options {
  std::size_t alignment = 0;
  /// The queue. None stands for the default queue, and for a copy the queue of its source.
  nb::object queue = nb::none();
  bool copy = false;
};

/// The alignment of new memory: an integer that is not negative.
std::size_t alignment_argument(nb::handle alignment);

/// New memory. nbytes > 0 (value_error).
std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options);

/// A view of existing memory, or with options.copy a copy of it in new memory of that kind. Throws
/// value_error if a view would have another kind or context than was asked for.
std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options);

// Copies all bytes of memory, from and to memory, producers and Python's buffers. All functions
// wait.

/// The first elements of memory that has so many.
array elements_of(const std::shared_ptr<buffer>& memory, dtype type, std::size_t count);
inline array first_bytes(const std::shared_ptr<buffer>& memory, std::size_t nbytes) {
  return elements_of(memory, type_code::uint8, nbytes);
}

/// A new `bytes` object.
nb::object to_python_bytes(const std::shared_ptr<buffer>& memory);

/// Copies to the start of a writable contiguous buffer, by default a new NumPy array, and returns
/// it. Throws value_error if it is too small or holds Python objects.
nb::object copy_to_host(const std::shared_ptr<buffer>& memory, nb::object destination);
/// Copies a contiguous buffer's bytes to the start of the memory. Throws value_error if they do not
/// fit.
void copy_from_host(const std::shared_ptr<buffer>& memory, nb::handle source_object);

/// Copies a producer's bytes to the start of the memory. Throws value_error if they do not fit, and
/// type_error if the object is no producer.
void copy_from_device(const std::shared_ptr<buffer>& memory, nb::handle producer);
/// Precondition: the destination is at least as large as the source.
void copy_buffer(const std::shared_ptr<buffer>& source, const std::shared_ptr<buffer>& destination);

/// Sets every byte.
void memset_bytes(buffer& memory, nb::handle val);

}  // namespace usmx::bindings
