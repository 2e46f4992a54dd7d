#include "container/arrow_methods.hpp"

#include "exchange/arrow.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/queue_argument.hpp"

namespace usmx::bindings {
namespace {

/// Numbers have one form in Arrow: whatever schema the consumer would like, it gets that one.
void require_schema(nb::handle requested) {
  if (!requested.is_none() && PyCapsule_IsValid(requested.ptr(), "arrow_schema") == 0) {
    throw_wrong_type("requested_schema", "None or a capsule 'arrow_schema'", requested.ptr());
  }
}

/// Arguments of later versions of the protocol, which may be left out where they are None.
void require_nothing_else(const nb::kwargs& others) {
  for (const auto& [name, value] : others) {
    if (!value.is_none()) {
      PyErr_Format(PyExc_NotImplementedError, "__arrow_c_device_array__ does not know '%S'",
                   name.ptr());
      nb::raise_python_error();
    }
  }
}

nb::object to_arrow(const py_array& self, nb::handle requested) {
  require_schema(requested);
  wait_for(self.value);
  return to_arrow_capsules(self.value);
}

nb::object to_arrow_device(const py_array& self, nb::handle requested, const nb::kwargs& others) {
  require_schema(requested);
  require_nothing_else(others);
  wait_for(self.value);
  return to_arrow_device_capsules(self.value);
}

nb::object from_arrow(nb::handle column, nb::handle device, nb::handle usm_type,
                      nb::handle sycl_queue) {
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const usm_kind kind = kind_argument(usm_type);
  return to_python(copy_to_usm(column_of(column.ptr()), kind, queue));
}

}  // namespace

void bind_arrow_methods(nb::class_<py_array>& cls) {
  cls.def("__arrow_c_array__", &to_arrow, nb::arg("requested_schema") = nb::none(),
          nb::sig("def __arrow_c_array__(self, requested_schema: object = None) -> "
                  "tuple[typing_extensions.CapsuleType, typing_extensions.CapsuleType]"),
          "Two capsules of Arrow: the schema, and the elements in host-accessible memory. usmx "
          "waits for the work on them.\n\n"
          "Raises BufferError unless the array has one dimension and contiguous numbers.")
      .def("__arrow_c_device_array__", &to_arrow_device, nb::arg("requested_schema") = nb::none(),
           nb::arg("kwargs"),
           nb::sig("def __arrow_c_device_array__(self, requested_schema: object = None, "
                   "**kwargs: object) -> "
                   "tuple[typing_extensions.CapsuleType, typing_extensions.CapsuleType]"),
           "Two capsules of Arrow: the schema, and the elements in memory of any kind, with their "
           "device. That is the host for the kinds shared and host, and else the oneAPI device "
           "with the memory's number in get_devices(). usmx waits for the work on the "
           "elements.\n\n"
           "Raises BufferError unless the array has one dimension and contiguous numbers.");
}

void bind_from_arrow(nb::module_& m) {
  m.def("from_arrow", &from_arrow, nb::arg().none(), nb::kw_only(), nb::arg("device") = nb::none(),
        nb::arg("usm_type").none() = "device", nb::arg("sycl_queue") = nb::none(),
        nb::sig("def from_arrow(column: ArrowColumn, /, *, device: DeviceLike | None = None, "
                "usm_type: UsmType = 'device', sycl_queue: QueueLike | None = None) -> USMArray"),
        R"(Copy a column of Arrow's, in one chunk or several, into a new array. Waits.

The protocol is Arrow's C data interface. It does not say how long buffers are: usmx checks the
length of a column in USM, and of an object that tells the sizes of its ``buffers()``, as
pyarrow's do. Any other object must be right about its length.

Args:
    column: an object with ``__arrow_c_array__``, ``__arrow_c_stream__`` or
        ``__arrow_c_device_array__``: an array of pyarrow, a series of polars or pandas, and
        others.
    device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
        Device. By default the default device.
    usm_type: the kind of memory: 'device', 'shared' or 'host'.
    sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

Returns:
    A USMArray of one dimension.

Raises:
    BufferError: values are missing (null), are no integers or floating-point numbers, or are
        not in host memory.
    ValueError: what the object gave breaks a rule of Arrow's, or the column is longer than its
        memory.
    TypeError: `column` has none of these methods.

Example:
    >>> import pyarrow
    >>> print(usmx.from_arrow(pyarrow.array([1, 2, 3])))
    [1 2 3])");
}

}  // namespace usmx::bindings
