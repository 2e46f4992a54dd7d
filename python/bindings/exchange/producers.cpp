#include "exchange/producers.hpp"

#include <optional>
#include <utility>

#include "exchange/import.hpp"
#include "objects/array.hpp"
#include "objects/memory.hpp"
#include "objects/owners.hpp"
#include "support/arguments.hpp"

namespace usmx::bindings {
namespace {

/// The bytes from the lowest to the highest element.
buffer touched_part(const array& a, detail::release_action release) {
  const auto itemsize = static_cast<std::ptrdiff_t>(a.type().itemsize());
  const auto span = a.layout().span();
  const std::ptrdiff_t first = span ? span->first * itemsize : 0;
  const std::ptrdiff_t end = span ? (span->last + 1) * itemsize : 0;
  return buffer::part_of(a.owner(), a.owner()->data() + first,
                         static_cast<std::size_t>(end - first), a.readonly(), std::move(release));
}

nb::object view_of_any(nb::handle object) {
  nb::object view = view_of_producer(object);
  if (!view.is_valid()) {
    throw_wrong_type("obj", "an object with __sycl_usm_array_interface__", object.ptr());
  }
  return view;
}

}  // namespace

std::optional<array> array_of_other_producer(PyObject* object) {
  if (const std::shared_ptr<buffer> own = as_memory(object)) {
    return as_bytes(own);
  }
  return import_producer(object);
}

nb::object view_of_producer(nb::handle object) {
  if (const py_array* own = value_in<py_array>(object.ptr())) {
    return to_python(*own, array(own->value));
  }
  if (std::shared_ptr<buffer> own = as_memory(object.ptr())) {
    return to_python(as_bytes(own), nb::borrow(object));
  }
  std::optional<array> imported = import_producer(object.ptr());
  return imported ? to_python(*std::move(imported)) : nb::object();
}

nb::object array_or_view(nb::handle object) {
  if (Py_TYPE(object.ptr()) != python_class<py_array>) {
    return view_of_producer(object);
  }
  ready_instance<py_array>(object.ptr());  // refuses what __new__ alone has made
  return nb::borrow(object);
}

array_argument::array_argument(const char* what, nb::handle object) : held_(array_or_view(object)) {
  if (!held_.is_valid()) {
    throw_wrong_type(what, "an object with __sycl_usm_array_interface__ (usmx.asarray makes one)",
                     object.ptr());
  }
}

std::shared_ptr<buffer> memory_of_producer(PyObject* object) {
  if (const std::shared_ptr<buffer> own = as_memory(object)) {
    return is_plain_memory(object)
               ? own
               : std::make_shared<buffer>(buffer::part_of(own, own->data(), own->nbytes(),
                                                          own->readonly(), keep_alive(object)));
  }
  if (const array* own = as_array(object)) {
    const bool is_plain = Py_TYPE(object) == python_class<py_array>;
    return std::make_shared<buffer>(
        touched_part(*own, is_plain ? detail::release_action() : keep_alive(object)));
  }
  const std::optional<array> imported = import_producer(object);
  return imported ? imported->owner() : nullptr;
}

void bind_producers(nb::module_& m) {
  m.def(
      "from_usm_array_interface", &view_of_any, nb::arg("obj").none(),
      nb::sig("def from_usm_array_interface(obj: _Producer) -> USMArray"),
      R"(View the memory of a producer, always without a copy. Does not wait, unless the producer does.

Pointer, bounds, alignment, device and read-only flag are checked. docs/protocol.md says how.

Args:
    obj: an object with ``__sycl_usm_array_interface__``.

Returns:
    A USMArray that keeps the producer alive.

Raises:
    TypeError: `obj` is no producer, or a key has a wrong type.
    ValueError: what `obj` says of its memory breaks a rule of the protocol.

Example:
    >>> import dpnp.tensor
    >>> print(usmx.from_usm_array_interface(dpnp.tensor.arange(3)))
    [0 1 2])");
  m.def(
      "_as_array",
      [](nb::handle obj) {
        nb::object view = array_or_view(obj);
        return view.is_valid() ? view : nb::none();
      },
      nb::arg("obj").none(), nb::sig("def _as_array(obj: object) -> USMArray | None"),
      "The array itself, a view of any other producer, or None.");
}

}  // namespace usmx::bindings
