// Mathematics: the table of the library's functions and its rules, as the package reads them, and
// the calls that the package makes.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// _function_rows, _device_text, and the rules for the types of a call: _common_type, _types_of,
/// _operation_of, _language_name.
void bind_rules(nb::module_& m);
/// _host_function, _kinds_of and _start_product, by which the package computes without kernels of
/// its own.
void bind_computations(nb::module_& m);

}  // namespace usmx::bindings
