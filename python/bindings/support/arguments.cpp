#include "support/arguments.hpp"

#include "support/hooks.hpp"

namespace usmx::bindings {
namespace {

/// Names the letters: "'C', 'F', 'A' or 'K'".
std::string choices(std::string_view letters) {
  std::string text;
  for (std::size_t k = 0; k < letters.size(); ++k) {
    text += k == 0 ? "'" : k + 1 == letters.size() ? " or '" : ", '";
    text += letters[k];
    text += '\'';
  }
  return text;
}

}  // namespace

void throw_wrong_type(const char* what, const char* expected, PyObject* found) {
  throw type_error(
      detail::message("'", what, "' must be ", expected, ", found ", type_name(found)));
}

std::string repr_text(PyObject* object) {
  const nb::object text = hooks::short_repr(nb::handle(object));
  // A lone surrogate cannot be written in UTF-8.
  const nb::object bytes =
      checked(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

nb::object to_integer(const char* what, const char* expected, PyObject* object) {
  if (!PyIndex_Check(object)) {
    throw_wrong_type(what, expected, object);
  }
  nb::object converted = nb::steal(
      run_python([&] { return PyNumber_Index(object); }));  // null for an array, for instance
  if (!converted.is_valid() && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    throw_wrong_type(what, expected, object);
  }
  return checked(converted.release().ptr());
}

std::ptrdiff_t to_count(const char* what, const char* expected, PyObject* object) {
  nb::object converted;
  if (!PyLong_CheckExact(object)) {
    converted = to_integer(what, expected, object);
    object = converted.ptr();
  }
  const Py_ssize_t value = PyLong_AsSsize_t(object);
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    throw overflow_error(
        detail::message("'", what, "' must fit into 64 bits, found ", repr_text(object)));
  }
  return value;
}

std::uintptr_t to_address(const char* what, const char* expected, PyObject* object) {
  nb::object converted;
  if (!PyLong_CheckExact(object)) {
    converted = to_integer(what, expected, object);
    object = converted.ptr();
  }
  const std::size_t value = PyLong_AsSize_t(object);
  if (value == static_cast<std::size_t>(-1) && PyErr_Occurred()) {
    PyErr_Clear();
    throw value_error(
        detail::message("'", what, "' must be an address of 64 bits, found ", repr_text(object)));
  }
  return value;
}

std::string_view to_text(const char* what, PyObject* object, const char* expected) {
  if (!PyUnicode_Check(object)) {
    throw_wrong_type(what, expected, object);
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
    PyErr_Clear();
    throw value_error(
        detail::message("'", what, "' must be Unicode text, found ", repr_text(object)));
  }
  if (text == nullptr) {
    nb::raise_python_error();
  }
  return {text, static_cast<std::size_t>(size)};
}

std::size_t size_argument(const char* what, nb::handle value) {
  const std::ptrdiff_t size = to_count(what, "an integer", value.ptr());
  if (size < 0) {
    throw value_error(detail::message("'", what, "' must not be negative, found ", size));
  }
  return static_cast<std::size_t>(size);
}

nb::object snapshot(const char* what, const char* expected, PyObject* sequence) {
  if (PyTuple_Check(sequence)) {
    return nb::borrow(sequence);
  }
  if (PyList_Check(sequence)) {
    return checked(PyList_AsTuple(sequence));
  }
  throw_wrong_type(what, expected, sequence);
}

counts::counts(const char* what, PyObject* sequence) {
  constexpr const char* expected = "a tuple or list of integers";
  const nb::object items = snapshot(what, expected, sequence);
  const Py_ssize_t n = PyTuple_GET_SIZE(items.ptr());
  if (n > max_ndim) {
    throw value_error(
        detail::message("'", what, "' must have at most ", max_ndim, " entries, found ", n));
  }
  for (Py_ssize_t k = 0; k < n; ++k) {
    values_[size_++] = to_count(what, expected, PyTuple_GET_ITEM(items.ptr(), k));
  }
}

counts shape_argument(nb::handle shape) {
  try {
    if (!PyIndex_Check(shape.ptr())) {
      return counts("shape", shape.ptr());
    }
    counts one;
    one.values_[one.size_++] = to_count("shape", "a tuple or list of integers", shape.ptr());
    return one;
  } catch (const type_error& error) {
    if (nb::hasattr(shape, "shape")) {  // an array
      throw type_error(
          detail::message(error.what(), ": usmx.asarray(x) makes an array of its elements"));
    }
    throw;
  }
}

usm_kind kind_argument(nb::handle kind) {
  if (!nb::isinstance<nb::str>(kind)) {
    throw_wrong_type("usm_type", "'device', 'shared' or 'host'", kind.ptr());
  }
  const std::string_view text = to_text("usm_type", kind.ptr());
  const auto found = parse_usm_kind(text);
  if (!found) {
    throw value_error(
        detail::message("'usm_type' must be 'device', 'shared' or 'host', found '", text, "'"));
  }
  return *found;
}

bool flag_argument(const char* what, nb::handle flag) {
  if (!PyBool_Check(flag.ptr())) {
    throw_wrong_type(what, "a bool", flag.ptr());
  }
  return flag.ptr() == Py_True;
}

copying copy_argument(nb::handle copy) {
  if (copy.is_none()) {
    return copying::if_needed;
  }
  if (!PyBool_Check(copy.ptr())) {
    throw type_error(
        detail::message("copy must be True, False or None, found ", repr_text(copy.ptr())));
  }
  return copy.ptr() == Py_True ? copying::always : copying::never;
}

nb::object to_tuple(std::span<const std::ptrdiff_t> values) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (std::size_t k = 0; k < values.size(); ++k) {
    PyObject* number = PyLong_FromSsize_t(values[k]);
    if (number == nullptr) {
      nb::raise_python_error();
    }
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), number);
  }
  return tuple;
}

element_order order_argument(nb::handle order, std::string_view allowed,
                             element_order unless_given) {
  if (order.is_none()) {
    return unless_given;
  }
  if (nb::isinstance<nb::str>(order)) {
    const auto text = to_text("order", order.ptr());
    const char letter = text.size() == 1 ? text[0] : '\0';
    const char upper =
        letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    if (upper != '\0' && allowed.find(upper) != allowed.npos) {
      return static_cast<element_order>(upper);
    }
  }
  throw value_error(
      detail::message("order must be ", choices(allowed), ", found ", repr_text(order.ptr())));
}

}  // namespace usmx::bindings
