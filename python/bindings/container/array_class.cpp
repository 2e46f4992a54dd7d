#include "container/container.hpp"

#include <string>
#include <utility>

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "memory/memory.hpp"
#include "objects/memory_object.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/array/reinterpreted.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::bindings {
namespace {

// ---- flags: read as NumPy's are, by attribute in lower case and by key

/// The flags of an array, which are read from the array itself.
struct py_flags {
  nb::object owner;

  py_array& of() const { return ready_instance<py_array>(owner.ptr()); }
  const layout& where() const { return of().value.layout(); }
};

bool c_contiguous(const py_flags& f) { return f.where().is_c_contiguous(); }
bool f_contiguous(const py_flags& f) { return f.where().is_f_contiguous(); }
bool writable(const py_flags& f) { return !f.of().value.readonly(); }
bool forc(const py_flags& f) { return c_contiguous(f) || f_contiguous(f); }
bool fnc(const py_flags& f) { return f_contiguous(f) && !c_contiguous(f); }
bool fc(const py_flags& f) { return f_contiguous(f) && c_contiguous(f); }

struct flag {
  const char* attribute;
  const char* key;
  const char* short_key;
  bool (*read)(const py_flags&);
};

// The keys of NumPy's and dpctl's flags. The third and the last three have dpctl's spelling.
constexpr flag all_flags[] = {
    {"c_contiguous", "C_CONTIGUOUS", "C", c_contiguous},
    {"f_contiguous", "F_CONTIGUOUS", "F", f_contiguous},
    {"writable", "WRITABLE", "W", writable},
    {"writeable", "WRITEABLE", "W", writable},
    {"forc", "FORC", "FORC", forc},
    {"fnc", "FNC", "FNC", fnc},
    {"fc", "FC", "FC", fc},
    {"contiguous", "CONTIGUOUS", "CONTIGUOUS", forc},
};

bool is_writable_key(std::string_view key) {
  return key == "WRITABLE" || key == "WRITEABLE" || key == "W";
}

bool get_flag(const py_flags& flags, nb::handle name) {
  const std::string_view key = to_text("key", name.ptr());
  for (const flag& f : all_flags) {
    if (key == f.key || key == f.short_key) {
      return f.read(flags);
    }
  }
  PyErr_SetString(PyExc_KeyError, detail::message("unknown flag '", key, "'").c_str());
  nb::raise_python_error();
}

std::string_view truth(bool value) { return value ? "True" : "False"; }

void set_writable(const py_flags& flags, bool value) {
  if (!value) {
    flags.of().value.make_readonly();
  } else if (!writable(flags)) {
    throw value_error("a read-only array cannot be made writable again");
  }
}

std::string text_of(const py_flags& flags) {
  return detail::message("  C_CONTIGUOUS : ", truth(c_contiguous(flags)),
                         "\n  F_CONTIGUOUS : ", truth(f_contiguous(flags)),
                         "\n  WRITABLE : ", truth(writable(flags)), "\n");
}

bool same(const py_flags& a, const py_flags& b) {
  return c_contiguous(a) == c_contiguous(b) && f_contiguous(a) == f_contiguous(b) &&
         writable(a) == writable(b);
}

void bind_flags(nb::module_& m) {
  nb::class_<py_flags> cls(m, "Flags", "The layout and the access rights of an array.");
  for (const flag& f : all_flags) {
    if (f.read != writable) {
      cls.def_prop_ro(f.attribute, f.read);
    } else {
      cls.def_prop_rw(
          f.attribute, f.read, &set_writable,
          "Whether the elements may be written through this array. It can be set to False, "
          "but not back to True. Other threads may use the array meanwhile, and a "
          "write that has begun is finished.");
    }
  }
  declare<"def __getitem__(self, key: str, /) -> bool">(cls, &get_flag);
  declare<"def __setitem__(self, key: str, value: bool, /) -> None">(
      cls, [](const py_flags& flags, nb::handle key, bool value) {
        if (!is_writable_key(to_text("key", key.ptr()))) {
          throw value_error("only the flag WRITABLE can be set");
        }
        set_writable(flags, value);
      });
  cls.def("__repr__", &text_of).def("__eq__", &same, nb::is_operator());
}

nb::object flags_of(nb::handle array) {
  ready_instance<py_array>(array.ptr());  // refuses what __new__ alone has made
  return nb::cast(py_flags{nb::borrow(array)});
}

// ---- real and imag, read and set

bool is_complex(const py_array& a) { return a.value.type().kind() == 'c'; }

py_array part_of(const py_array& a, complex_part part) { return {a, part_view(a.value, part)}; }

nb::object real_part(nb::handle_t<py_array> self) {
  const auto& a = ready_instance<py_array>(self.ptr());
  if (!is_complex(a)) {
    return nb::borrow(self);
  }
  return nb::cast(part_of(a, complex_part::real));
}

void set_real_part(nb::handle_t<py_array> self, nb::handle value) {
  real_part(self)[nb::ellipsis()] = value;
}

void set_imaginary_part(const py_array& a, nb::handle value) {
  if (!is_complex(a)) {
    throw type_error(detail::message("elements of type ", a.value.type(),
                                     " have no imaginary part to set: expected complex ones"));
  }
  nb::cast(part_of(a, complex_part::imaginary))[nb::ellipsis()] = value;
}

py_array imaginary_part(const py_array& a) {
  if (is_complex(a)) {
    return part_of(a, complex_part::imaginary);
  }
  const noted_call_site here;
  const without_interpreter_lock unlocked;
  const array zero =
      zeros(a.value.shape(), a.value.type(), internal::private_queue(a.value), a.value.kind());
  return {zero.as_readonly(), nb::object()};
}

void bind_complex_parts(nb::class_<py_array>& cls) {
  cls.def_prop_rw("real", &real_part, &set_real_part,
                  nb::for_getter(nb::sig("def real(self) -> USMArray")),
                  nb::for_setter(nb::arg("value").none()),
                  nb::for_setter(nb::sig("def real(self, value: typing.Any, /) -> None")),
                  "A view of the real parts; the array itself if its type is real. To set it means "
                  "``a.real[...] = value``.")
      .def_prop_rw("imag", &imaginary_part, &set_imaginary_part,
                   nb::for_getter(nb::sig("def imag(self) -> USMArray")),
                   nb::for_setter(nb::arg("value").none()),
                   nb::for_setter(nb::sig("def imag(self, value: typing.Any, /) -> None")),
                   "A view of the imaginary parts; read-only zeros if the type is real. Setting "
                   "those is a TypeError.");
}

// ---- all others

nb::object base_of(const py_array& a) {
  return a.base.is_valid() ? a.base : memory_object(a.value.owner());
}

std::size_t owned_nbytes(const py_array& a) {
  const std::shared_ptr<buffer>& memory = a.value.owner();
  return a.is_view || memory == nullptr ? 0 : internal::owned_nbytes(*memory);
}

}  // namespace

void bind_attributes(nb::module_& m, nb::class_<py_array>& cls) {
  bind_flags(m);
  bind_complex_parts(cls);
  const auto number = [&](const char* name, auto get, const char* doc = "") {
    cls.def_prop_ro(name, [get](const py_array& a) { return get(a.value); }, doc);
  };
  number("ndim", [](const array& a) { return a.ndim(); }, "The number of dimensions.");
  number(
      "nd", [](const array& a) { return a.ndim(); },
      "The number of dimensions, under NumPy's old name.");
  number("size", [](const array& a) { return a.size(); }, "The number of elements.");
  number(
      "nbytes", [](const array& a) { return a.nbytes(); },
      "The bytes of the elements. Gaps between them do not count.");
  number(
      "itemsize", [](const array& a) { return a.type().itemsize(); }, "The bytes of one element.");
  number(
      "offset", [](const array& a) { return a.layout().offset(); },
      "How many elements lie between the first byte of `base` and element zero.");
  number(
      "usm_type", [](const array& a) { return name(a.kind()); }, "'device', 'shared' or 'host'.");
  number(
      "_pointer",
      [](const array& a) {
        return handed_out_ready(a, [&] { return reinterpret_cast<std::uintptr_t>(a.data()); });
      },
      "The address of element zero. usmx waits for the work on the elements.");
  number(
      "_address",
      [](const array& a) { return reinterpret_cast<std::uintptr_t>(internal::first_element(a)); },
      "The address of element zero for comparison alone: does not wait.");
  cls.def_prop_ro("_owned_nbytes", &owned_nbytes,
                  "The bytes of memory that usmx made with this array: of a view none.");
  bind_where(
      cls, [](const py_array& a) -> const sycl::queue& { return internal::private_queue(a.value); },
      [](const py_array& a) { return queue_object_of(*a.value.owner()); });
  declare_attribute<"def shape(self) -> tuple[int, ...]">(
      cls, [](const py_array& a) { return to_tuple(a.value.shape()); },
      "The number of elements along each axis.");
  declare_attribute<"def strides(self) -> tuple[int, ...]">(
      cls, [](const py_array& a) { return to_tuple(a.value.strides()); },
      "The step from one index to the next along each axis, in elements. NumPy's strides count "
      "bytes.");
  declare_attribute<"def dtype(self) -> numpy.dtype[typing.Any]">(
      cls, [](const py_array& a) { return to_numpy_dtype(a.value.type()); },
      "The element type, as a NumPy dtype.");
  declare_attribute<"def flags(self) -> Flags">(
      cls, [](nb::handle_t<py_array> self) { return flags_of(self); },
      "Whether the array is contiguous and writable, by NumPy's names.");
  declare_attribute<"def base(self) -> _Memory">(cls, &base_of,
                                                 "The memory object that holds the elements.");
  declare_attribute<"def usm_data(self) -> _Memory">(
      cls, &base_of, "The memory object that holds the elements, under dpnp's name.");
  declare_attribute<"def device(self) -> Device">(
      cls,
      [](const py_array& a) {
        return make_instance(py_device{internal::private_queue(a.value), a.value.kind()});
      },
      "Where the array is: a Device, which every argument ``device`` accepts.");
  declare_attribute<"def T(self) -> USMArray">(
      cls, [](const py_array& a) { return to_python(a, transposed(a.value.layout())); },
      "A view with the dimensions in reverse order, as NumPy's of any number of them.");
  declare_attribute<"def mT(self) -> USMArray">(
      cls, [](const py_array& a) { return to_python(a, matrix_transposed(a.value.layout())); },
      "A view with the last two dimensions swapped.");
  declare_attribute<"def __sycl_usm_array_interface__(self) -> dict[str, typing.Any]">(
      cls, [](py_array& a) { return to_dictionary(a.lent.lend(a.value)); });
  declare_attribute<"def __cuda_array_interface__(self) -> dict[str, typing.Any]">(
      cls, [](py_array& a) { return to_cuda_dictionary(a.lent.lend(a.value)); },
      "The dictionary of the CUDA array interface, version 3. usmx waits for the work on the "
      "elements, so that any stream may read them. Raises AttributeError if the memory is not "
      "that of a CUDA device.");
  declare_attribute<"def __array_interface__(self) -> dict[str, typing.Any]">(
      cls,
      [](nb::handle_t<py_array> self) {
        return to_numpy_dictionary(self, ready_instance<py_array>(self.ptr()).value);
      },
      "NumPy's description of the elements, for Pillow and others that ask for it. It has no "
      "address, which nobody gives back: its consumer takes the buffer, as NumPy's interface "
      "has it. Raises AttributeError if the host gets no view of the memory, and what a buffer "
      "raises. Waits as a buffer does.");
}

namespace {

// ---- USMArray(shape, dtype, buffer, ...)

layout layout_argument(nb::handle shape, nb::handle strides, std::ptrdiff_t offset,
                       nb::handle order) {
  const counts extents = shape_argument(shape);
  const element_order letter = order_argument(order, c_or_f, element_order::c);
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

/// The existing memory that `buffer=` names in place of a kind, and its Python object.
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

py_array construct_array(nb::handle shape, nb::handle dtype_object, nb::handle buffer_object,
                         nb::handle strides, std::ptrdiff_t offset, nb::handle order,
                         nb::handle buffer_ctor_kwargs) {
  layout where = layout_argument(shape, strides, offset, order);
  const memory_options options = memory_options_from(buffer_ctor_kwargs);
  if (buffer_object.is_none() || nb::isinstance<nb::str>(buffer_object)) {
    const usm_kind kind = kind_argument(buffer_object, nb::none());
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
  declare<
      "def __init__(self, shape: int | typing.Sequence[int], dtype: typing.Any = None, buffer: "
      "UsmType | _Producer | None = None, strides: typing.Sequence[int] | None = None, offset: int "
      "= 0, "
      "order: OrderCF | None = 'C', buffer_ctor_kwargs: dict[str, typing.Any] = {}) -> None">(
      cls, init_by(&construct_array), docstring("USMArray.__init__"));
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

// Operators come later (compute/operators.cpp). Arrays that are compared by their elements
// cannot be hashed.
PyType_Slot array_slots[] = {{Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
                             {Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                             {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
                             {Py_mp_length, reinterpret_cast<void*>(rows)},
                             {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                             {Py_bf_getbuffer, reinterpret_cast<void*>(get_array_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

}  // namespace

void bind_array_class(nb::module_& m) {
  std::vector<PyType_Slot> slots = with_scalars(array_slots);
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
  declare<"def _require_made(array: object) -> None">(
      m, &require_made,
      "TypeError for what __new__ alone has made: for methods that are written in Python.");
}

}  // namespace usmx::bindings
