#include "container/container.hpp"

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/memory_object.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

lazy_import host_asarray("numpy", "asarray");
lazy_import numpy_empty("numpy", "empty");
lazy_import numpy_ndarray("numpy", "ndarray");

// ---- arrays and NumPy-like buffers

/// The other side of a copy, in a buffer of the same shape. A structured element is any format of
/// as many bytes: not every format can be written, and Python has compared the types.
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
  warn_of_lost_parts(source.value.type(), target.type);
  ordered(is_short(source.value), [&] { copy_to_host(source.value, target); });
}

/// A NumPy array with room for the elements of an array, in order 'K'.
nb::object new_host_array(const array& a) {
  const nb::object shape = to_tuple(a.shape());
  const nb::object type = to_numpy_dtype(a.type());
  if (a.layout().is_c_contiguous()) {
    return numpy_empty(shape, type);
  }
  const layout bytes =
      compact_like(a.layout()).scaled(static_cast<std::ptrdiff_t>(a.type().itemsize()));
  constexpr int offset = 0;
  return numpy_ndarray(shape, type, nb::none(), offset, to_tuple(bytes.strides()));
}

/// Throws ValueError or TypeError unless `out` is a writable NumPy array of that shape and element
/// type.
void require_same(const array& a, nb::handle out) {
  const nb::object type = to_numpy_dtype(a.type());
  const nb::object shape = to_tuple(a.shape());
  if (!nb::isinstance(out, numpy_ndarray.get())) {
    throw type_error(detail::message("out must be a NumPy array, found ", type_name(out.ptr())));
  }
  const nb::object found_shape = nb::getattr(out, "shape");
  const nb::object found_type = nb::getattr(out, "dtype");
  if (!found_shape.equal(shape) || !found_type.equal(type)) {
    throw value_error(detail::message(
        "out must have shape ", tuple_text(a.shape()), " and elements of ", nb::str(type).c_str(),
        ", found shape ", nb::str(found_shape).c_str(), " and ", nb::str(found_type).c_str()));
  }
  if (!nb::cast<bool>(nb::getattr(nb::getattr(out, "flags"), "writeable"))) {
    throw value_error("out must be writable, found a read-only NumPy array");
  }
}

void copy_host_to_array(const py_array& destination, nb::handle source) {
  const held_buffer host(source, with_format(destination.value, PyBUF_STRIDED_RO));
  const host_array from = host_side(host.view(), destination.value);
  warn_of_lost_parts(from.type, destination.value.type());
  ordered(is_short(destination.value), [&] { copy_from_host(from, destination.value); });
}

// ---- arrays and arrays

array spread_to(const array& source, const array& destination) {
  return internal::with_layout(source, broadcast(source.layout(), destination.shape()));
}

void copy_broadcast(const array& source, const array& destination) {
  const array spread = spread_to(source, destination);
  warn_of_lost_parts(source.type(), destination.type());
  ordered(is_short(spread) && is_short(destination), [&] { copy(spread, destination); });
}

// ---- copies that are not waited for

/// Announces an event by `announce`, which is array::record_read or array::record_write.
template <void (array::*announce)(const sycl::event&) const>
void record_event(const py_array& a, nb::handle event) {
  const sycl::event unfinished = event_argument("event", event);
  ordered(false, [&] { (a.value.*announce)(unfinished); });
}

std::vector<array> arrays_in(nb::handle sequence) {
  const nb::object items = checked(run_python([&] { return PySequence_Tuple(sequence.ptr()); }));
  std::vector<array> arrays;
  for (const nb::handle item : items) {
    arrays.push_back(nb::cast<const py_array&>(item).value);
  }
  return arrays;
}

nb::list pending_events_of(nb::handle reads, nb::handle writes) {
  const std::vector<array> read = arrays_in(reads);
  const std::vector<array> written = arrays_in(writes);
  nb::list events;
  for (const sycl::event& each : ordered(false, [&] { return pending_events(read, written); })) {
    events.append(event_object(each));
  }
  return events;
}

sycl::event copy_broadcast_async(const array& source, const array& destination) {
  const array spread = spread_to(source, destination);
  warn_of_lost_parts(source.type(), destination.type());
  return ordered(is_short(spread) && is_short(destination),
                 [&] { return copy_async(spread, destination); });
}

nb::object copy_array_to_host_async(const py_array& source, nb::handle destination) {
  shared_buffer host(destination, with_format(source.value, PyBUF_STRIDED));
  const host_array to = host_side(*host.view, source.value);
  warn_of_lost_parts(source.value.type(), to.type);
  return event_object(ordered(is_short(source.value),
                              [&] { return copy_to_host_async(source.value, to, host.owner); }));
}

nb::object copy_host_to_array_async(const py_array& destination, nb::handle source) {
  shared_buffer host(source, with_format(destination.value, PyBUF_STRIDED_RO));
  const host_array from = host_side(*host.view, destination.value);
  warn_of_lost_parts(from.type, destination.value.type());
  return event_object(ordered(is_short(destination.value), [&] {
    return copy_from_host_async(from, destination.value, host.owner);
  }));
}

/// The scalar, or for an array in USM its elements in a NumPy array: NumPy's conversion decides
/// what it is as an element.
nb::object scalar_on_host(nb::handle scalar) {
  return as_array(scalar.ptr()) == nullptr ? nb::borrow(scalar) : asnumpy(scalar, nb::none());
}

sycl::event start_filling(const array& destination, nb::handle scalar) {
  if (const array* from = as_array(scalar.ptr()); from != nullptr && from->ndim() == 0) {
    return copy_broadcast_async(*from, destination);
  }
  const element value = to_element(destination.type(), scalar_on_host(scalar));
  return ordered(is_short(destination), [&] { return fill_async(destination, value.data()); });
}

nb::object copied(const array& from, element_order order, nb::handle usm_type) {
  const usm_kind kind = usm_type.is_none() ? from.kind() : kind_argument(usm_type);
  return to_python(copy_of(from, from.type(), kind, internal::private_queue(from), order));
}

nb::object copy_of_producer(nb::handle usm_ary, nb::handle order, nb::handle usm_type) {
  const elements_argument a("usm_ary", usm_ary);
  return copied(a->value, order_argument(order, any_order, element_order::keep), usm_type);
}

nb::object to_numpy(nb::handle usm_ary) { return asnumpy(usm_ary, nb::none()); }

/// Sets every element to a number or an array of no dimensions. Waits.
void fill_array(const py_array& destination, nb::handle scalar) {
  const array& to = destination.value;
  if (const array* from = as_array(scalar.ptr()); from != nullptr && from->ndim() == 0) {
    return copy_broadcast(*from, to);
  }
  const element value = to_element(to.type(), scalar_on_host(scalar));
  ordered(is_short(to), [&] { fill(to, value.data()); });
}

// ---- methods

/// The order for NumPy, where 'A' is that of the array's own layout: the compact copy on the host
/// may be Fortran-contiguous where the array is not. NumPy's 'K' is 'C' here.
nb::object order_of_bytes(const layout& where, nb::handle order) {
  const element_order letter = resolved(order_argument(order, any_order, element_order::c), where);
  return nb::str(letter == element_order::f ? "F" : "C");
}

/// Answers NumPy's __array__, which NumPy calls only where it gets no buffer; a user may call it
/// for any memory.
nb::object to_host_array(nb::handle_t<py_array> self, nb::handle dtype, nb::handle copy) {
  require_usable_process();
  const py_array& a = ready_instance<py_array>(self.ptr());
  if (is_asked_by_as_strided()) {
    throw type_error(not_for_as_strided);
  }
  if (internal::host_may_view(a.value)) {
    const nb::object buffer = checked(PyMemoryView_FromObject(self.ptr()));
    return copy.is_none() ? host_asarray.get()(buffer, dtype)
                          : host_asarray.get()(buffer, dtype, nb::arg("copy") = copy);
  }
  throw type_error(detail::message(
      "a USMArray in device memory cannot be converted to a NumPy array implicitly: ",
      ways_to_host));
}

}  // namespace

nb::object asnumpy(nb::handle usm_ary, nb::handle out) {
  const array_argument a("usm_ary", usm_ary);
  nb::object destination = nb::borrow(out);
  if (out.is_none()) {
    destination = new_host_array(a->value);
  } else {
    require_same(a->value, out);
  }
  copy_array_to_host(*a, destination);
  return destination;
}

array copy_of(const array& source, dtype type, usm_kind kind, const sycl::queue& queue,
              element_order order) {
  require_convertible(type, source.type());
  warn_of_lost_parts(source.type(), type);
  const array made =
      make_array(compact_like(source.layout(), order), type, queue, kind, first_use::at_once);
  ordered(is_short(source) && is_short(made), [&] { copy(source, made); });
  return made;
}

void bind_copies(nb::module_& m) {
  declare<
      "def copy(usm_ary: Operand, /, order: OrderCFAK | None = 'K', *, usm_type: UsmType | None = "
      "None) -> USMArray">(m, &copy_of_producer);
  declare<"def asnumpy(usm_ary: Producer, *, out: NumpyArray | None = None) -> NumpyArray">(
      m, &asnumpy);
  declare<"def to_numpy(usm_ary: Producer, /) -> NumpyArray">(m, &to_numpy);
  declare<"def _copy(source: USMArray, destination: USMArray, /) -> None">(
      m,
      [](const py_array& source, const py_array& destination) {
        const array spread = spread_to(source.value, destination.value);
        warn_of_lost_parts(source.value.type(), destination.value.type());
        ordered(is_short(spread) && is_short(destination.value),
                [&] { internal::copy_for_call(spread, destination.value); });
      },
      "Copies the elements to a call's new result, converted to its type and repeated to its "
      "shape. Waits where the host reaches the result.");
  declare<"def _fill(destination: USMArray, scalar: object) -> None">(
      m, &fill_array,
      "Sets every element to a number, converted as NumPy's assignment of an item does: a "
      "Python int that does not fit raises OverflowError. Waits.");
  declare<"def _copy_to_host(source: USMArray, destination: object, /) -> None">(
      m, &copy_array_to_host,
      "Copies into a writable buffer of the same shape, converted to its elements' type. Waits.");
  declare<"def _copy_from_host(destination: USMArray, source: object, /) -> None">(
      m, &copy_host_to_array,
      "Copies from a buffer of the same shape, converted from its elements' type. Waits.");
  declare<"def _copy_async(source: USMArray, destination: USMArray, /) -> SyclEvent">(
      m,
      [](const py_array& source, const py_array& destination) {
        return event_object(copy_broadcast_async(source.value, destination.value));
      },
      "_copy, started and not waited for.");
  declare<"def _fill_async(destination: USMArray, scalar: object) -> SyclEvent">(
      m,
      [](const py_array& destination, nb::handle scalar) {
        return event_object(start_filling(destination.value, scalar));
      },
      "_fill, started and not waited for.");
  declare<
      "def _pending_events(reads: typing.Sequence[USMArray], writes: typing.Sequence[USMArray], /) "
      "-> list[SyclEvent]">(m, &pending_events_of, "The events that new work must come after.");
  declare<"def _copy_to_host_async(source: USMArray, destination: object, /) -> SyclEvent">(
      m, &copy_array_to_host_async,
      "_copy_to_host, started and not waited for; keeps the buffer meanwhile.");
  declare<"def _copy_from_host_async(destination: USMArray, source: object, /) -> SyclEvent">(
      m, &copy_host_to_array_async,
      "_copy_from_host, started and not waited for; keeps the buffer meanwhile.");
}

void bind_methods(nb::class_<py_array>& cls) {
  cls.def(
         "readonly", [](const py_array& a) { return py_array(a, a.value.as_readonly()); },
         "A view through which nothing can be written.")
      .def(
          "wait", [](const py_array& a) { wait_for(a.value); },
          "Wait for all work on the memory that usmx can know of.");
  declare<
      "def copy(self, order: OrderCFAK | None = 'C', *, usm_type: UsmType | None = None) -> "
      "USMArray">(cls, [](const py_array& a, nb::handle order, nb::handle usm_type) {
    return copied(a.value, order_argument(order, any_order, element_order::c), usm_type);
  });
  declare<"def fill(self, value: object) -> None">(cls, &fill_array);
  declare<"def tobytes(self, order: OrderCFAK | None = 'C') -> bytes">(
      cls, [](nb::handle_t<py_array> self, nb::handle order) {
        const nb::object resolved =
            order_of_bytes(ready_instance<py_array>(self.ptr()).value.layout(), order);
        return asnumpy(self, nb::none()).attr("tobytes")(resolved);
      });
  declare<"def record(self, event: object) -> None">(cls, &record_event<&array::record_write>);
  declare<"def record_read(self, event: object) -> None">(cls, &record_event<&array::record_read>);
  declare<"def record_write(self, event: object) -> None">(cls,
                                                           &record_event<&array::record_write>);
  declare<
      "def __array__(self, dtype: object = None, copy: object = None) -> "
      "numpy.typing.NDArray[typing.Any]">(
      cls, &to_host_array,
      "NumPy's array of memory that the host reaches. Raises TypeError for other memory.");
}

}  // namespace usmx::bindings
