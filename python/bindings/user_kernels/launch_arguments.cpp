#include <complex>
#include <optional>

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "objects/array.hpp"
#include "support/hooks.hpp"
#include "support/nanobind.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::bindings {
namespace {

using number = kernel_argument::number;

kernel_argument argument_of(number value) { return kernel_argument(value); }

/// A Python int.
kernel_argument integer_argument(PyObject* integer) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow == 0) {
    return argument_of(std::int64_t{value});
  }
  if (overflow > 0) {
    const unsigned long long larger = PyLong_AsUnsignedLongLong(integer);
    if (!PyErr_Occurred()) {
      return argument_of(std::uint64_t{larger});
    }
    PyErr_Clear();
  }
  const auto found = nb::cast<nb::str>(hooks::short_repr(nb::handle(integer)));
  return kernel_argument(kernel_argument::large_integer{found.c_str()});
}

/// An element in host memory as a number; none for a structure.
std::optional<number> number_at(dtype type, const void* element) {
  const auto* from = static_cast<const std::byte*>(element);
  const auto converted = [&]<class To>(To to) {
    convert_element(type, from, dtype::of<To>(), reinterpret_cast<std::byte*>(&to));
    return std::optional<number>(to);
  };
  switch (type.kind()) {
    case 'b':
      return converted(bool{});
    case 'i':
      return converted(std::int64_t{});
    case 'u':
      return converted(std::uint64_t{});
    case 'f':
      return converted(double{});
    case 'c':
      return converted(std::complex<double>{});
    default:
      return std::nullopt;
  }
}

/// Whether a structured scalar of NumPy has Python objects in it.
bool has_objects(PyObject* object) {
  const nb::object type = nb::getattr(nb::handle(object), "dtype", nb::none());
  return nb::cast<bool>(nb::bool_(nb::getattr(type, "hasobject", nb::bool_(false))));
}

}  // namespace

kernel_argument unsuitable(PyObject* object) {
  const bool is_of_host = PyObject_CheckBuffer(object) || PyList_Check(object);
  return kernel_argument(kernel_argument::unsuitable{
      detail::message("an object of type ", type_name(object),
                      is_of_host ? "; usmx.asarray makes an array in USM of it" : "")});
}

launch_arguments::launch_arguments(std::span<PyObject* const> arguments,
                                   const kernel_signature& signature) {
  all_.reserve(arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    // The library counts the arguments, and refuses too many.
    all_.push_back(k < signature.parameters.size()
                       ? argument_for(signature.parameters[k], arguments[k])
                       : unsuitable(arguments[k]));
  }
}

kernel_argument launch_arguments::argument_for(const kernel_parameter& parameter,
                                               PyObject* object) {
  if (const array* own = as_array(object)) {
    return *own;
  }
  if (const auto* memory = value_in<py_local_memory>(object)) {
    return local_memory{memory->type, memory->count};
  }
  if (parameter.form == parameter_form::value) {
    return value_of(parameter, object);
  }
  if (std::optional<array> found = array_of_other_producer(object)) {
    imported_.push_back(std::make_unique<array>(*std::move(found)));
    return *imported_.back();
  }
  return unsuitable(object);
}

kernel_argument launch_arguments::value_of(const kernel_parameter& parameter, PyObject* object) {
  if (PyFloat_Check(object)) {
    return argument_of(PyFloat_AS_DOUBLE(object));
  }
  if (PyBool_Check(object)) {
    return argument_of(object == Py_True);
  }
  if (PyLong_Check(object)) {
    return integer_argument(object);
  }
  if (PyComplex_CheckExact(object)) {
    return argument_of(
        std::complex(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)));
  }
  if (PyObject_CheckBuffer(object)) {
    return value_in_buffer(parameter, object);
  }
  if (PyIndex_Check(object)) {
    return integer_argument(checked(run_python([&] { return PyNumber_Index(object); })).ptr());
  }
  return unsuitable(object);
}

/// Scalars of NumPy and ctypes, and structures, are buffers without dimensions.
kernel_argument launch_arguments::value_in_buffer(const kernel_parameter& parameter,
                                                  PyObject* object) {
  const bool is_structure = parameter.type == type_code::structured;
  auto held = std::make_unique<held_buffer>(
      object,
      PyBUF_STRIDED_RO | (is_structure ? 0 : PyBUF_FORMAT));  // not all formats can be written
  const Py_buffer& view = held->view();
  if (view.ndim != 0) {
    return unsuitable(object);
  }
  if (is_structure && has_objects(object)) {
    return kernel_argument(
        kernel_argument::unsuitable{"a structure with Python objects, which no device can use"});
  }
  if (is_structure) {
    const kernel_argument::structure found{view.buf, held->nbytes(), 1};
    buffers_.push_back(std::move(held));
    return kernel_argument(found);
  }
  const std::optional<dtype> type = plain_type(view);
  const std::optional<number> value = type ? number_at(*type, view.buf) : std::nullopt;
  return value ? argument_of(*value) : unsuitable(object);
}

const kernel_signature& value_signature() {
  static const kernel_signature& value =
      *new kernel_signature{"", {{parameter_form::value, type_code::float64, 8, 8, "double"}}, 0};
  return value;
}

std::optional<number> number_argument(PyObject* object) {
  const launch_arguments made({&object, 1}, value_signature());
  const auto* found = std::get_if<number>(&made.all()[0].value());
  return found == nullptr ? std::nullopt : std::optional(*found);
}

const sycl::queue* queue_of_all(const std::string& kernel,
                                std::span<const kernel_argument> arguments) {
  const sycl::queue* first = nullptr;
  bool are_on_one = true;
  for (const kernel_argument& each : arguments) {
    if (const auto* found = std::get_if<const array*>(&each.value())) {
      const sycl::queue& queue = internal::private_queue(**found);
      first = first == nullptr ? &queue : first;
      are_on_one = are_on_one && queue == *first;
    }
  }
  if (!are_on_one) {
    nb::list named;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (const auto* found = std::get_if<const array*>(&arguments[k].value())) {
        named.append(nb::make_tuple(detail::message("argument ", k + 1), to_python(**found)));
      }
    }
    hooks::common_queue_of_arguments(kernel, named);
  }
  return first;
}

}  // namespace usmx::bindings
