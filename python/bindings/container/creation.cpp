#include "container/container.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "support/inspectable.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/array/requirement.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::bindings {
namespace {

/// The queue, type and kind of a new array, from another array and the arguments of the call. None
/// keeps those of the other array.
struct plan {
  plan(const array& source, nb::handle dtype_object, nb::handle usm_type, nb::handle sycl_queue,
       nb::handle device)
      : queue(sycl_queue.is_none() && device.is_none() ? internal::private_queue(source)
                                                       : queue_argument(sycl_queue, device)),
        type(dtype_object.is_none() && queue == internal::private_queue(source)
                 ? source.type()
                 : dtype_argument_on(queue.get_device(), dtype_object, source.type())),
        kind(usm_type.is_none() ? source.kind() : kind_argument(usm_type)) {}

  sycl::queue queue;
  dtype type;
  usm_kind kind;
};

void zero(const array& made) {
  ordered(is_short(made), [&] { internal::fill_bytes(made.memory(), std::byte{0}); });
}

nb::object new_compact(nb::handle shape, dtype type, usm_kind kind, const sycl::queue& queue,
                       element_order order, bool zeroed) {
  const counts extents = shape_argument(shape);
  array made = make_array(compact(extents.span(), order), type, queue, kind,
                          zeroed ? first_use::at_once : first_use::in_order);
  if (zeroed) {
    zero(made);
  }
  return to_python(std::move(made));
}

nb::object new_array(nb::handle shape, nb::handle dtype_object, nb::handle usm_type,
                     nb::handle sycl_queue, nb::handle device, nb::handle order, bool zeroed,
                     nb::handle natural) {
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const dtype type = dtype_argument_on(queue.get_device(), dtype_object, dtype_argument(natural));
  return new_compact(shape, type, kind_argument(usm_type, device), queue,
                     order_argument(order, c_or_f, element_order::c), zeroed);
}

nb::object new_array_of(nb::handle shape, nb::handle dtype_object, nb::handle order,
                        nb::handle device, nb::handle usm_type, nb::handle sycl_queue,
                        bool zeroed) {
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const dtype type = dtype_argument_on(queue.get_device(), dtype_object, type_code::float64);
  return new_compact(shape, type, kind_argument(usm_type, device), queue,
                     order_argument(order, c_or_f, element_order::c), zeroed);
}

/// Makes an array when only its shape is given.
nb::object new_array_of_shape(nb::handle shape, bool zeroed) {
  const sycl::queue queue = internal::default_queue();
  const dtype type = dtype_argument_on(queue.get_device(), nb::none(), type_code::float64);
  return new_compact(shape, type, kind_argument(nb::none(), nb::none()), queue, element_order::c,
                     zeroed);
}

nb::object empty(nb::handle shape, nb::handle dtype_object, nb::handle order, nb::handle device,
                 nb::handle usm_type, nb::handle sycl_queue) {
  return new_array_of(shape, dtype_object, order, device, usm_type, sycl_queue, false);
}

nb::object zeros(nb::handle shape, nb::handle dtype_object, nb::handle order, nb::handle device,
                 nb::handle usm_type, nb::handle sycl_queue) {
  return new_array_of(shape, dtype_object, order, device, usm_type, sycl_queue, true);
}

nb::object new_array_like(nb::handle x, nb::handle dtype_object, nb::handle order, nb::handle shape,
                          nb::handle device, nb::handle usm_type, nb::handle sycl_queue,
                          bool zeroed) {
  const elements_argument source("x", x);
  const element_order wanted_order = order_argument(order, any_order, element_order::keep);
  const plan wanted(source->value, dtype_object, usm_type, sycl_queue, device);
  const layout& model = source->value.layout();
  layout where = shape.is_none() ? compact_like(model, wanted_order)
                                 : compact_like(model, wanted_order, shape_argument(shape).span());
  const array made = make_array(std::move(where), wanted.type, wanted.queue, wanted.kind,
                                zeroed ? first_use::at_once : first_use::in_order);
  if (zeroed) {
    zero(made);
  }
  return to_python(made);
}

nb::object empty_like(nb::handle x, nb::handle dtype_object, nb::handle order, nb::handle shape,
                      nb::handle device, nb::handle usm_type, nb::handle sycl_queue) {
  return new_array_like(x, dtype_object, order, shape, device, usm_type, sycl_queue, false);
}

nb::object zeros_like(nb::handle x, nb::handle dtype_object, nb::handle order, nb::handle shape,
                      nb::handle device, nb::handle usm_type, nb::handle sycl_queue) {
  return new_array_like(x, dtype_object, order, shape, device, usm_type, sycl_queue, true);
}

nb::object as_all_asked(nb::handle self, nb::handle dtype_object, nb::handle usm_type,
                        nb::handle sycl_queue, nb::handle device, nb::handle order, copying copy) {
  const array& a = nb::cast<const py_array&>(self).value;
  const element_order wanted_order = order_argument(order, any_order, element_order::keep);
  const plan wanted(a, dtype_object, usm_type, sycl_queue, device);
  const bool exactly = !sycl_queue.is_none() || names_a_queue(device);
  if (copy != copying::always) {
    const auto reason =
        reason_to_copy(a, {wanted.type, wanted.kind, wanted.queue, exactly, wanted_order});
    if (!reason) {
      return nb::borrow(self);
    }
    if (copy == copying::never) {
      throw value_error("copy=False cannot be met: " + *reason);
    }
  }
  return to_python(copy_of(a, wanted.type, wanted.kind, wanted.queue, wanted_order));
}

/// Reads the items of a list or tuple, Python's own floats and integers. False if an integer has
/// more than 64 bits.
template <class T>
bool read_numbers(PyObject* sequence, T* to) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* const item = PySequence_Fast_GET_ITEM(sequence, k);
    if (PyFloat_CheckExact(item)) {
      to[k] = static_cast<T>(PyFloat_AS_DOUBLE(item));
      continue;
    }
    int overflow = 0;
    to[k] = static_cast<T>(PyLong_AsLongLongAndOverflow(item, &overflow));
    if (overflow != 0) {
      return false;
    }
  }
  return true;
}

/// The array of a short list or tuple of Python's own floats and integers in default memory, of
/// which there are many: NumPy and the package need a few microseconds for it. Invalid for all
/// else, also where the host does not reach that memory.
nb::object array_of_numbers(PyObject* sequence) {
  constexpr Py_ssize_t most = 1024;
  if (!PyList_CheckExact(sequence) && !PyTuple_CheckExact(sequence)) {
    return {};
  }
  const nb::ft_object_guard unchanged(sequence);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
  if (count == 0 || count > most) {
    return {};
  }
  bool has_float = false;
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* const item = PySequence_Fast_GET_ITEM(sequence, k);
    const bool is_float = PyFloat_CheckExact(item);
    if (!is_float && !PyLong_CheckExact(item)) {
      return {};
    }
    has_float = has_float || is_float;
  }
  require_usable_process();
  const sycl::queue queue = internal::default_queue();
  const dtype type = has_float ? type_code::float64 : type_code::int64;
  if (dtype_argument_on(queue.get_device(), nb::none(), type) != type) {
    return {};
  }
  const array made = make_array(layout::c_order(std::array<std::ptrdiff_t, 1>{count}), type, queue,
                                kind_argument(nb::none(), nb::none()), first_use::at_once);
  if (!internal::is_ready_for_host(made)) {
    return {};
  }
  std::byte* const first = internal::first_element(made);
  const bool are_read = has_float ? read_numbers(sequence, reinterpret_cast<double*>(first))
                                  : read_numbers(sequence, reinterpret_cast<std::int64_t*>(first));
  return are_read ? to_python(made) : nb::object();
}

nb::object asarray(nb::handle obj, nb::handle dtype_object, nb::handle order, nb::handle device,
                   nb::handle copy, nb::handle usm_type, nb::handle sycl_queue) {
  nb::object view = array_or_view(obj);
  const copying wanted = copy_argument(copy);
  if (!view.is_valid() && wanted != copying::never && dtype_object.is_none() && device.is_none() &&
      usm_type.is_none() && sycl_queue.is_none()) {
    order_argument(order, any_order, element_order::keep);  // refuses what is none
    if (nb::object made = array_of_numbers(obj.ptr()); made.is_valid()) {
      return made;
    }
  }
  return view.is_valid()
             ? as_all_asked(view, dtype_object, usm_type, sycl_queue, device, order, wanted)
             : hooks::array_of_host_object(obj, dtype_object, device, copy, usm_type, sycl_queue,
                                           order);
}

/// Makes an array of an object when nothing else is given. It keeps the object's place, type and
/// order.
nb::object asarray_of_object(nb::handle obj) {
  nb::object view = array_or_view(obj);
  if (!view.is_valid()) {
    view = array_of_numbers(obj.ptr());
  }
  const nb::object none = nb::none();
  return view.is_valid()
             ? view
             : hooks::array_of_host_object(obj, none, none, none, none, none, nb::str("K"));
}

/// The layout of a NumPy array's elements. Strides that are no whole elements stay in bytes: the
/// order of the axes is the same.
layout layout_of_host(nb::handle host, std::size_t itemsize) {
  const counts shape("shape", nb::object(host.attr("shape")).ptr());
  const counts strides("strides", nb::object(host.attr("strides")).ptr());
  const auto in_elements = layout::strided_in_bytes(shape.span(), strides.span(), itemsize);
  return in_elements ? *in_elements : layout::strided(shape.span(), strides.span());
}

nb::object new_array_for(nb::handle host, nb::handle dtype_object, nb::handle usm_type,
                         nb::handle sycl_queue, nb::handle device, nb::handle order) {
  const element_order wanted_order = order_argument(order, any_order, element_order::keep);
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const dtype natural = dtype_argument(nb::object(host.attr("dtype")));
  const dtype type = dtype_argument_on(queue.get_device(), dtype_object, natural);
  require_convertible(type, natural);
  return to_python(make_array(compact_like(layout_of_host(host, natural.itemsize()), wanted_order),
                              type, queue, kind_argument(usm_type, device), first_use::in_order));
}

/// An array of the same memory on another queue of its context.
nb::object on_queue(const py_array& source, nb::handle device) {
  const sycl::queue queue = queue_argument(nb::none(), device);
  const array& a = source.value;
  auto there = internal::buffer_access::moved_to_queue(a.owner(), queue);
  return to_python(internal::unchecked_array(std::move(there), a.type(), a.layout(), a.readonly()));
}

}  // namespace

nb::object as_asked(const nb::object& array, nb::handle device, copying copy) {
  return as_all_asked(array, nb::none(), nb::none(), nb::none(), device, nb::str("K"), copy);
}

void bind_creation(nb::module_& m) {
  answer_one_argument("asarray", &asarray_of_object);
  answer_one_argument("empty", [](nb::handle shape) { return new_array_of_shape(shape, false); });
  answer_one_argument("zeros", [](nb::handle shape) { return new_array_of_shape(shape, true); });
  declare<
      "def _new_array(shape: object, dtype: object, usm_type: object, sycl_queue: object, device: "
      "object, order: object, zeroed: bool, natural: Any = 'f8') -> USMArray">(
      m, &new_array,
      "Elements not set, or zeros. dtype None: `natural`, or what the device has in its place.");
  declare<
      "def asarray(obj: object, /, dtype: DTypeLike | None = None, order: OrderCFAK | None = 'K', "
      "*, device: DeviceLike | None = None, copy: bool | None = None, usm_type: UsmType | None = "
      "None, sycl_queue: QueueLike | None = None) -> USMArray">(m, &asarray);
  declare<
      "def empty(shape: Shape, dtype: DTypeLike | None = None, order: OrderCF | None = 'C', *, "
      "device: DeviceLike | None = None, usm_type: UsmType | None = None, sycl_queue: QueueLike | "
      "None = None) -> USMArray">(m, &empty);
  declare<
      "def zeros(shape: Shape, dtype: DTypeLike | None = None, order: OrderCF | None = 'C', *, "
      "device: DeviceLike | None = None, usm_type: UsmType | None = None, sycl_queue: QueueLike | "
      "None = None) -> USMArray">(m, &zeros);
  declare<
      "def empty_like(x: Operand, /, dtype: DTypeLike | None = None, order: OrderCFAK | None = "
      "'K', *, shape: Shape | None = None, device: DeviceLike | None = None, usm_type: UsmType | "
      "None = None, sycl_queue: QueueLike | None = None) -> USMArray">(m, &empty_like);
  declare<
      "def zeros_like(x: Operand, /, dtype: DTypeLike | None = None, order: OrderCFAK | None = "
      "'K', *, shape: Shape | None = None, device: DeviceLike | None = None, usm_type: UsmType | "
      "None = None, sycl_queue: QueueLike | None = None) -> USMArray">(m, &zeros_like);
  declare<
      "def _as_asked(source: USMArray, dtype: object, usm_type: object, sycl_queue: object, "
      "device: object, order: object, copy: bool | None) -> USMArray">(
      m,
      [](nb::handle source, nb::handle dtype_object, nb::handle usm_type, nb::handle sycl_queue,
         nb::handle device, nb::handle order, nb::handle copy) {
        return as_all_asked(source, dtype_object, usm_type, sycl_queue, device, order,
                            copy_argument(copy));
      },
      "The array itself where it is what is asked for, else a copy. None keeps what it has.");
  declare<
      "def _new_array_for(host: numpy.ndarray, dtype: object, usm_type: object, sycl_queue: "
      "object, device: object, order: object) -> USMArray">(
      m, &new_array_for,
      "Room for the elements of a NumPy array. dtype None: its own, or what the device has in "
      "its place.");
  declare<"def _on_queue(source: USMArray, queue: SyclQueue) -> USMArray">(
      m, &on_queue,
      "A view of the same memory on another queue of the same context and device. Waits for the "
      "work on the array's own queue.");
  declare<"def _order_letter(order: object) -> str">(m, [](nb::handle order) {
    return std::string(1, static_cast<char>(order_argument(order, any_order, element_order::keep)));
  });
}

}  // namespace usmx::bindings
