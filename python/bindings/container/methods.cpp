#include "container/methods.hpp"

#include "container/copies.hpp"
#include "container/making.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/sycl_event.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

void refuse_conversion(const py_array& a, nb::handle, nb::handle) {
  require_usable_process();  // else NumPy asks here because it gets no buffer
  throw type_error(detail::message("a USMArray in ", name(a.value.kind()),
                                   " memory cannot be converted to a NumPy array implicitly: "
                                   "usmx.asnumpy copies it to the host"));
}

/// An array that was constructed: TypeError for what __new__ alone has made.
nb::handle ready(nb::handle self) {
  ready_instance<py_array>(self.ptr());
  return self;
}

void bind_formatting(nb::class_<py_array>& cls) {
  cls.def(
         "__repr__", [](nb::handle self) { return hooks::array_repr(ready(self)); },
         nb::sig("def __repr__(self) -> str"))
      .def(
          "__str__", [](nb::handle self) { return hooks::array_str(ready(self)); },
          nb::sig("def __str__(self) -> str"))
      .def(
          "__format__",
          [](nb::handle self, nb::handle specification) {
            return hooks::format_array(ready(self), specification);
          },
          nb::arg("specification"), nb::sig("def __format__(self, specification: str, /) -> str"),
          "``str(a)``; with a format specification the element of a 0-d array, TypeError for "
          "others.")
      .def(
          "_repr_html_", [](nb::handle self) { return hooks::array_html(ready(self)); },
          nb::sig("def _repr_html_(self) -> str"));
}

void bind_pickling(nb::class_<py_array>& cls) {
  cls.def(
         "__reduce_ex__",
         [](nb::handle self, nb::handle protocol) {
           return hooks::reduce_array(ready(self), protocol);
         },
         nb::arg("protocol"),
         nb::sig("def __reduce_ex__(self, protocol: typing.SupportsIndex) -> tuple[typing.Any, "
                 "...]"),
         "Pickles class, elements, order, kind, read-only flag and the device's filter string. "
         "Read back, the array is on the queue that is kept for that device. Waits.")
      .def(
          "__copy__", [](nb::handle self) { return hooks::copy_array(ready(self), nb::none()); },
          nb::sig("def __copy__(self) -> typing.Self"),
          "The same elements in new, writable memory of the same kind on the same queue. Waits.")
      .def(
          "__deepcopy__",
          [](nb::handle self, nb::handle memo) { return hooks::copy_array(ready(self), memo); },
          nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: dict[int, typing.Any]) -> typing.Self"));
}

void bind_elements(nb::class_<py_array>& cls) {
  cls.def(
         "readonly", [](const py_array& a) { return py_array{a.value.as_readonly(), a.base}; },
         "A view through which nothing can be written.")
      .def(
          "wait", [](const py_array& a) { wait_for(a.value); },
          "Wait for all work on the memory that usmx can know of.")
      .def(
          "copy",
          [](const py_array& a, nb::handle order) {
            return to_python(copy_of(a.value, a.value.type(), a.value.kind(),
                                     internal::private_queue(a.value),
                                     order_argument(order, any_order)));
          },
          nb::arg("order").none() = "C", nb::sig("def copy(self, order: str = 'C') -> USMArray"),
          R"(Copy the array into new memory of the same kind, on the same queue. Waits.

Args:
    order: 'C': the last index varies fastest in memory. 'F': the first one does. 'A': 'F' if the
        array is Fortran- and not C-contiguous, else 'C'. 'K': compact, with
        the axes in the order in which they lie in memory.

Returns:
    A USMArray in new memory, which usmx owns.

Raises:
    USMAllocationError: the memory cannot be allocated.

Example:
    >>> a = usmx.arange(3)
    >>> a.copy() is a
    False)")
      .def("fill", &fill_array, nb::arg("value").none(),
           nb::sig("def fill(self, value: object) -> None"),
           R"(Set every element to one value. Waits.

Args:
    value: a number or an array without dimensions, which is converted as in an assignment.

Raises:
    ValueError: the array is read-only.
    OverflowError: a Python integer does not fit the element type.

Example:
    >>> a = usmx.zeros(2)
    >>> a.fill(7)
    >>> print(a)
    [7. 7.])")
      .def(
          "tobytes",
          [](nb::handle self, nb::handle order) {
            return hooks::asnumpy(ready(self)).attr("tobytes")(order);
          },
          nb::arg("order").none() = "C",
          nb::sig("def tobytes(self, order: typing.Literal['C', 'F', 'A'] = 'C') -> bytes"),
          R"(Copy the elements into a Python bytes object. Waits.

Args:
    order: 'C': the last index varies fastest. 'F': the first one does. 'A': 'F' if the array is
        Fortran- and not C-contiguous, else 'C'.

Returns:
    bytes, without gaps.

Example:
    >>> usmx.asarray([1, 2], dtype='u1').tobytes()
    b'\x01\x02')")
      .def(
          "astype",
          [](nb::handle self, nb::args args, nb::kwargs kwargs) {
            return hooks::array_astype(ready(self), *args, **kwargs);
          },
          nb::sig("def astype(self, dtype: object, order: str = 'K', casting: str = 'unsafe', "
                  "copy: bool = True, device: object = None) -> USMArray"),
          R"(Convert the elements to another type. Waits.

This is `usmx.astype` with the same meaning of every argument.

Args:
    dtype: the element type; None means the default floating-point type of the device.
    order: 'C': the last index varies fastest in memory. 'F': the first one does. 'A': 'F' if the
        array is Fortran- and not C-contiguous, else 'C'. 'K': compact, with
        the axes in the order in which they lie in memory.
    casting: which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    copy: False: do not copy if type, device and order are what they should be.
    device: where the result is: a filter string, a SyclDevice, a SyclQueue or a Device.

Returns:
    A USMArray in new memory, or the array itself if ``copy=False`` and nothing is to be done.

Raises:
    TypeError: `casting` does not allow the conversion.
    ValueError: the device lacks the type.

Example:
    >>> print(usmx.asarray([1.9, 2.1]).astype('i4'))
    [1 2])")
      .def(
          "to_device",
          [](nb::handle self, nb::args args, nb::kwargs kwargs) {
            return hooks::to_device(ready(self), *args, **kwargs);
          },
          nb::sig("def to_device(self, device: object, /, *, stream: SyclQueue | None = None) -> "
                  "USMArray"),
          R"(Move the array to another device or queue. Waits for the copy, if there is one.

Args:
    device: a filter string, a SyclDevice, a SyclQueue or a Device.
    stream: None, or the queue of the array; the array API has this argument.

Returns:
    The array itself if it is there; a view if its memory can be used there; else a copy.

Raises:
    ValueError: `device` is no device, or lacks the element type.
    USMAllocationError: the memory for the copy cannot be allocated.

Example:
    >>> a = usmx.zeros(2)
    >>> a.to_device(a.device) is a
    True)")
      .def(
          "record",
          [](const py_array& a, nb::handle event) {
            const sycl::event unfinished = event_argument("event", event);
            ordered(false, [&] { a.value.record(unfinished); });
          },
          nb::arg("event").none(), nb::sig("def record(self, event: object) -> None"),
          R"(Announce unfinished work on the array's memory that usmx has not submitted. Does not wait.

Whoever reads the memory through usmx waits for that work, and usmx does not free the memory before it is
complete.

Args:
    event: a SyclEvent of usmx or dpctl, or a capsule 'SyclEventRef', which stays usable. usmx keeps a
        copy.

Raises:
    TypeError: `event` is none of these.
    ValueError: the capsule was used before.

Example:
    >>> a = usmx.zeros(2)
    >>> a.record(usmx.SyclEvent()))")
      .def(
          "__array_namespace__",
          [](nb::handle self, nb::handle api_version) {
            return hooks::array_namespace(ready(self), api_version);
          },
          nb::kw_only(), nb::arg("api_version") = nb::none(),
          nb::sig("def __array_namespace__(self, *, api_version: str | None = None) -> "
                  "types.ModuleType"),
          "The module usmx: those functions of the array API that need no arithmetic, as its "
          "2024.12 edition has them. ValueError for another `api_version`.")
      .def("__array__", &refuse_conversion, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: object = None, copy: object = None) -> "
                   "numpy.typing.NDArray[typing.Any]"),
           "Raises TypeError: NumPy asks only where there is no buffer, for device memory.");
}

}  // namespace

void bind_methods(nb::class_<py_array>& cls) {
  bind_elements(cls);
  bind_formatting(cls);
  bind_pickling(cls);
}

}  // namespace usmx::bindings
