#include "elements/element.hpp"

#include <bit>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "internals.hpp"
#include "support/arguments.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::bindings {
namespace {

lazy_import numpy_zeros("numpy", "zeros");
lazy_import complex_warning("numpy.exceptions", "ComplexWarning");
lazy_import numpy_scalar("numpy", "generic");

bool contains(std::string_view text, char c) { return text.find(c) != text.npos; }

/// The letter for the kind of a plain element in a format, after the byte order; 0 for other
/// formats.
char kind_of_format(std::string_view letters) {
  if (letters == "?") return 'b';
  if (letters == "Zf" || letters == "Zd") return 'c';
  if (letters.size() != 1) return 0;
  if (contains("bhilqn", letters[0])) return 'i';
  if (contains("BHILQN", letters[0])) return 'u';
  if (contains("efd", letters[0])) return 'f';
  return 0;
}

[[noreturn]] void throw_out_of_bounds(nb::handle integer, dtype type) {
  const std::string text = repr_text(integer.ptr());  // of a very large one, words
  const bool is_number = std::isdigit(static_cast<unsigned char>(text.back())) != 0;
  PyErr_Format(PyExc_OverflowError, "%s%s out of bounds for %s", is_number ? "Python integer " : "",
               text.c_str(), type.name().data());
  nb::raise_python_error();
}

/// Sets an integer element to a Python int that is in range.
void set_integer(element& to, nb::handle integer) {
  const auto bits = static_cast<int>(8 * to.type().itemsize());
  if (to.type().kind() == 'i') {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow != 0 || (value >> (bits - 1)) != (value < 0 ? -1 : 0)) {
      throw_out_of_bounds(integer, to.type());
    }
    return to.set(static_cast<std::int64_t>(value));
  }
  const unsigned long long value = PyLong_AsUnsignedLongLong(integer.ptr());
  if (value == ~0ULL && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_out_of_bounds(integer, to.type());
  }
  if (bits < 64 && (value >> bits) != 0) {
    throw_out_of_bounds(integer, to.type());
  }
  to.set(static_cast<std::uint64_t>(value));
}

/// A Python number's float(), which may raise.
double to_double(nb::handle number) {
  const double value = run_python([&] { return PyFloat_AsDouble(number.ptr()); });
  if (value == -1 && PyErr_Occurred() != nullptr) {
    nb::raise_python_error();
  }
  return value;
}

/// Sets an element to any other object that NumPy would take for an item: its scalars of other
/// types, strings, tuples for structured types, and so on. NumPy's errors and warnings pass
/// through.
void set_by_numpy(element& to, nb::handle scalar) {
  const nb::object item = numpy_zeros(nb::make_tuple(), to_numpy_dtype(to.type()));
  item[nb::make_tuple()] = nb::borrow(scalar);
  const nb::object bytes = item.attr("tobytes")();
  std::memcpy(to.data(), PyBytes_AsString(bytes.ptr()), to.type().itemsize());
}

/// Whether a finite number may become infinity in a type, of which NumPy warns.
bool may_overflow(double number, dtype type) {
  const std::size_t nbytes = type.itemsize() / (type.kind() == 'c' ? 2 : 1);
  constexpr double largest_half = 65504;
  return std::isfinite(number) && nbytes < sizeof number &&
         std::abs(number) > (nbytes == 2 ? largest_half : std::numeric_limits<float>::max());
}

/// Sets an element to a bool, int or float of Python.
void set_real(element& to, nb::handle number) {
  switch (to.type().kind()) {
    case 'b':
      return to.set(run_python([&] { return PyObject_IsTrue(number.ptr()); }) == 1);
    case 'i':
    case 'u': {
      return set_integer(to, checked(run_python([&] {
                           return PyNumber_Long(number.ptr());
                         })));  // refuses NaN, infinity
    }
    default:
      const double value = to_double(number);
      return may_overflow(value, to.type()) ? set_by_numpy(to, number) : to.set(value);
  }
}

void set_complex(element& to, nb::handle number) {
  const Py_complex value = run_python([&] { return PyComplex_AsCComplex(number.ptr()); });
  const std::complex<double> parts(value.real, value.imag);
  if (to.type().kind() == 'c' &&
      (may_overflow(value.real, to.type()) || may_overflow(value.imag, to.type()))) {
    return set_by_numpy(to, number);
  }
  if (to.type().kind() == 'c' || to.type().kind() == 'b') {
    return to.set(parts);
  }
  throw type_error(detail::message("a complex number cannot be an element of type ", to.type(),
                                   ", found ", repr_text(number.ptr()),
                                   ": expected a real number"));
}

bool is_python_real(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object);
}

/// Sets an element to a scalar of NumPy or an array without dimensions that has the element's type,
/// by its buffer. Returns false for any other object: only NumPy knows how other types are
/// converted (docs/decisions.md, 95).
bool set_same_type(element& to, nb::handle scalar) {
  if (!PyObject_CheckBuffer(scalar.ptr())) {
    return false;
  }
  Py_buffer view;
  if (run_python([&] { return PyObject_GetBuffer(scalar.ptr(), &view, PyBUF_RECORDS_RO); }) != 0) {
    PyErr_Clear();  // NumPy's dates, for one
    return false;
  }
  const bool same = view.ndim == 0 && plain_type(view) == to.type();
  if (same) {
    std::memcpy(to.data(), view.buf, to.type().itemsize());
  }
  PyBuffer_Release(&view);
  return same;
}

template <class T>
T load(const std::byte* element) noexcept {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

}  // namespace

bool is_numpys_number(PyObject* object) {
  return std::string_view(Py_TYPE(object)->tp_name).starts_with("numpy.") &&
         PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(numpy_scalar.get().ptr()));
}

void element::set(dtype from, const std::byte* value) {
  convert_element(from, value, type_, data());
}

std::optional<dtype> plain_type(const Py_buffer& host) {
  constexpr std::string_view foreign_order = detail::is_little_endian ? ">!" : "<";
  std::string_view format = host.format == nullptr ? "B" : host.format;
  if (!format.empty() && contains("@=<>!^", format[0])) {
    if (contains(foreign_order, format[0]) && host.itemsize > 1) {
      return std::nullopt;
    }
    format.remove_prefix(1);
  }
  return internal::find_plain_type(kind_of_format(format), static_cast<std::size_t>(host.itemsize));
}

bool is_python_number(PyObject* object) {
  return is_python_real(object) || PyComplex_CheckExact(object);
}

element to_element(dtype type, nb::handle scalar) {
  element result(type);
  if (type.is_structured()) {
    set_by_numpy(result, scalar);
  } else if (is_python_real(scalar.ptr())) {
    set_real(result, scalar);
  } else if (PyComplex_CheckExact(scalar.ptr())) {
    set_complex(result, scalar);
  } else if (!set_same_type(result, scalar)) {
    set_by_numpy(result, scalar);
  }
  return result;
}

void require_convertible(dtype found, dtype expected) {
  if (!internal::is_convertible(found, expected)) {
    throw type_error(detail::message("structured elements are not converted: expected ", expected,
                                     ", found ", found));
  }
}

void warn_of_lost_parts(dtype found, dtype wanted) {
  if (found.kind() != 'c' || wanted.kind() == 'c' || wanted.kind() == 'b') {
    return;
  }
  warn_at_call_site(complex_warning.get().ptr(),
                    "Casting complex values to real discards the imaginary part");
}

PyObject* new_number(const std::byte* element, type_code code) {
  switch (code) {
    case type_code::bool_:
      return PyBool_FromLong(load<std::uint8_t>(element) != 0);
    case type_code::float16:
      return PyFloat_FromDouble(PyFloat_Unpack2(reinterpret_cast<const char*>(element),
                                                std::endian::native == std::endian::little));
    case type_code::float32:
      return PyFloat_FromDouble(load<float>(element));
    case type_code::float64:
      return PyFloat_FromDouble(load<double>(element));
    case type_code::complex64: {
      const auto z = load<std::complex<float>>(element);
      return PyComplex_FromDoubles(z.real(), z.imag());
    }
    case type_code::complex128: {
      const auto z = load<std::complex<double>>(element);
      return PyComplex_FromDoubles(z.real(), z.imag());
    }
    case type_code::structured:
      throw type_error("a structured element is not a number");
    default:
      return visit<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t>(
          code, [&]<class T>(std::type_identity<T>) {
            const T value = load<T>(element);
            return std::is_signed_v<T> ? PyLong_FromLongLong(value)
                                       : PyLong_FromUnsignedLongLong(value);
          });
  }
}

}  // namespace usmx::bindings
