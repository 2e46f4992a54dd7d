// Parameters that state what they need (array/in.hpp), for the casters of any binding library:
// their text in signatures, why an argument does not fit, and a copy of the argument where one may
// be passed.
#pragma once

#include <Python.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "usmx/array/in.hpp"
#include "usmx/python/exchanged.hpp"

namespace usmx::python {

/// Whether a parameter takes a copy of an argument that does not fit.
template <class Parameter>
inline constexpr bool takes_copies = false;
/// `usmx::convert` takes copies; `usmx::in` does not.
template <class T, auto... Words>
inline constexpr bool takes_copies<param::convert<T, Words...>> = true;

namespace detail {

/// Parameters that say what they need of an array.
template <class T>
concept states_requirement = requires { T::requirement; };
/// Parameters that are usmx's or SYCL's objects as they are.
template <class T>
concept passes_as_it_is = std::same_as<T, array_view> || requires { exchanged<T>::name; };

template <class T>
struct cast_as_array {
  using type = array;
};
template <class T>
  requires requires { exchanged<T>::name; }
struct cast_as_array<T> {
  using type = T;
};
/// The type that a caster makes of an object for a parameter: an array, or one of SYCL's objects.
template <class Parameter>
using cast_as = typename cast_as_array<Parameter>::type;

/// The treatment of unfinished work on the array of a parameter. Parameters of type usmx::array and
/// usmx::array_view do not say what the function does with them: the caster waits.
template <class Parameter>
inline constexpr auto work_on = usmx::detail::unfinished_work::is_waited_for;
/// The treatment that the requirement names.
template <states_requirement Parameter>
inline constexpr auto work_on<Parameter> = Parameter::requirement.work;

/// Makes an array what a parameter says about unfinished work: waits if the parameter does, and for
/// a parameter of ordered work if others may work on the memory. usmx::submit would wait for these
/// itself, but perhaps with the interpreter lock, which their work may need. Other Python threads
/// run meanwhile. Needs no interpreter lock. False with Python's error set on failure.
template <class Parameter>
bool make_ready(const usmx_api& table, const array& value) noexcept {
  using usmx::detail::unfinished_work;
  if constexpr (work_on<Parameter> == unfinished_work::is_ignored) {
    return true;
  } else {
    const bool has_to_wait = work_on<Parameter> == unfinished_work::is_followed
                                 ? value.owner() && value.owner()->others_may_work()
                                 : value.may_be_busy();
    return !has_to_wait || table.make_ready(exchange::lend(value)) == 0;
  }
}

/// The requirement of a parameter in words: "USM array of float64 with 2 dimensions",
/// "usmx.SyclQueue".
template <class Parameter>
std::string_view expected_text() {
  if constexpr (states_requirement<Parameter>) {
    static constexpr auto text = usmx::detail::text_of(Parameter::requirement);
    return text.view();
  } else if constexpr (std::same_as<cast_as<Parameter>, array>) {
    return "USM array";
  } else {
    return exchanged<Parameter>::name;
  }
}
/// Whether an array meets what its parameter needs; others need nothing else.
template <class Parameter>
bool fits(const cast_as<Parameter>& given) {
  if constexpr (states_requirement<Parameter>) {
    return is_met(Parameter::requirement, given);
  } else {
    return true;
  }
}

template <class Parameter>
constexpr usmx::detail::constant_text annotation_text() {
  usmx::detail::constant_text text;
  text.put("typing.Annotated[usmx.SupportsUsmArrayInterface");
  text.put(takes_copies<Parameter> ? " | numpy.typing.ArrayLike, '" : ", '");
  text.put(usmx::detail::text_of(Parameter::requirement).view());
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
  text.view().copy(result.characters, text.view().size());
  return result;
}

}  // namespace detail

/// The type of a parameter in a Python signature: any producer, and the requirement in words.
template <class Parameter>
inline constexpr auto annotation = detail::annotation_literal<Parameter>();

namespace detail {

/// A reference to a Python object.
struct release_reference {
  void operator()(PyObject* object) const noexcept { Py_DECREF(object); }
};
using reference = std::unique_ptr<PyObject, release_reference>;

/// The characters of a text; empty if it is null or no text. Clears Python's error.
inline std::string characters_of(const reference& text) {
  const char* characters = text == nullptr || PyUnicode_Check(text.get()) == 0
                               ? nullptr
                               : PyUnicode_AsUTF8AndSize(text.get(), nullptr);
  PyErr_Clear();
  return characters == nullptr ? "" : characters;
}

/// The text of Python's error, which it clears; empty if there is none.
inline std::string taken_error_text() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == nullptr) {
    return {};
  }
  PyErr_NormalizeException(&type, &value, &traceback);
  const reference owned[] = {reference(type), reference(value), reference(traceback)};
  return characters_of(reference(PyObject_Str(value)));
}

/// The name of an object's type as Python's messages have it: "numpy.ndarray", "list".
inline std::string type_name(PyObject* object) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  const std::string module = characters_of(reference(PyObject_GetAttrString(type, "__module__")));
  const std::string name = characters_of(reference(PyObject_GetAttrString(type, "__qualname__")));
  if (module.empty() || module == "builtins") {
    return name;
  }
  return (module == "usmx._core" ? "usmx" : module) + "." + name;
}

template <class Parameter>
std::string refusal_text(const std::string& found) {
  return "expected a " + std::string(expected_text<Parameter>()) + "; found " + found;
}

}  // namespace detail

/// Why an array does not meet the requirement of a parameter: "expected a USM array of float64 with
/// 2 dimensions; found float32 with 1 dimension".
template <class Parameter>
std::string refusal(const array& given) {
  return detail::refusal_text<Parameter>(usmx::found_text(Parameter::requirement, given));
}

/// Why an object that is no USM array, or of which `converted` has made none, does not meet the
/// requirement of a parameter. If Python's error is set, its text is the reason, and it is cleared.
/// Needs the interpreter lock.
template <class Parameter>
std::string refusal(PyObject* object) {
  const std::string reason = detail::taken_error_text();
  const std::string type = detail::type_name(object);
  if (!reason.empty()) {
    return detail::refusal_text<Parameter>("an object of type " + type + " (" + reason + ")");
  }
  const bool is_numpys = std::same_as<detail::cast_as<Parameter>, array> && type == "numpy.ndarray";
  return detail::refusal_text<Parameter>(is_numpys
                                             ? "a " + type + ", which usmx.asarray copies into USM"
                                         : type == "NoneType" ? "None"
                                                              : "an object of type " + type);
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

/// Calls a function of a module with arguments whose making may have failed.
inline reference call_with(PyObject* module, const char* name, const reference& positional,
                           const reference& named) noexcept {
  const reference function(
      positional == nullptr || named == nullptr ? nullptr : PyObject_GetAttrString(module, name));
  return reference(
      function == nullptr ? nullptr : PyObject_Call(function.get(), positional.get(), named.get()));
}

/// Calls usmx.asarray, then usmx.astype by NumPy's rule "same_kind": a number may lose digits, but
/// neither its imaginary part nor its fraction.
inline reference array_made_of(PyObject* argument, const array_requirement& needed,
                               const char* kind) noexcept {
  const reference package(PyImport_ImportModule("usmx"));
  if (package == nullptr) {
    return nullptr;
  }
  const int order = static_cast<int>(needed.order);
  const reference made =
      call_with(package.get(), "asarray", reference(PyTuple_Pack(1, argument)),
                reference(Py_BuildValue("{s:C,s:z}", "order", order, "usm_type", kind)));
  if (made == nullptr) {
    return nullptr;
  }
  return call_with(package.get(), "astype",
                   reference(Py_BuildValue("(Os)", made.get(), needed.type.typestr().data())),
                   reference(Py_BuildValue("{s:C,s:s,s:O}", "order", order, "casting", "same_kind",
                                           "copy", Py_False)));
}

}  // namespace detail

/// Whether Python's error, which `converted` has set, says that the argument cannot become such an
/// array. Any other error has nothing to do with the argument.
inline bool is_unsuitable() noexcept {
  return PyErr_ExceptionMatches(PyExc_TypeError) != 0 ||
         PyErr_ExceptionMatches(PyExc_ValueError) != 0;
}

/// Makes an array, for `usmx::convert`, of an argument: the array meets the requirement, but
/// perhaps not in its extents. `given` is the array that was taken from the argument, or null.
/// Copies, and waits. Needs the interpreter lock. Returns a new reference, or null with Python's
/// error set (see `is_unsuitable`).
template <class Parameter>
PyObject* converted(PyObject* argument, const array* given) noexcept {
  constexpr array_requirement needed = Parameter::requirement;
  const bool has_kind = given != nullptr && needed.kinds.contains(given->kind());
  // A producer has been asked already.
  const detail::reference source(given == nullptr ? Py_NewRef(argument) : give(*given));
  if (source == nullptr) {
    return nullptr;
  }
  const char* kind = has_kind ? nullptr : detail::kind_of_copy(needed.kinds);
  return detail::array_made_of(source.get(), needed, kind).release();
}

}  // namespace usmx::python
