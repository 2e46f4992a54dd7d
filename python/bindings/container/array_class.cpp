#include "container/container.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "elements/dtype_argument.hpp"
#include "exchange/producers.hpp"
#include "memory/memory_argument.hpp"
#include "objects/array.hpp"
#include "objects/buffer_protocol.hpp"
#include "objects/memory.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/errors.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/layout/element_order.hpp"
#include "usmx/runtime/device_types.hpp"

namespace usmx::bindings {
namespace {

// ---- USMArray(shape, dtype, buffer, ...)

layout layout_argument(nb::handle shape, nb::handle strides, std::ptrdiff_t offset,
                       nb::handle order) {
  const counts extents = shape_argument(shape);
  const element_order letter = order_argument(order, c_or_f);
  if (strides.is_none()) {
    return compact(extents.span(), letter, offset);
  }
  return layout::strided(extents.span(), counts("strides", strides.ptr()).span(), offset);
}

memory_options memory_options_from(nb::handle kwargs) {
  if (!PyDict_Check(kwargs.ptr())) {
    throw_wrong_type("buffer_ctor_kwargs", "a dict", kwargs.ptr());
  }
  memory_options options;
  for (const auto [key, value] : nb::borrow<nb::dict>(kwargs)) {
    const std::string name = nb::isinstance<nb::str>(key)
                                 ? std::string(to_text("a key of buffer_ctor_kwargs", key.ptr()))
                                 : "";
    if (name == "queue") {
      options.queue = nb::borrow(value);
    } else if (name == "alignment") {
      options.alignment = alignment_argument(value);
    } else if (name == "copy") {
      options.copy = flag_argument("copy", value);
    } else {
      throw type_error(
          detail::message("buffer_ctor_kwargs takes 'queue', 'alignment' and 'copy', found ",
                          repr_text(key.ptr())));
    }
  }
  return options;
}

/// What `buffer=` names, when it is not a kind of memory: the memory and its Python object.
struct given_memory {
  std::shared_ptr<buffer> memory;
  nb::object object;
  bool readonly = false;  // beyond what the memory is: a read-only array's memory may be writable
};

given_memory existing_memory(nb::handle object) {
  if (std::shared_ptr<buffer> own = as_memory(object.ptr())) {
    return {std::move(own), nb::borrow(object)};
  }
  if (const py_array* other = value_in<py_array>(object.ptr())) {
    return {other->value.owner(), other->base, other->value.readonly()};
  }
  std::shared_ptr<buffer> imported = memory_of_producer(object.ptr());
  if (imported == nullptr) {
    throw_wrong_type("buffer",
                     "'device', 'shared', 'host' or an object with __sycl_usm_array_interface__",
                     object.ptr());
  }
  return {std::move(imported), nb::object()};
}

py_array construct(nb::handle shape, nb::handle dtype_object, nb::handle buffer_object,
                   nb::handle strides, std::ptrdiff_t offset, nb::handle order,
                   nb::handle buffer_ctor_kwargs) {
  layout where = layout_argument(shape, strides, offset, order);
  const memory_options options = memory_options_from(buffer_ctor_kwargs);
  if (nb::isinstance<nb::str>(buffer_object)) {
    const usm_kind kind = kind_argument(buffer_object);
    const sycl::queue queue = queue_argument(options.queue, nb::none());
    const dtype type = dtype_argument_on(queue.get_device(), dtype_object, type_code::float64);
    return {make_array(fitted_to_new_memory(where), type, queue, kind, first_use::in_order,
                       options.alignment),
            nb::object()};
  }
  given_memory given = existing_memory(buffer_object);
  std::shared_ptr<buffer> memory = take_memory(given.memory, given.memory->kind(), options);
  if (memory != given.memory) {
    given.object.reset();
    given.readonly = false;
  }
  const dtype type =
      dtype_object.is_none()
          ? nearest_supported(type_code::float64,
                              support_of(internal::private_queue(*memory).get_device()))
          : dtype_argument(dtype_object);
  const bool is_view = memory == given.memory;
  py_array made(array(std::move(memory), type, std::move(where), given.readonly),
                std::move(given.object));
  made.is_view = is_view;
  return made;
}

void bind_construction(nb::class_<py_array>& cls) {
  cls.def(
      "__init__",
      [](nb::pointer_and_handle<py_array> self, nb::handle shape, nb::handle dtype,
         nb::handle buffer, nb::handle strides, std::ptrdiff_t offset, nb::handle order,
         nb::handle buffer_ctor_kwargs) {
        initialize(self, [&] {
          return construct(shape, dtype, buffer, strides, offset, order, buffer_ctor_kwargs);
        });
      },
      nb::arg("shape").none(), nb::arg("dtype") = nb::none(), nb::arg("buffer").none() = "device",
      nb::arg("strides") = nb::none(), nb::arg("offset") = 0, nb::arg("order").none() = "C",
      nb::arg("buffer_ctor_kwargs").none() = nb::dict(),
      nb::sig("def __init__(self, shape: int | typing.Sequence[int], dtype: typing.Any = None, "
              "buffer: str | _Producer = 'device', strides: typing.Sequence[int] | None = None, "
              "offset: int = 0, order: str = 'C', buffer_ctor_kwargs: dict[str, typing.Any] = {}) "
              "-> None"),
      R"(Make an array in new memory, or in memory that exists. Does not wait.

New memory is exactly as large as the elements span, and the elements are not set. The arguments are those of
``dpnp.tensor.usm_ndarray``.

Args:
    shape: an integer or a sequence of integers.
    dtype: the element type. By default float64, or float32 on a device without float64.
    buffer: the kind of new memory, 'device', 'shared' or 'host'; or the memory that exists: a memory object,
        an array or any other producer.
    strides: in elements. By default `order` decides.
    offset: how many elements element zero is away from the first byte of the memory. In new memory with
        negative strides, 0 stands for the offset that fits.
    order: 'C' or 'F', the order of the elements if there are no `strides`.
    buffer_ctor_kwargs: 'queue', 'alignment' and 'copy', for the constructor of new memory.

Raises:
    ValueError: an element would lie outside of the memory, or the device of new memory lacks the type.
    TypeError: an argument has a wrong type.
    USMAllocationError: the memory cannot be allocated.

Example:
    >>> usmx.USMArray((2, 3), 'f4', 'shared').strides
    (3, 1))");
}

// ---- slots

Py_ssize_t rows(PyObject* self) {
  return guarded<Py_ssize_t>(-1, [&]() -> Py_ssize_t {
    const array& a = ready_instance<py_array>(self).value;
    if (a.ndim() == 0) {
      throw type_error("len() of a 0-dimensional array");
    }
    return a.shape()[0];
  });
}

int get_array_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded(
      -1, [&] { return get_buffer(self, ready_instance<py_array>(self).value, view, flags); });
}

void require_made(nb::handle array) {
  if (value_in<py_array>(array.ptr()) == nullptr) {
    throw_wrong_type("array", "a USMArray", array.ptr());
  }
}

PyType_Slot array_slots[] = {{Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                             {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
                             {Py_mp_length, reinterpret_cast<void*>(rows)},
                             {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                             {Py_bf_getbuffer, reinterpret_cast<void*>(get_array_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

}  // namespace

void bind_array_class(nb::module_& m) {
  std::vector<PyType_Slot> slots = with_operators(with_scalars(array_slots));
  auto cls = pooled_class<py_array>(m, "USMArray", nb::type_slots(slots.data()),
                                    nb::is_weak_referenceable(),
                                    "An n-dimensional array in unified shared memory.");
  set_python_class<py_array>(cls);
  bind_construction(cls);
  bind_exchange_methods(cls);
  bind_attributes(m, cls);
  bind_methods(cls);
  bind_scalars(cls);
  bind_shape_methods(cls);
  bind_iteration(m, cls);
  m.def("_require_made", &require_made, nb::arg("array").none(),
        nb::sig("def _require_made(array: USMArray) -> None"),
        "TypeError for what __new__ alone has made: for methods that are written in Python.");
}

}  // namespace usmx::bindings
