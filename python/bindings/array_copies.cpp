#include "array_copies.hpp"

#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "array.hpp"
#include "dtype_argument.hpp"
#include "held_buffer.hpp"
#include "usmx/copy.hpp"

namespace usmx::bindings {
namespace {

// ---- element types of PEP 3118 buffers

bool contains(std::string_view text, char c) { return text.find(c) != text.npos; }

/// The kind of the letters that a plain element's format has behind its byte order; 0 for others.
char kind_of_format(std::string_view letters) {
  if (letters == "?") return 'b';
  if (letters == "Zf" || letters == "Zd") return 'c';
  if (letters.size() != 1) return 0;
  if (contains("bhilqn", letters[0])) return 'i';
  if (contains("BHILQN", letters[0])) return 'u';
  if (contains("efd", letters[0])) return 'f';
  return 0;
}

/// The type of a plain element; none for any other. How long a letter is depends on the byte order
/// in front of it, and is what the buffer says.
std::optional<dtype> plain_type(const Py_buffer& host) {
  constexpr std::string_view foreign_order =
      std::endian::native == std::endian::little ? ">!" : "<";
  std::string_view format = host.format == nullptr ? "B" : host.format;
  if (!format.empty() && contains("@=<>!^", format[0])) {
    if (contains(foreign_order, format[0]) && host.itemsize > 1) {
      return std::nullopt;
    }
    format.remove_prefix(1);
  }
  const char kind = kind_of_format(format);
  for (int code = 0; code < type_count; ++code) {
    const dtype candidate(static_cast<type_code>(code));
    if (candidate.kind() == kind &&
        candidate.itemsize() == static_cast<std::size_t>(host.itemsize)) {
      return candidate;
    }
  }
  return std::nullopt;
}

// ---- arrays and NumPy-like buffers

/// The other side of a copy in a buffer of the same shape. A structured element is whatever has as
/// many bytes: not every format of it can be written, and Python has compared the types.
host_array host_side(const Py_buffer& host, const array& other) {
  std::optional<dtype> type;
  if (!other.type().is_structured()) {
    type = plain_type(host);
  } else if (static_cast<std::size_t>(host.itemsize) == other.type().itemsize()) {
    type = other.type();
  }
  if (!type) {
    throw value_error(
        detail::message("host buffer must have elements that can be converted to or "
                        "from ",
                        other.type(), ", found format '", host.format == nullptr ? "" : host.format,
                        "' of ", host.itemsize, " bytes"));
  }
  const auto axes = static_cast<std::size_t>(host.ndim);
  return {static_cast<std::byte*>(host.buf), *type, {host.shape, axes}, {host.strides, axes}};
}

int with_format(const array& other, int flags) {
  return other.type().is_structured() ? flags : flags | PyBUF_FORMAT;
}

void copy_array_to_host(const py_array& source, nb::handle destination) {
  const held_buffer host(destination, with_format(source.value, PyBUF_STRIDED));
  const host_array target = host_side(host.view(), source.value);
  const without_interpreter_lock unlocked;
  source.value.wait();
  copy_to_host(source.value.private_view(), target);
}

void copy_host_to_array(const py_array& destination, nb::handle source) {
  const held_buffer host(source, with_format(destination.value, PyBUF_STRIDED_RO));
  const host_array from = host_side(host.view(), destination.value);
  const without_interpreter_lock unlocked;
  destination.value.wait();
  copy_from_host(from, destination.value.private_view());
}

// ---- arrays and arrays

void copy_broadcast(const array& source, const array& destination) {
  const array spread = source.with_layout(broadcast(source.layout(), destination.shape()));
  const without_interpreter_lock unlocked;
  source.wait();
  if (source.memory() != destination.memory()) {
    destination.wait();
  }
  copy(spread.private_view(), destination.private_view());
}

// ---- filling

/// The bytes of one element of a type.
class element {
 public:
  explicit element(dtype type) : type_(type), bytes_(type.itemsize()) {}
  dtype type() const noexcept { return type_; }
  std::byte* data() noexcept { return bytes_.data(); }

  /// Any plain C++ value, converted as an element of its type would be.
  template <element_type T>
  void set(T value) {
    set(dtype::of<T>(), reinterpret_cast<const std::byte*>(&value));
  }
  void set(dtype from, const std::byte* value) { convert_element(from, value, type_, data()); }

 private:
  dtype type_;
  std::vector<std::byte> bytes_;
};

[[noreturn]] void throw_out_of_bounds(nb::handle integer, dtype type) {
  PyErr_Format(PyExc_OverflowError, "Python integer %R out of bounds for %s", integer.ptr(),
               type.name().data());
  nb::raise_python_error();
}

/// A Python int as an integer element, when it is in range.
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
  const double value = PyFloat_AsDouble(number.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    nb::raise_python_error();
  }
  return value;
}

/// A bool, int or float of Python.
void set_real(element& to, nb::handle number) {
  switch (to.type().kind()) {
    case 'b':
      return to.set(PyObject_IsTrue(number.ptr()) == 1);
    case 'i':
    case 'u': {
      const nb::object integer = nb::steal(PyNumber_Long(number.ptr()));  // refuses NaN, infinity
      if (!integer.is_valid()) {
        nb::raise_python_error();
      }
      return set_integer(to, integer);
    }
    default:
      return to.set(to_double(number));
  }
}

void set_complex(element& to, nb::handle number) {
  const Py_complex value = PyComplex_AsCComplex(number.ptr());
  const std::complex<double> parts(value.real, value.imag);
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

/// A scalar of NumPy or an array without dimensions, by its buffer. False when it is none.
bool set_from_buffer(element& to, nb::handle scalar) {
  if (!PyObject_CheckBuffer(scalar.ptr())) {
    return false;
  }
  Py_buffer view;
  if (PyObject_GetBuffer(scalar.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();  // NumPy's dates, for one
    return false;
  }
  const std::optional<dtype> type = view.ndim == 0 ? plain_type(view) : std::nullopt;
  if (type) {
    to.set(*type, static_cast<const std::byte*>(view.buf));
  }
  PyBuffer_Release(&view);
  return type.has_value();
}

/// Whatever else NumPy would take for an item: strings, tuples for structured types, and so on.
void set_by_numpy(element& to, nb::handle scalar) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object item = numpy.attr("zeros")(nb::make_tuple(), to_numpy_dtype(to.type()));
  item[nb::ellipsis()] = nb::borrow(scalar);
  const nb::object bytes = item.attr("tobytes")();
  std::memcpy(to.data(), PyBytes_AsString(bytes.ptr()), to.type().itemsize());
}

element to_element(dtype type, nb::handle scalar) {
  element result(type);
  if (type.is_structured()) {
    set_by_numpy(result, scalar);
  } else if (is_python_real(scalar.ptr())) {
    set_real(result, scalar);
  } else if (PyComplex_CheckExact(scalar.ptr())) {
    set_complex(result, scalar);
  } else if (!set_from_buffer(result, scalar)) {
    set_by_numpy(result, scalar);
  }
  return result;
}

void fill_array(const py_array& destination, nb::handle scalar) {
  const array& to = destination.value;
  if (const array* from = as_array(scalar.ptr()); from != nullptr && from->ndim() == 0) {
    return copy_broadcast(*from, to);
  }
  element value = to_element(to.type(), scalar);
  const without_interpreter_lock unlocked;
  to.wait();
  fill(to.private_view(), value.data());
}

}  // namespace

void bind_array_copies(nb::module_& m) {
  m.def(
      "_copy",
      [](const py_array& source, const py_array& destination) {
        copy_broadcast(source.value, destination.value);
      },
      nb::sig("def _copy(source: USMArray, destination: USMArray, /) -> None"),
      "Copies the elements, converted to the destination's type and repeated to its shape. Waits.");
  m.def("_fill", &fill_array, nb::arg("destination"), nb::arg("scalar").none(),
        nb::sig("def _fill(destination: USMArray, scalar: object) -> None"),
        "Sets every element to a number, converted as NumPy's assignment of an item does: a "
        "Python int that does not fit raises OverflowError. Waits.");
  m.def("_copy_to_host", &copy_array_to_host,
        nb::sig("def _copy_to_host(source: USMArray, destination: object, /) -> None"),
        "Copies into a writable buffer of the same shape, converted to its elements' type. Waits.");
  m.def("_copy_from_host", &copy_host_to_array,
        nb::sig("def _copy_from_host(destination: USMArray, source: object, /) -> None"),
        "Copies from a buffer of the same shape, converted from its elements' type. Waits.");
}

}  // namespace usmx::bindings
