// All bytes of some memory copied, from and to memory, producers and Python's buffers. All of these
// wait.
#pragma once

#include <memory>

#include "support/nanobind.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

/// A new `bytes` object.
nb::object to_python_bytes(const std::shared_ptr<buffer>& memory);

/// To the start of a writable contiguous buffer, by default a new NumPy array; returns it.
/// value_error when it is too small or holds Python objects.
nb::object copy_to_host(const std::shared_ptr<buffer>& memory, nb::object destination);
/// A contiguous buffer's bytes to the start of the memory. value_error when they do not fit.
void copy_from_host(const std::shared_ptr<buffer>& memory, nb::handle source_object);

/// A producer's bytes to the start of the memory. value_error when they do not fit, type_error when
/// it is no producer.
void copy_from_device(const std::shared_ptr<buffer>& memory, nb::handle producer);
/// The destination is as large as the source or larger.
void copy_buffer(const std::shared_ptr<buffer>& source, const std::shared_ptr<buffer>& destination);

/// Sets every byte.
void memset_bytes(buffer& memory, nb::handle val);

}  // namespace usmx::bindings
