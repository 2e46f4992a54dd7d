#include "exchange/entries.hpp"

#include <utility>

#include "support/arguments.hpp"
#include "support/lazy_import.hpp"
#include "support/type_name.hpp"

namespace usmx::bindings {
namespace {

lazy_import mapping_class("collections.abc", "Mapping");

bool is_mapping(nb::handle object) { return nb::isinstance(object, mapping_class.get()); }

/// A dict, or a subclass without a __getitem__ of its own. Its __missing__ is not asked: a
/// defaultdict would make up values, and keep them.
bool is_looked_up_as_a_dict(PyObject* object) {
  return PyDict_Check(object) &&
         Py_TYPE(object)->tp_as_mapping->mp_subscript == PyDict_Type.tp_as_mapping->mp_subscript;
}

std::size_t find_name(PyObject* name, std::size_t guess) {
  if (guess < key_count && key_names[guess].get() == name) {
    return guess;
  }
  std::size_t k = 0;
  while (k < key_count && key_names[k].get() != name) {
    ++k;
  }
  return k;
}

}  // namespace

entries::entries(nb::object mapping) : mapping_(std::move(mapping)) {
  if (PyDict_CheckExact(mapping_.ptr())) {
    take_values();
  } else if (!PyDict_Check(mapping_.ptr()) && !is_mapping(mapping_)) {
    throw type_error(
        detail::message("__sycl_usm_array_interface__ must be a dict or another Mapping, found ",
                        type_name(mapping_.ptr())));
  }
}

PyObject* entries::require(interface_key k) {
  PyObject* value = find(k);
  if (value == nullptr) {
    throw value_error(detail::message("__sycl_usm_array_interface__ must have the key ",
                                      repr_text(key_name(k)), ", found none"));
  }
  return value;
}

/// All entries whose keys are the interned strings that every literal is, in one walk, which
/// takes a third of the time of looking each up.
void entries::take_values() {
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

nb::object entries::look_up(PyObject* name) const {
  PyObject* value = nullptr;
  if (is_looked_up_as_a_dict(mapping_.ptr())) {
    value = PyDict_GetItemWithError(mapping_.ptr(), name);
    Py_XINCREF(value);
  } else {
    value = PyObject_GetItem(mapping_.ptr(), name);
    if (value == nullptr && PyErr_ExceptionMatches(PyExc_KeyError)) {
      PyErr_Clear();
    }
  }
  if (value == nullptr && PyErr_Occurred()) {
    nb::raise_python_error();
  }
  return nb::steal(value);
}

}  // namespace usmx::bindings
