#include "container/making.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <memory>
#include <string>

#include "elements/dtype_argument.hpp"
#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/new_memory.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/lazy_import.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/array/request.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/element_order.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/device_types.hpp"

namespace usmx::bindings {
namespace {

lazy_import numpy_empty("numpy", "empty");
lazy_import numpy_ndarray("numpy", "ndarray");

/// What a new array is to be, given another array and what was asked for; None keeps what the
/// other one has.
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
  return new_compact(shape, type, kind_argument(usm_type), queue, order_argument(order, c_or_f),
                     zeroed);
}

nb::object new_array_of_shape(nb::handle shape, bool zeroed) {
  const sycl::queue queue = internal::default_queue();
  const dtype type = dtype_argument_on(queue.get_device(), nb::none(), type_code::float64);
  return new_compact(shape, type, usm_kind::device, queue, element_order::c, zeroed);
}

nb::object new_array_like(const py_array& source, nb::handle dtype_object, nb::handle usm_type,
                          nb::handle sycl_queue, nb::handle device, nb::handle order, bool zeroed) {
  const element_order wanted_order = order_argument(order, any_order);
  const plan wanted(source.value, dtype_object, usm_type, sycl_queue, device);
  const array made =
      make_array(compact_like(source.value.layout(), wanted_order), wanted.type, wanted.queue,
                 wanted.kind, zeroed ? first_use::at_once : first_use::in_order);
  if (zeroed) {
    zero(made);
  }
  return to_python(made);
}

nb::object as_all_asked(nb::handle self, nb::handle dtype_object, nb::handle usm_type,
                        nb::handle sycl_queue, nb::handle device, nb::handle order,
                        nb::handle copy) {
  const array& a = nb::cast<const py_array&>(self).value;
  const element_order wanted_order = order_argument(order, any_order);
  const plan wanted(a, dtype_object, usm_type, sycl_queue, device);
  const bool exactly = !sycl_queue.is_none() || names_a_queue(device);
  if (copy.ptr() != Py_True) {
    const auto reason =
        reason_to_copy(a, {wanted.type, wanted.kind, wanted.queue, exactly, wanted_order});
    if (!reason) {
      return nb::borrow(self);
    }
    if (copy.ptr() == Py_False) {
      throw value_error("copy=False cannot be met: " + *reason);
    }
  }
  return to_python(copy_of(a, wanted.type, wanted.kind, wanted.queue, wanted_order));
}

/// Where the elements of a NumPy array lie. Strides that are no whole elements stay in bytes: the
/// order of the axes is the same.
layout layout_of_host(nb::handle host, std::size_t itemsize) {
  const counts shape("shape", nb::object(host.attr("shape")).ptr());
  const counts strides("strides", nb::object(host.attr("strides")).ptr());
  const auto in_elements = layout::strided_in_bytes(shape.span(), strides.span(), itemsize);
  return in_elements ? *in_elements : layout::strided(shape.span(), strides.span());
}

nb::object new_array_for(nb::handle host, nb::handle dtype_object, nb::handle usm_type,
                         nb::handle sycl_queue, nb::handle device, nb::handle order) {
  const element_order wanted_order = order_argument(order, any_order);
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const dtype natural = dtype_argument(nb::object(host.attr("dtype")));
  const dtype type = dtype_argument_on(queue.get_device(), dtype_object, natural);
  require_convertible(type, natural);
  return to_python(make_array(compact_like(layout_of_host(host, natural.itemsize()), wanted_order),
                              type, queue, kind_argument(usm_type), first_use::in_order));
}

/// A NumPy array with room for the elements of an array, in order 'K'.
nb::object new_host_array(const py_array& source) {
  const array& a = source.value;
  const nb::object shape = to_tuple(a.shape());
  const nb::object type = to_numpy_dtype(a.type());
  if (a.layout().is_c_contiguous()) {
    return numpy_empty(shape, type);
  }
  const layout bytes =
      compact_like(a.layout()).scaled(static_cast<std::ptrdiff_t>(a.type().itemsize()));
  return numpy_ndarray(shape, type, nb::arg("strides") = to_tuple(bytes.strides()));
}

/// The same memory on another queue of its context.
nb::object on_queue(const py_array& source, nb::handle device) {
  const sycl::queue queue = queue_argument(nb::none(), device);
  const array& a = source.value;
  wait_for(a);
  auto there = std::make_shared<buffer>(buffer::on_queue(a.owner(), queue));
  return to_python(internal::unchecked_array(std::move(there), a.type(), a.layout(), a.readonly()));
}

}  // namespace

nb::object as_asked(const nb::object& array, nb::handle device, nb::handle copy) {
  return as_all_asked(array, nb::none(), nb::none(), nb::none(), device, nb::str("K"), copy);
}

nb::object empty_of_shape(nb::handle shape) { return new_array_of_shape(shape, false); }
nb::object zeros_of_shape(nb::handle shape) { return new_array_of_shape(shape, true); }

array copy_of(const array& source, dtype type, usm_kind kind, const sycl::queue& queue,
              element_order order) {
  require_convertible(type, source.type());
  const array made =
      make_array(compact_like(source.layout(), order), type, queue, kind, first_use::at_once);
  ordered(is_short(source) && is_short(made), [&] { copy(source, made); });
  return made;
}

void bind_making(nb::module_& m) {
  m.def("_new_array", &new_array, nb::arg("shape").none(), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(), nb::arg("zeroed"), nb::arg("natural") = "f8",
        nb::sig("def _new_array(shape: object, dtype: object, usm_type: object, sycl_queue: "
                "object, device: object, order: object, zeroed: bool, natural: object = 'f8') -> "
                "USMArray"),
        "Elements not set, or zeros. dtype None: `natural`, or what the device has in its place.");
  m.def("_new_array_like", &new_array_like, nb::arg("source"), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(), nb::arg("zeroed"),
        nb::sig("def _new_array_like(source: USMArray, dtype: object, usm_type: object, "
                "sycl_queue: object, device: object, order: object, zeroed: bool) -> USMArray"),
        "The same with the source's shape. None keeps what the source has.");
  m.def("_as_asked", &as_all_asked, nb::arg("source"), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(), nb::arg("copy").none(),
        nb::sig("def _as_asked(source: USMArray, dtype: object, usm_type: object, sycl_queue: "
                "object, device: object, order: object, copy: bool | None) -> USMArray"),
        "The array itself where it is what is asked for, else a copy. None keeps what it has.");
  m.def("_new_array_for", &new_array_for, nb::arg("host"), nb::arg("dtype").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(), nb::arg("device").none(),
        nb::arg("order").none(),
        nb::sig("def _new_array_for(host: numpy.ndarray, dtype: object, usm_type: object, "
                "sycl_queue: object, device: object, order: object) -> USMArray"),
        "Room for the elements of a NumPy array. dtype None: its own, or what the device has in "
        "its place.");
  m.def("_new_host_array", &new_host_array, nb::arg("source"),
        nb::sig("def _new_host_array(source: USMArray) -> numpy.ndarray"),
        "A NumPy array with room for the elements.");
  m.def("_on_queue", &on_queue, nb::arg("source"), nb::arg("queue"),
        nb::sig("def _on_queue(source: USMArray, queue: SyclQueue) -> USMArray"),
        "A view of the same memory on another queue of the same context and device. Waits for the "
        "work on the array's own queue.");
  m.def(
      "_order_letter",
      [](nb::handle order) {
        return std::string(1, static_cast<char>(order_argument(order, any_order)));
      },
      nb::arg("order").none(), nb::sig("def _order_letter(order: object) -> str"));
}

}  // namespace usmx::bindings
