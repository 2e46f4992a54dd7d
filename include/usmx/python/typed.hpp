// Parameters that state what they need (array/in.hpp), for the casters of any binding library:
// their text in signatures, whether an argument fits, and a copy of the argument where one may be
// passed.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "usmx/array/in.hpp"
#include "usmx/python/exchanged.hpp"
#include "usmx/python/mismatch.hpp"

namespace usmx::python {

/// Whether a parameter takes a copy of an argument that does not fit.
template <class Parameter>
inline constexpr bool takes_copies = false;
/// `usmx::convert` takes copies; `usmx::in` does not.
template <class T, auto... Words>
inline constexpr bool takes_copies<convert<T, Words...>> = true;

/// The requirement of a parameter in words, for messages: "USM array of float64 with 2 dimensions".
template <class Parameter>
inline constexpr auto expected_text = usmx::detail::text_of(Parameter::requirement);

namespace detail {

template <class Parameter>
constexpr usmx::detail::constant_text annotation_text() {
  usmx::detail::constant_text text;
  text.put("typing.Annotated[usmx.SupportsUsmArrayInterface");
  text.put(takes_copies<Parameter> ? " | numpy.typing.ArrayLike, '" : ", '");
  text.put(expected_text<Parameter>.view());
  text.put("']");
  return text;
}

/// A null-terminated text of the type of a string literal.
template <std::size_t Size>
struct literal {
  char characters[Size + 1];
};

template <class Parameter>
constexpr auto annotation_literal() {
  constexpr auto text = annotation_text<Parameter>();
  literal<text.view().size()> result{};
  std::ranges::copy(text.view(), result.characters);
  return result;
}

}  // namespace detail

/// The type of a parameter in a Python signature: any producer, and the requirement in words.
template <class Parameter>
inline constexpr auto annotation = detail::annotation_literal<Parameter>();

/// Whether an array, taken from `argument`, meets the requirement of a parameter. Notes a mismatch
/// for the message of the call (see note_mismatch). Needs the interpreter lock.
template <class Parameter>
bool fits(PyObject* argument, const array& given) noexcept {
  if (is_met(Parameter::requirement, given)) [[likely]] {
    note_fit(argument);
    return true;
  }
  note_mismatch(argument, expected_text<Parameter>.view(),
                [&] { return usmx::found_text(Parameter::requirement, given); });
  return false;
}

/// Notes for the message of the call that an argument is no array at all. Needs the interpreter
/// lock.
template <class Parameter>
void note_no_array(PyObject* argument) noexcept {
  note_mismatch(argument, expected_text<Parameter>.view(),
                [&] { return detail::found_text(argument); });
}

namespace detail {

/// The kind of memory that a copy must have; null if any will do.
inline const char* kind_of_copy(usmx::detail::required_kinds kinds) noexcept {
  if (kinds == array_requirement::any_kind) {
    return nullptr;
  }
  return kinds.contains(usm_kind::shared)   ? "shared"
         : kinds.contains(usm_kind::device) ? "device"
                                            : "host";
}

/// Calls a function of a module. The arguments are new references, or null with Python's error set.
inline PyObject* call_with(PyObject* module, const char* name, PyObject* positional,
                           PyObject* named) noexcept {
  PyObject* function =
      positional == nullptr || named == nullptr ? nullptr : PyObject_GetAttrString(module, name);
  PyObject* result = function == nullptr ? nullptr : PyObject_Call(function, positional, named);
  Py_XDECREF(function);
  Py_XDECREF(named);
  Py_XDECREF(positional);
  return result;
}

/// Calls usmx.asarray, then usmx.astype by NumPy's rule "same_kind": a number may lose digits, but
/// neither its imaginary part nor its fraction.
inline PyObject* array_made_of(PyObject* argument, const array_requirement& needed,
                               const char* kind) noexcept {
  PyObject* package = PyImport_ImportModule("usmx");
  if (package == nullptr) {
    return nullptr;
  }
  const int order = static_cast<int>(needed.order);
  PyObject* made = call_with(package, "asarray", PyTuple_Pack(1, argument),
                             Py_BuildValue("{s:C,s:z}", "order", order, "usm_type", kind));
  PyObject* converted =
      made == nullptr
          ? nullptr
          : call_with(package, "astype", Py_BuildValue("(Os)", made, needed.type.typestr().data()),
                      Py_BuildValue("{s:C,s:s,s:O}", "order", order, "casting", "same_kind", "copy",
                                    Py_False));
  Py_XDECREF(made);
  Py_DECREF(package);
  return converted;
}

/// If Python's error says that an object cannot become such an array, notes and clears the error.
template <class Parameter>
void note_refusal_of_copy(PyObject* argument) noexcept {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
      PyErr_ExceptionMatches(PyExc_ValueError) == 0) {
    return;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* text = PyObject_Str(value);
  const char* reason = text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, nullptr);
  note_mismatch(argument, expected_text<Parameter>.view(), [&] {
    return found_text(argument) + (reason == nullptr ? "" : " (" + std::string(reason) + ")");
  });
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  PyErr_Clear();
}

}  // namespace detail

/// For `usmx::convert`: makes an array of an argument that meets the requirement, but perhaps not
/// in its extents. `given` is the array that was taken from the argument, or null. Copies, and
/// waits. Needs the interpreter lock. Returns a new reference. Returns null with Python's error set
/// on failure, and null without an error, which is noted, when the argument cannot become such an
/// array.
template <class Parameter>
PyObject* converted(PyObject* argument, const array* given) noexcept {
  constexpr array_requirement needed = Parameter::requirement;
  const bool has_kind = given != nullptr && needed.kinds.contains(given->kind());
  // A producer has been asked already.
  PyObject* source = given == nullptr ? Py_NewRef(argument) : give(*given);
  PyObject* made = source == nullptr ? nullptr
                                     : detail::array_made_of(
                                           source, needed,
                                           has_kind ? nullptr : detail::kind_of_copy(needed.kinds));
  Py_XDECREF(source);
  if (made == nullptr) {
    detail::note_refusal_of_copy<Parameter>(argument);
  }
  return made;
}

}  // namespace usmx::python
