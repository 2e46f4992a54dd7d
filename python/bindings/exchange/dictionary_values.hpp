// Values that dictionaries of both protocols have under the same keys, read with the right types
// and written.
#pragma once

#include <cstdint>

#include "support/nanobind.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::bindings {

struct pointer_and_flag {
  std::uintptr_t pointer;
  bool readonly;
};

/// `data`: type_error or value_error for anything else.
pointer_and_flag read_data(PyObject* data);

/// A description of fields may say of a plain type once more what `typestr` says: value_error,
/// naming its key, when it says anything else.
void require_same_type(const char* key, PyObject* fields, PyObject* typestr);

/// `typestr` and `data`, as both protocols have them.
nb::object typestr_object(dtype type);
nb::object data_object(std::uintptr_t pointer, bool readonly);

}  // namespace usmx::bindings
