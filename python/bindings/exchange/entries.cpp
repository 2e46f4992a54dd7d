#include "exchange/entries.hpp"

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

}  // namespace

void entries::check_mapping() const {
  if (!PyDict_Check(mapping_.ptr()) && !is_mapping(mapping_)) {
    throw type_error(
        detail::message("__sycl_usm_array_interface__ must be a dict or another Mapping, found ",
                        type_name(mapping_.ptr())));
  }
}

void entries::throw_missing(interface_key k) {
  throw value_error(detail::message("__sycl_usm_array_interface__ must have the key ",
                                    repr_text(key_name(k)), ", found none"));
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
