// A producer without `data` in its dictionary: its PEP 3118 buffer says where its bytes are.
#pragma once

#include <memory>

#include "support/held_buffer.hpp"

namespace usmx::bindings {

/// A producer's contiguous buffer, read-only or not as the producer has it. value_error when it has
/// none, or (with the reason as __cause__) does not give it. Whether the bytes are USM is not
/// asked.
std::unique_ptr<held_buffer> buffer_in_place_of_data(PyObject* producer);

}  // namespace usmx::bindings
