#include "array.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "array_flags.hpp"
#include "array_operators.hpp"
#include "buffer_protocol.hpp"
#include "dtype_argument.hpp"
#include "held_buffer.hpp"
#include "indexing.hpp"
#include "interface.hpp"
#include "memory.hpp"
#include "sycl_event.hpp"
#include "sycl_objects.hpp"
#include "syclobj.hpp"
#include "usmx/copy.hpp"
#include "usmx/field_view.hpp"
#include "usmx/runtime.hpp"
#include "usmx/structure.hpp"

namespace usmx::bindings {
namespace {

PyTypeObject* array_type = nullptr;

// ---- the constructor

bool is_f_order(nb::handle order) {
  if (nb::isinstance<nb::str>(order)) {
    const auto text = nb::cast<std::string_view>(order);
    if (text == "C" || text == "F") {
      return text == "F";
    }
  }
  throw value_error(detail::message("order must be 'C' or 'F', found ", repr_text(order.ptr())));
}

layout layout_argument(nb::handle shape, nb::handle strides, std::ptrdiff_t offset,
                       nb::handle order) {
  const counts extents = shape_argument(shape);
  const bool f_order = is_f_order(order);
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
    const std::string name = nb::isinstance<nb::str>(key) ? nb::cast<std::string>(key) : "";
    if (name == "queue") {
      options.queue = nb::borrow(value);
    } else if (name == "alignment") {
      const std::ptrdiff_t alignment = to_count("alignment", "an integer", value.ptr());
      if (alignment < 0) {
        throw value_error(
            detail::message("alignment must be 0 or a power of two, found ", alignment));
      }
      options.alignment = static_cast<std::size_t>(alignment);
    } else if (name == "copy") {
      if (!PyBool_Check(value.ptr())) {
        throw_wrong_type("copy", "a bool", value.ptr());
      }
      options.copy = value.ptr() == Py_True;
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
    return {other.value.memory(), other.base, other.value.readonly()};
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
  const dtype type = dtype_argument(dtype_object);
  layout where = layout_argument(shape, strides, offset, order);
  const memory_options options = memory_options_from(buffer_ctor_kwargs);
  if (nb::isinstance<nb::str>(buffer_object)) {
    return {empty(fitted_to_new_memory(where), type, queue_argument(options.queue, nb::none()),
                  kind_argument(buffer_object), options.alignment),
            nb::object()};
  }
  given_memory given = existing_memory(buffer_object);
  std::shared_ptr<buffer> memory = take_memory(given.memory, given.memory->kind(), options);
  if (memory != given.memory) {
    given.object.reset();
    given.readonly = false;
  }
  return {array(std::move(memory), type, std::move(where), given.readonly),
          std::move(given.object)};
}

/// A view of the same memory with the layout that `make` returns.
template <class Make>
nb::object view_with(const py_array& a, Make make) {
  return make_instance_by<py_array>(nb::handle(reinterpret_cast<PyObject*>(array_type)),
                                    [&](void* at) { new (at) py_array(a, make()); });
}

// ---- slots

array field_by_name(const array& a, PyObject* name) {
  const std::string_view text = to_text("name", name);
  if (find_field(a.type(), text) == nullptr) {
    PyErr_SetObject(PyExc_KeyError, name);
    nb::raise_python_error();
  }
  return field_view(a, text);
}

PyObject* get_item(PyObject* self, PyObject* key) {
  return guarded<PyObject*>(nullptr, [&] {
    const auto& a = ready_instance<py_array>(self);
    if (a.value.type().is_structured() && PyUnicode_Check(key)) {
      return to_python(field_by_name(a.value, key), a.base).release().ptr();
    }
    return view_with(a, [&] { return subscript_by(a.value.layout(), key); }).release().ptr();
  });
}

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
                             {Py_mp_length, reinterpret_cast<void*>(length)},
                             {Py_bf_getbuffer, reinterpret_cast<void*>(get_array_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

// ---- attributes

nb::object base_of(const py_array& a) {
  return a.base.is_valid() ? a.base : memory_object(a.value.memory());
}

py_array with_layout(const py_array& a, layout where) { return {a, std::move(where)}; }

py_array matrix_transposed(const py_array& a) {
  const int ndim = a.value.ndim();
  if (ndim < 2) {
    throw value_error(detail::message("mT needs an array of at least 2 dimensions, found ", ndim));
  }
  std::array<int, max_ndim> axes;
  for (int k = 0; k < ndim; ++k) {
    axes[static_cast<std::size_t>(k)] = k;
  }
  std::swap(axes[static_cast<std::size_t>(ndim - 1)], axes[static_cast<std::size_t>(ndim - 2)]);
  return with_layout(a, permuted(a.value.layout(), {axes.data(), static_cast<std::size_t>(ndim)}));
}

/// The real (part 0) or imaginary (part 1) components of complex elements, in place.
py_array component(const py_array& a, std::ptrdiff_t part) {
  const dtype half =
      a.value.type().code() == type_code::complex64 ? type_code::float32 : type_code::float64;
  const layout doubled = a.value.layout().scaled(2);
  return {array::unchecked(a.value.memory(), half, doubled.with_offset(doubled.offset() + part),
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
          nb::sig("def dtype(self) -> numpy.dtype"))
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
          "T",
          [](const py_array& a) {
            return view_with(a, [&] { return transposed(a.value.layout()); });
          },
          nb::sig("def T(self) -> USMArray"), "A view with the dimensions in reverse order.")
      .def_prop_ro("mT", &matrix_transposed, "A view with the last two dimensions swapped.")
      .def_prop_ro("real", &real_part, nb::sig("def real(self) -> USMArray"),
                   "A view of the real parts; the array itself when its type is real.")
      .def_prop_ro("imag", &imaginary_part,
                   "A view of the imaginary parts; read-only zeros when the type is real.")
      .def_prop_ro(
          "__sycl_usm_array_interface__", [](const py_array& a) { return to_dictionary(a.value); },
          nb::sig("def __sycl_usm_array_interface__(self) -> dict[str, typing.Any]"));
}

nb::object formatted(nb::handle self, const char* how) {
  return nb::module_::import_("usmx._formatting").attr(how)(self);
}

void refuse_conversion(const py_array& a, nb::handle, nb::handle) {
  throw type_error(detail::message("a USMArray in ", name(a.value.kind()),
                                   " memory cannot be converted to a NumPy array implicitly: "
                                   "usmx.asnumpy copies it to the host"));
}

void bind_methods(nb::class_<py_array>& cls) {
  cls.def(
         "readonly", [](const py_array& a) { return py_array{a.value.as_readonly(), a.base}; },
         "A view through which nothing can be written.")
      .def(
          "wait",
          [](const py_array& a) {
            const without_interpreter_lock unlocked;
            a.value.wait();
          },
          "Waits for all work on the memory that usmx can know of.")
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
      .def("__array__", &refuse_conversion, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: object = None, copy: object = None) -> "
                   "typing.NoReturn"),
           "Raises TypeError: NumPy asks only where there is no buffer, for device memory.");
  bind_numpy_functions(cls);
}

/// A NumPy-like buffer of the same shape and item size as one side of a copy.
array_view host_view(const Py_buffer& host, const array& other, bool readonly) {
  const auto itemsize = static_cast<Py_ssize_t>(other.type().itemsize());
  const std::span<const std::ptrdiff_t> shape(host.shape, static_cast<std::size_t>(host.ndim));
  if (host.itemsize != itemsize || !std::ranges::equal(shape, other.shape())) {
    throw value_error(detail::message("host buffer must have shape ", tuple_text(other.shape()),
                                      " and items of ", itemsize, " bytes, found ",
                                      tuple_text(shape), " and ", host.itemsize));
  }
  std::array<std::ptrdiff_t, max_ndim> strides;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (host.strides[k] % itemsize != 0) {
      throw value_error(detail::message("host buffer's strides must be whole items of ", itemsize,
                                        " bytes, found ", host.strides[k], " bytes"));
    }
    strides[k] = host.strides[k] / itemsize;
  }
  return {host.buf,          other.type(),  layout::strided(shape, {strides.data(), shape.size()}),
          usm_kind::unknown, other.queue(), readonly};
}

void copy_to_host(const py_array& source, nb::handle destination) {
  const held_buffer host(destination, PyBUF_STRIDED);
  const array_view target = host_view(host.view(), source.value, false);
  const without_interpreter_lock unlocked;
  source.value.wait();
  copy(source.value.private_view(), target);
}

void copy_from_host(const py_array& destination, nb::handle source) {
  const held_buffer host(source, PyBUF_STRIDED_RO);
  const array_view from = host_view(host.view(), destination.value, true);
  const without_interpreter_lock unlocked;
  destination.value.wait();
  copy(from, destination.value.private_view());
}

nb::object new_array(nb::handle shape, nb::handle dtype_object, nb::handle usm_type,
                     nb::handle sycl_queue, nb::handle device, nb::handle order, bool zeroed) {
  const array made =
      empty(layout_argument(shape, nb::none(), 0, order), dtype_argument(dtype_object),
            queue_argument(sycl_queue, device), kind_argument(usm_type));
  if (zeroed) {
    const without_interpreter_lock unlocked;
    fill_bytes(made.memory()->data(), 0, made.memory()->nbytes(), made.kind(), made.queue());
  }
  return to_python(made);
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

nb::object to_python(array&& value, nb::object base) {
  return make_instance_by<py_array>(
      nb::handle(reinterpret_cast<PyObject*>(array_type)),
      [&](void* at) { new (at) py_array(std::move(value), std::move(base)); });
}

nb::object to_python(const array& value) { return to_python(array(value)); }

void bind_array(nb::module_& m) {
  std::vector<PyType_Slot> slots = with_operators(array_slots);
  nb::class_<py_array> cls(m, "USMArray", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
                           "An n-dimensional array in unified shared memory.");
  cls.def(
      "__init__",
      [](py_array* self, nb::handle shape, nb::handle dtype, nb::handle buffer, nb::handle strides,
         std::ptrdiff_t offset, nb::handle order, nb::handle buffer_ctor_kwargs) {
        new (self)
            py_array(construct(shape, dtype, buffer, strides, offset, order, buffer_ctor_kwargs));
      },
      nb::arg("shape").none(), nb::arg("dtype").none() = "|f8", nb::arg("buffer").none() = "device",
      nb::arg("strides") = nb::none(), nb::arg("offset") = 0, nb::arg("order").none() = "C",
      nb::arg("buffer_ctor_kwargs").none() = nb::dict(),
      nb::sig("def __init__(self, shape: int | typing.Sequence[int], dtype: typing.Any = '|f8', "
              "buffer: str | _Producer = 'device', strides: typing.Sequence[int] | None = None, "
              "offset: int = 0, order: str = 'C', buffer_ctor_kwargs: dict[str, typing.Any] = {}) "
              "-> None"),
      "An array in new memory of a kind ('device', 'shared', 'host'), exactly as large as its "
      "elements span, or in existing memory: a memory object, another array's memory or any "
      "producer's. `strides` and `offset` count elements, from the memory's first byte; without "
      "strides, `order` 'C' or 'F' decides. New memory with negative strides gets the offset that "
      "fits. `buffer_ctor_kwargs` are 'queue', 'alignment' and 'copy' of the memory's "
      "constructor.\n\nRaises ValueError when an element would lie outside of the memory.");
  array_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  bind_attributes(cls);
  bind_methods(cls);
  bind_array_flags(m);
  m.def("from_usm_array_interface", &from_usm_array_interface, nb::arg("obj").none(),
        nb::sig("def from_usm_array_interface(obj: _Producer) -> USMArray"),
        "A view of any producer's memory, always without a copy; it keeps the producer alive.\n\n"
        "Raises TypeError when the object is no producer or a key has the wrong type, ValueError "
        "when what the producer says of its memory breaks a rule of the protocol.");
  // What the Python side of the package is made of; usmx._creation gives it names and defaults.
  m.def(
      "_as_array",
      [](nb::handle obj) {
        if (Py_TYPE(obj.ptr()) == array_type) {
          return nb::borrow(obj);
        }
        nb::object view = view_of_producer(obj);
        return view.is_valid() ? view : nb::none();
      },
      nb::arg("obj").none(), nb::sig("def _as_array(obj: object) -> USMArray | None"),
      "The array itself, a view of any other producer, or None.");
  m.def("_new_array", &new_array, nb::arg("shape"), nb::arg("dtype"), nb::arg("usm_type"),
        nb::arg("sycl_queue").none(), nb::arg("device").none(), nb::arg("order"), nb::arg("zeroed"),
        nb::sig("def _new_array(shape: object, dtype: object, usm_type: object, sycl_queue: "
                "object, device: object, order: object, zeroed: bool) -> USMArray"));
  m.def("_copy_to_host", &copy_to_host,
        nb::sig("def _copy_to_host(source: USMArray, destination: object, /) -> None"));
  m.def("_copy_from_host", &copy_from_host,
        nb::sig("def _copy_from_host(destination: USMArray, source: object, /) -> None"));
}

}  // namespace usmx::bindings
