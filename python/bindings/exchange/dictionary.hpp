// The dictionary of __sycl_usm_array_interface__ as usmx writes it.
#pragma once

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// The dictionary of an array; its memory is ready to be read by others when this returns.
nb::object to_dictionary(const array& described);

}  // namespace usmx::bindings
