// The entries of a dictionary, or of another Mapping, under the protocol's keys.
#pragma once

#include <array>

#include "exchange/dictionary_keys.hpp"

namespace usmx::bindings {

/// The entries of the attribute's value, whatever happens to that value meanwhile.
class entries {
 public:
  /// type_error when it is no Mapping.
  explicit entries(nb::object mapping);

  /// Null when missing; alive as long as this.
  PyObject* find(interface_key k) {
    nb::object& value = values_[static_cast<std::size_t>(k)];
    if (!value.is_valid() && !complete_) {
      value = look_up(key_name(k));
    }
    return value.ptr();
  }

  /// Null when missing or None.
  PyObject* find_optional(interface_key k) {
    PyObject* value = find(k);
    return value == Py_None ? nullptr : value;
  }

  /// value_error when missing.
  PyObject* require(interface_key k);

 private:
  void take_values();
  nb::object look_up(PyObject* name) const;

  nb::object mapping_;
  std::array<nb::object, key_count> values_;
  /// Whether what is not among the values is not in the mapping either.
  bool complete_ = false;
};

}  // namespace usmx::bindings
