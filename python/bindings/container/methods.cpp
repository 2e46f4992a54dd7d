#include "container/methods.hpp"

#include "container/copies.hpp"
#include "container/making.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
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

}  // namespace

void bind_methods(nb::class_<py_array>& cls) {
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
                                     a.value.owner()->queue(), order_argument(order, any_order)));
          },
          nb::arg("order").none() = "C",
          nb::sig("def copy(self, order: OrderCFAK = 'C') -> USMArray"),
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
            return asnumpy(self, nb::none()).attr("tobytes")(order);
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
      .def("__array__", &refuse_conversion, nb::arg("dtype") = nb::none(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: object = None, copy: object = None) -> "
                   "numpy.typing.NDArray[typing.Any]"),
           "Raises TypeError: NumPy asks only where there is no buffer, for device memory.");
}

}  // namespace usmx::bindings
