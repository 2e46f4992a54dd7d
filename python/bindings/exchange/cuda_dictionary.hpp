// The dictionary of __cuda_array_interface__ as usmx writes it.
#pragma once

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// The dictionary of an array on a CUDA device; its memory is ready to be read by others when this
/// returns, on any stream. Python's AttributeError for other devices.
nb::object to_cuda_dictionary(const array& described);

}  // namespace usmx::bindings
