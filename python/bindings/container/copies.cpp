#include "container/copies.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/owners.hpp"
#include "objects/waiting.hpp"
#include "support/held_buffer.hpp"
#include "sycl_objects/sycl_event.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/copy_async.hpp"

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
  ordered(is_short(source.value), [&] { copy_to_host(source.value, target); });
}

void copy_host_to_array(const py_array& destination, nb::handle source) {
  const held_buffer host(source, with_format(destination.value, PyBUF_STRIDED_RO));
  const host_array from = host_side(host.view(), destination.value);
  ordered(is_short(destination.value), [&] { copy_from_host(from, destination.value); });
}

// ---- arrays and arrays

array spread_to(const array& source, const array& destination) {
  return internal::with_layout(source, broadcast(source.layout(), destination.shape()));
}

void copy_broadcast(const array& source, const array& destination) {
  const array spread = spread_to(source, destination);
  ordered(is_short(spread) && is_short(destination), [&] { copy(spread, destination); });
}

// ---- the same, not waited for

sycl::event copy_broadcast_async(const array& source, const array& destination) {
  const array spread = spread_to(source, destination);
  return ordered(is_short(spread) && is_short(destination),
                 [&] { return copy_async(spread, destination); });
}

/// An object's buffer, kept with the object until the last user is gone, on whatever thread.
struct shared_buffer {
  shared_buffer(nb::handle object, int flags) {
    auto held = std::make_unique<held_buffer>(object, flags);
    view = &held->view();
    owner = std::make_shared<detail::release_action>(keep_alive(object.ptr(), std::move(held)));
  }
  const Py_buffer* view;
  std::shared_ptr<const void> owner;
};

nb::object copy_array_to_host_async(const py_array& source, nb::handle destination) {
  shared_buffer host(destination, with_format(source.value, PyBUF_STRIDED));
  const host_array to = host_side(*host.view, source.value);
  return to_python(ordered(is_short(source.value),
                           [&] { return copy_to_host_async(source.value, to, host.owner); }));
}

nb::object copy_host_to_array_async(const py_array& destination, nb::handle source) {
  shared_buffer host(source, with_format(destination.value, PyBUF_STRIDED_RO));
  const host_array from = host_side(*host.view, destination.value);
  return to_python(ordered(is_short(destination.value), [&] {
    return copy_from_host_async(from, destination.value, host.owner);
  }));
}

sycl::event start_filling(const array& destination, nb::handle scalar) {
  if (const array* from = as_array(scalar.ptr()); from != nullptr && from->ndim() == 0) {
    return copy_broadcast_async(*from, destination);
  }
  const element value = to_element(destination.type(), scalar);
  return ordered(is_short(destination), [&] { return fill_async(destination, value.data()); });
}

}  // namespace

void fill_array(const py_array& destination, nb::handle scalar) {
  const array& to = destination.value;
  if (const array* from = as_array(scalar.ptr()); from != nullptr && from->ndim() == 0) {
    return copy_broadcast(*from, to);
  }
  const element value = to_element(to.type(), scalar);
  ordered(is_short(to), [&] { fill(to, value.data()); });
}

void bind_copies(nb::module_& m) {
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
  m.def(
      "_copy_async",
      [](const py_array& source, const py_array& destination) {
        return to_python(copy_broadcast_async(source.value, destination.value));
      },
      nb::sig("def _copy_async(source: USMArray, destination: USMArray, /) -> SyclEvent"),
      "_copy, started and not waited for.");
  m.def(
      "_fill_async",
      [](const py_array& destination, nb::handle scalar) {
        return to_python(start_filling(destination.value, scalar));
      },
      nb::arg("destination"), nb::arg("scalar").none(),
      nb::sig("def _fill_async(destination: USMArray, scalar: object) -> SyclEvent"),
      "_fill, started and not waited for.");
  m.def("_copy_to_host_async", &copy_array_to_host_async,
        nb::sig("def _copy_to_host_async(source: USMArray, destination: object, /) -> SyclEvent"),
        "_copy_to_host, started and not waited for; keeps the buffer meanwhile.");
  m.def("_copy_from_host_async", &copy_host_to_array_async,
        nb::sig("def _copy_from_host_async(destination: USMArray, source: object, /) -> SyclEvent"),
        "_copy_from_host, started and not waited for; keeps the buffer meanwhile.");
}

}  // namespace usmx::bindings
