// What the value of a producer's attribute must be: a dict or another Mapping, and its entries.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Throws type_error naming the attribute when the value is no Mapping.
void require_mapping(const char* attribute, nb::handle value);

/// The entry of a Mapping; null when missing.
nb::object look_up(PyObject* mapping, PyObject* key);

/// Throws value_error naming the attribute.
[[noreturn]] void throw_missing_key(const char* attribute, PyObject* key);

}  // namespace usmx::bindings
