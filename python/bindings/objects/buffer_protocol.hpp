// PEP 3118: host-accessible USM as Python buffers, without a copy.
#pragma once

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// Fills `view` for an array owned by `owner`, for the request `flags`; waits for work on the
/// memory first. BufferError if the memory is not host-accessible, if a writable buffer of a
/// read-only array is asked for, or if the request cannot express the array's strides. What a
/// request gets is what NumPy gives for it.
int get_buffer(PyObject* owner, const array& exported, Py_buffer* view, int flags);
void release_buffer(PyObject* owner, Py_buffer* view) noexcept;

}  // namespace usmx::bindings
