#include "exchange/mapping.hpp"

#include "support/arguments.hpp"
#include "support/lazy_import.hpp"
#include "support/type_name.hpp"

namespace usmx::bindings {
namespace {

lazy_import mapping_class("collections.abc", "Mapping");

/// A dict, or a subclass without a __getitem__ of its own. Its __missing__ is not asked: a
/// defaultdict would make up values, and keep them.
bool is_looked_up_as_a_dict(PyObject* object) {
  return PyDict_Check(object) &&
         Py_TYPE(object)->tp_as_mapping->mp_subscript == PyDict_Type.tp_as_mapping->mp_subscript;
}

}  // namespace

void require_mapping(const char* attribute, nb::handle value) {
  if (!PyDict_Check(value.ptr()) && !nb::isinstance(value, mapping_class.get())) {
    throw type_error(detail::message(attribute, " must be a dict or another Mapping, found ",
                                     type_name(value.ptr())));
  }
}

nb::object look_up(PyObject* mapping, PyObject* key) {
  PyObject* value = nullptr;
  if (is_looked_up_as_a_dict(mapping)) {
    value = PyDict_GetItemWithError(mapping, key);
    Py_XINCREF(value);
  } else {
    value = PyObject_GetItem(mapping, key);
    if (value == nullptr && PyErr_ExceptionMatches(PyExc_KeyError)) {
      PyErr_Clear();
    }
  }
  if (value == nullptr && PyErr_Occurred()) {
    nb::raise_python_error();
  }
  return nb::steal(value);
}

void throw_missing_key(const char* attribute, PyObject* key) {
  throw value_error(
      detail::message(attribute, " must have the key ", repr_text(key), ", found none"));
}

}  // namespace usmx::bindings
