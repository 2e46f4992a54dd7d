// The entries of a dictionary, or of another Mapping, under the protocol's keys. Every import reads
// them, so the functions are inline.
#pragma once

#include <array>
#include <utility>

#include "exchange/dictionaries.hpp"

namespace usmx::bindings {

/// The entries of the attribute's value. They stay the same if other code changes that value
/// meanwhile.
class entries {
 public:
  /// Throws type_error if it is no Mapping.
  explicit entries(nb::object mapping) : mapping_(std::move(mapping)) {
    if (PyDict_CheckExact(mapping_.ptr())) {
      take_values();
    } else {
      require_mapping(interface_text, mapping_);
    }
  }

  /// Null when missing; alive as long as this.
  PyObject* find(interface_key k) {
    nb::object& value = values_[static_cast<std::size_t>(k)];
    if (!value.is_valid() && !complete_) {
      value = look_up(mapping_.ptr(), key_name(k));
    }
    return value.ptr();
  }

  /// Null when missing or None.
  PyObject* find_optional(interface_key k) {
    PyObject* value = find(k);
    return value == Py_None ? nullptr : value;
  }

  /// value_error when missing.
  PyObject* require(interface_key k) {
    PyObject* value = find(k);
    if (value == nullptr) {
      throw_missing_key(interface_text, key_name(k));
    }
    return value;
  }

 private:
  /// Fast path: takes all entries whose keys are interned strings, as literals are, in one pass.
  /// That takes a third of the time of looking each up.
  void take_values() {
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    std::size_t next = 0;
    complete_ = true;
    while (PyDict_Next(mapping_.ptr(), &position, &name, &value) != 0) {
      const std::size_t found = find_name(name, next);
      if (found == key_count) {
        complete_ = false;
      } else {
        values_[found] = nb::borrow(value);
        next = found + 1;
      }
    }
  }

  static std::size_t find_name(PyObject* name, std::size_t guess) {
    if (guess < key_count && key_names[guess].get() == name) {
      return guess;
    }
    std::size_t k = 0;
    while (k < key_count && key_names[k].get() != name) {
      ++k;
    }
    return k;
  }

  nb::object mapping_;
  std::array<nb::object, key_count> values_;
  /// Whether a key without a value is certainly not in the mapping.
  bool complete_ = false;
};

}  // namespace usmx::bindings
