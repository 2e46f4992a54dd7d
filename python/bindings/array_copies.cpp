#include "array_copies.hpp"

#include <optional>

#include "array.hpp"
#include "element.hpp"
#include "held_buffer.hpp"
#include "usmx/copy.hpp"

namespace usmx::bindings {
namespace {

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
