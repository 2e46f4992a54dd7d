// The error of a call that fits none of a function's overloads. The binding libraries list all
// signatures, and pybind11 also the arguments by their repr, which waits for the work on an array.
// So the last overload of a function may be one that takes whatever is left, and refuses it in one
// line. Users include usmx/python/nanobind.hpp or usmx/python/pybind11.hpp.
#pragma once

#include <Python.h>

#include <string>

#include "usmx/array/requirement.hpp"
#include "usmx/base/error.hpp"
#include "usmx/python/typed.hpp"

namespace usmx::python::detail {

/// An argument in a few words: its type, and what its array is, if it is usmx's. Others would have
/// to be asked once more.
inline std::string argument_text(PyObject* object) {
  const std::string type = type_name(object);
  taken<array> given;
  const usmx_api* table = type == exchanged<array>::name ? usmx_import() : nullptr;
  if (table == nullptr || exchanged<array>::take(*table, object, given) <= 0) {
    PyErr_Clear();
    return type;
  }
  const array& a = *given;
  const bool has_gaps = !a.layout().is_c_contiguous();
  const array_requirement as_it_is{
      .type = a.type(), .writable = true, .order = param::c_contig, .kinds = {}};
  return usmx::detail::message("USM array of ", found_text(as_it_is, a),
                               has_gaps ? ", not C-contiguous" : "");
}

/// The first positional argument of a call, of any type. Its casters take it only when the binding
/// library tries the overloads for the second time, with conversions: so the overload that takes
/// whatever is left comes after every conversion of the others, too.
struct left_argument {
  PyObject* object;

  /// Stands for the argument in a call that has none.
  static PyObject* none_given() noexcept { return Py_NotImplemented; }
};

/// "which(): no overload takes the arguments (USM array of float32 with 2 dimensions, in memory of
/// kind device; str); help() lists the overloads". Needs the interpreter lock.
inline std::string no_overload_text(const std::string& name, left_argument first,
                                    PyObject* positional, PyObject* named) {
  std::string arguments;
  const auto add = [&](const std::string& text) {
    arguments += (arguments.empty() ? "" : "; ") + text;
  };
  if (first.object != left_argument::none_given()) {
    add(argument_text(first.object));
  }
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(positional); ++k) {
    add(argument_text(PyTuple_GET_ITEM(positional, k)));
  }
  PyObject *key, *value;
  for (Py_ssize_t position = 0; PyDict_Next(named, &position, &key, &value) != 0;) {
    add(characters_of(reference(Py_NewRef(key))) + "=" + argument_text(value));
  }
  return name + "(): no overload takes the arguments (" + arguments +
         "); help() lists the overloads";
}

}  // namespace usmx::python::detail
