#include "array.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "array_copies.hpp"
#include "array_flags.hpp"
#include "array_items.hpp"
#include "array_iteration.hpp"
#include "array_key.hpp"
#include "array_making.hpp"
#include "array_operators.hpp"
#include "array_scalars.hpp"
#include "array_shapes.hpp"
#include "buffer_protocol.hpp"
#include "device.hpp"
#include "dtype_argument.hpp"
#include "interface.hpp"
#include "memory.hpp"
#include "shortcut.hpp"
#include "sycl_event.hpp"
#include "sycl_objects.hpp"
#include "syclobj.hpp"
#include "usmx/array/field_view.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/zeros.hpp"
#include "usmx/layout/axes.hpp"
#include "usmx/layout/structure.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/device_types.hpp"

namespace usmx::bindings {
namespace {

PyTypeObject* array_type = nullptr;

// ---- the constructor

layout layout_argument(nb::handle shape, nb::handle strides, std::ptrdiff_t offset,
                       nb::handle order) {
  const counts extents = shape_argument(shape);
  const bool f_order = order_argument(order, "CF") == 'F';
  if (strides.is_none()) {
    return f_order ? layout::f_order(extents.span(), offset)
                   : layout::c_order(extents.span(), offset);
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
  if (PyObject_TypeCheck(object.ptr(), array_type)) {
    const auto& other = ready_instance<py_array>(object.ptr());
    return {other.value.owner(), other.base, other.value.readonly()};
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
    const dtype type = type_on(queue.get_device(), dtype_object, type_code::float64);
    return {empty(fitted_to_new_memory(where), type, queue, kind, options.alignment), nb::object()};
  }
  given_memory given = existing_memory(buffer_object);
  std::shared_ptr<buffer> memory = take_memory(given.memory, given.memory->kind(), options);
  if (memory != given.memory) {
    given.object.reset();
    given.readonly = false;
  }
  const dtype type =
      dtype_object.is_none()
          ? nearest_supported(type_code::float64, support_of(memory->queue().get_device()))
          : dtype_argument(dtype_object);
  return {array(std::move(memory), type, std::move(where), given.readonly),
          std::move(given.object)};
}

// ---- slots

Py_ssize_t length(PyObject* self) {
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

PyType_Slot array_slots[] = {{Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                             {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
                             {Py_mp_length, reinterpret_cast<void*>(length)},
                             {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                             {Py_bf_getbuffer, reinterpret_cast<void*>(get_array_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

// ---- attributes

nb::object base_of(const py_array& a) {
  return a.base.is_valid() ? a.base : memory_object(a.value.owner());
}

/// The array API and dpnp.tensor have it for matrices only.
nb::object transposed_matrix(const py_array& a) {
  if (a.value.ndim() != 2) {
    throw value_error(detail::message(
        "T needs an array of 2 dimensions, found ", a.value.ndim(),
        ": mT swaps the last two, a.transpose() and usmx.permute_dims reorder any"));
  }
  return to_python(a, transposed(a.value.layout()));
}

/// The real (part 0) or imaginary (part 1) components of complex elements, in place.
py_array component(const py_array& a, std::ptrdiff_t part) {
  const dtype half =
      a.value.type().code() == type_code::complex64 ? type_code::float32 : type_code::float64;
  const layout doubled = a.value.layout().scaled(2);
  return {array::unchecked(a.value.owner(), half, doubled.with_offset(doubled.offset() + part),
                           a.value.readonly()),
          a.base};
}

nb::object real_part(nb::handle self) {
  const auto& a = ready_instance<py_array>(self.ptr());
  if (a.value.type().kind() != 'c') {
    return nb::borrow(self);
  }
  return nb::cast(component(a, 0));
}

void set_real_part(nb::handle self, nb::handle value) { real_part(self)[nb::ellipsis()] = value; }

void set_imaginary_part(const py_array& a, nb::handle value) {
  if (a.value.type().kind() != 'c') {
    throw type_error(detail::message("elements of type ", a.value.type(),
                                     " have no imaginary part to set: expected complex ones"));
  }
  nb::cast(component(a, 1))[nb::ellipsis()] = value;
}

py_array imaginary_part(const py_array& a) {
  if (a.value.type().kind() == 'c') {
    return component(a, 1);
  }
  const without_interpreter_lock unlocked;
  const array zero = zeros(a.value.shape(), a.value.type(), a.value.queue(), a.value.kind());
  return {zero.as_readonly(), nb::object()};
}

void bind_attributes(nb::class_<py_array>& cls) {
  const auto number = [&](const char* name, auto get, const char* doc = "") {
    cls.def_prop_ro(name, [get](const py_array& a) { return get(a.value); }, doc);
  };
  number("ndim", [](const array& a) { return a.ndim(); });
  number("nd", [](const array& a) { return a.ndim(); }, "The same as ndim.");
  number("size", [](const array& a) { return a.size(); }, "Number of elements.");
  number(
      "nbytes", [](const array& a) { return a.nbytes(); },
      "Bytes of the elements, gaps between them not counted.");
  number("itemsize", [](const array& a) { return a.type().itemsize(); }, "Bytes of one element.");
  number(
      "offset", [](const array& a) { return a.layout().offset(); },
      "Elements from the first byte of `base` to element zero.");
  number(
      "usm_type", [](const array& a) { return name(a.kind()); }, "'device', 'shared' or 'host'.");
  number(
      "_pointer", [](const array& a) { return reinterpret_cast<std::uintptr_t>(a.data()); },
      "The address of element zero.");
  cls.def_prop_ro(
         "shape", [](const py_array& a) { return to_tuple(a.value.shape()); },
         nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "strides", [](const py_array& a) { return to_tuple(a.value.strides()); },
          nb::sig("def strides(self) -> tuple[int, ...]"), "In elements, not bytes.")
      .def_prop_ro(
          "dtype", [](const py_array& a) { return to_numpy_dtype(a.value.type()); },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"))
      .def_prop_ro(
          "flags", [](nb::handle self) { return flags_of(self); },
          nb::sig("def flags(self) -> Flags"))
      .def_prop_ro("base", &base_of, nb::sig("def base(self) -> _Memory"),
                   "The memory object that holds the elements.")
      .def_prop_ro("usm_data", &base_of, nb::sig("def usm_data(self) -> _Memory"),
                   "The same as base.")
      .def_prop_ro(
          "sycl_queue", [](const py_array& a) { return to_python(a.value.queue()); },
          nb::sig("def sycl_queue(self) -> SyclQueue"))
      .def_prop_ro(
          "sycl_context",
          [](const py_array& a) { return to_python(a.value.queue().get_context()); },
          nb::sig("def sycl_context(self) -> SyclContext"))
      .def_prop_ro(
          "sycl_device", [](const py_array& a) { return to_python(a.value.queue().get_device()); },
          nb::sig("def sycl_device(self) -> SyclDevice"))
      .def_prop_ro(
          "device", [](const py_array& a) { return device_on(a.value.queue()); },
          nb::sig("def device(self) -> Device"), "Where the array is; every `device=` takes it.")
      .def_prop_ro("T", &transposed_matrix, nb::sig("def T(self) -> USMArray"),
                   "A view of a matrix with its two dimensions swapped; ValueError when there are "
                   "not 2 dimensions.")
      .def_prop_ro(
          "mT", [](const py_array& a) { return to_python(a, matrix_transposed(a.value.layout())); },
          nb::sig("def mT(self) -> USMArray"), "A view with the last two dimensions swapped.")
      .def_prop_rw("real", &real_part, &set_real_part,
                   nb::for_getter(nb::sig("def real(self) -> USMArray")),
                   nb::for_setter(nb::arg("value").none()),
                   nb::for_setter(nb::sig("def real(self, value: typing.Any, /) -> None")),
                   "A view of the real parts; the array itself when its type is real. Setting it "
                   "is ``a.real[...] = value``.")
      .def_prop_rw("imag", &imaginary_part, &set_imaginary_part,
                   nb::for_getter(nb::sig("def imag(self) -> USMArray")),
                   nb::for_setter(nb::arg("value").none()),
                   nb::for_setter(nb::sig("def imag(self, value: typing.Any, /) -> None")),
                   "A view of the imaginary parts; read-only zeros when the type is real, which "
                   "cannot be set (TypeError).")
      .def_prop_ro(
          "__sycl_usm_array_interface__", [](const py_array& a) { return to_dictionary(a.value); },
          nb::sig("def __sycl_usm_array_interface__(self) -> dict[str, typing.Any]"));
}

nb::object formatted(nb::handle self, const char* how) {
  return nb::module_::import_("usmx._container.formatting").attr(how)(self);
}

/// usmx._container.conversion.<function>(self, ...).
nb::object call_python(const char* function, nb::handle self, const nb::args& args,
                       const nb::kwargs& kwargs) {
  return nb::module_::import_("usmx._container.conversion").attr(function)(self, *args, **kwargs);
}

nb::object duplicate(nb::handle self, nb::handle memo) {
  return nb::module_::import_("usmx._container.array_pickling").attr("copy_array")(self, memo);
}

void bind_pickling(nb::class_<py_array>& cls) {
  cls.def(
         "__reduce_ex__",
         [](nb::handle self, nb::handle protocol) {
           return nb::module_::import_("usmx._container.array_pickling")
               .attr("reduce_array")(self, protocol);
         },
         nb::arg("protocol"),
         nb::sig("def __reduce_ex__(self, protocol: typing.SupportsIndex) -> tuple[typing.Any, "
                 "...]"),
         "Pickles class, elements, order, kind, read-only flag and the device's filter string. "
         "Read back, the array is on usmx's own queue of that device. Waits.")
      .def(
          "__copy__", [](nb::handle self) { return duplicate(self, nb::none()); },
          nb::sig("def __copy__(self) -> typing.Self"),
          "The same elements in new, writable memory of the same kind on the same queue. Waits.")
      .def("__deepcopy__", &duplicate, nb::arg("memo"),
           nb::sig("def __deepcopy__(self, memo: dict[int, typing.Any]) -> typing.Self"));
}

void refuse_conversion(const py_array& a, nb::handle, nb::handle) {
  require_usable_process();  // else NumPy asks here because it gets no buffer
  throw type_error(detail::message("a USMArray in ", name(a.value.kind()),
                                   " memory cannot be converted to a NumPy array implicitly: "
                                   "usmx.asnumpy copies it to the host"));
}

void bind_methods(nb::class_<py_array>& cls) {
  cls.def(
         "readonly", [](const py_array& a) { return py_array{a.value.as_readonly(), a.base}; },
         "A view through which nothing can be written.")
      .def(
          "wait", [](const py_array& a) { wait_for(*a.value.owner()); },
          "Waits for all work on the memory that usmx can know of.")
      .def(
          "copy",
          [](const py_array& a, nb::handle order) {
            return to_python(copy_of(a.value, a.value.type(), a.value.kind(), a.value.queue(),
                                     order_argument(order, "CFAK")));
          },
          nb::arg("order").none() = "C", nb::sig("def copy(self, order: str = 'C') -> USMArray"),
          "A new array with the same elements, on the same queue and in the same kind of memory, "
          "in order 'C', 'F', 'A' or 'K' (as in asarray). Waits.")
      .def(
          "astype",
          [](nb::handle self, nb::args args, nb::kwargs kwargs) {
            return call_python("array_astype", self, args, kwargs);
          },
          nb::sig("def astype(self, dtype: object, order: str = 'K', casting: str = 'unsafe', "
                  "copy: bool = True, device: object = None) -> USMArray"),
          "The elements converted to another type: usmx.astype.")
      .def(
          "to_device",
          [](nb::handle self, nb::args args, nb::kwargs kwargs) {
            return call_python("to_device", self, args, kwargs);
          },
          nb::sig("def to_device(self, device: object, /, *, stream: SyclQueue | None = None) -> "
                  "USMArray"),
          "The array on another device or queue: itself if it is there, a view if the memory can "
          "be used there, else a copy.")
      .def(
          "record",
          [](const py_array& a, nb::handle event) {
            a.value.record(event_argument("event", event));
          },
          nb::arg("event").none(), nb::sig("def record(self, event: object) -> None"),
          "Announces unfinished work on the array's memory that usmx has not submitted: whoever "
          "reads the memory through usmx waits for it, and it is not freed before. `event` is a "
          "SyclEvent of usmx or dpctl, or a capsule 'SyclEventRef', which stays usable.")
      .def(
          "__repr__", [](nb::handle self) { return formatted(self, "array_repr"); },
          nb::sig("def __repr__(self) -> str"))
      .def(
          "__str__", [](nb::handle self) { return formatted(self, "array_str"); },
          nb::sig("def __str__(self) -> str"))
      .def(
          "__format__",
          [](nb::handle self, nb::handle specification) {
            return nb::module_::import_("usmx._container.formatting")
                .attr("format_array")(self, specification);
          },
          nb::arg("specification"), nb::sig("def __format__(self, specification: str, /) -> str"),
          "``str(a)``; with a format specification the element of a 0-d array, TypeError for "
          "others.")
      .def(
          "_repr_html_", [](nb::handle self) { return formatted(self, "array_html"); },
          nb::sig("def _repr_html_(self) -> str"))
      .def("__array__", &refuse_conversion, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: object = None, copy: object = None) -> "
                   "numpy.typing.NDArray[typing.Any]"),
           "Raises TypeError: NumPy asks only where there is no buffer, for device memory.");
  bind_numpy_functions(cls);
}

nb::object from_usm_array_interface(nb::handle object) {
  nb::object view = view_of_producer(object);
  if (!view.is_valid()) {
    throw_wrong_type("obj", "an object with __sycl_usm_array_interface__", object.ptr());
  }
  return view;
}

}  // namespace

const array* as_array(PyObject* object) {
  return PyObject_TypeCheck(object, array_type) ? &ready_instance<py_array>(object).value : nullptr;
}

nb::object view_of_producer(nb::handle object) {
  if (PyObject_TypeCheck(object.ptr(), array_type)) {
    const auto& own = ready_instance<py_array>(object.ptr());
    return to_python(array(own.value), own.base);
  }
  if (std::shared_ptr<buffer> own = as_memory(object.ptr())) {
    return to_python(as_bytes(own), nb::borrow(object));
  }
  std::optional<array> imported = import_producer(object.ptr());
  return imported ? to_python(*std::move(imported)) : nb::object();
}

nb::object array_or_view(nb::handle object) {
  return Py_TYPE(object.ptr()) == array_type ? nb::borrow(object) : view_of_producer(object);
}

nb::object to_python(array&& value, nb::object base) {
  return make_instance_by<py_array>(
      nb::handle(reinterpret_cast<PyObject*>(array_type)),
      [&](void* at) { new (at) py_array(std::move(value), std::move(base)); });
}

nb::object to_python(const array& value, nb::object base) {
  return to_python(array(value), std::move(base));
}

nb::object to_python(const py_array& parent, layout&& where) {
  return make_instance_by<py_array>(nb::handle(reinterpret_cast<PyObject*>(array_type)),
                                    [&](void* at) { new (at) py_array(parent, std::move(where)); });
}

void bind_array(nb::module_& m) {
  std::vector<PyType_Slot> slots = with_operators(with_scalars(array_slots));
  nb::class_<py_array> cls(m, "USMArray", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
                           nb::pooled(), "An n-dimensional array in unified shared memory.");
  cls.def(
      "__init__",
      [](py_array* self, nb::handle shape, nb::handle dtype, nb::handle buffer, nb::handle strides,
         std::ptrdiff_t offset, nb::handle order, nb::handle buffer_ctor_kwargs) {
        new (self)
            py_array(construct(shape, dtype, buffer, strides, offset, order, buffer_ctor_kwargs));
      },
      nb::arg("shape").none(), nb::arg("dtype") = nb::none(), nb::arg("buffer").none() = "device",
      nb::arg("strides") = nb::none(), nb::arg("offset") = 0, nb::arg("order").none() = "C",
      nb::arg("buffer_ctor_kwargs").none() = nb::dict(),
      nb::sig("def __init__(self, shape: int | typing.Sequence[int], dtype: typing.Any = None, "
              "buffer: str | _Producer = 'device', strides: typing.Sequence[int] | None = None, "
              "offset: int = 0, order: str = 'C', buffer_ctor_kwargs: dict[str, typing.Any] = {}) "
              "-> None"),
      "An array in new memory of a kind ('device', 'shared', 'host'), exactly as large as its "
      "elements span, or in existing memory: a memory object, another array's memory or any "
      "producer's. `strides` and `offset` count elements, from the memory's first byte; without "
      "strides, `order` 'C' or 'F' decides. New memory with negative strides gets the offset that "
      "fits. `buffer_ctor_kwargs` are 'queue', 'alignment' and 'copy' of the memory's "
      "constructor. The element type is by default float64, or float32 on a device without it.\n\n"
      "Raises ValueError when an element would lie outside of the memory, or the device of new "
      "memory lacks the element type.");
  array_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  bind_attributes(cls);
  bind_methods(cls);
  bind_pickling(cls);
  bind_scalars(cls);
  bind_shape_methods(cls);
  bind_array_flags(m);
  bind_array_items(m);
  bind_iteration(m, cls);
  m.def("from_usm_array_interface", &from_usm_array_interface, nb::arg("obj").none(),
        nb::sig("def from_usm_array_interface(obj: _Producer) -> USMArray"),
        "A view of any producer's memory, always without a copy; it keeps the producer alive.\n\n"
        "Raises TypeError when the object is no producer or a key has the wrong type, ValueError "
        "when what the producer says of its memory breaks a rule of the protocol.");
  // What the Python side of the package is made of; usmx._container.creation gives it names and
  // defaults.
  m.def(
      "_as_array",
      [](nb::handle obj) {
        nb::object view = array_or_view(obj);
        return view.is_valid() ? view : nb::none();
      },
      nb::arg("obj").none(), nb::sig("def _as_array(obj: object) -> USMArray | None"),
      "The array itself, a view of any other producer, or None.");
  bind_array_shapes(m);
  bind_array_making(m);
  bind_array_copies(m);
  bind_shortcut(m);
}

}  // namespace usmx::bindings
