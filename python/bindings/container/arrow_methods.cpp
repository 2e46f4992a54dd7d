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

nb::object import_column(nb::handle column, nb::handle device, nb::handle usm_type,
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
  m.def("_from_arrow", &import_column, nb::arg("column").none(), nb::arg("device").none(),
        nb::arg("usm_type").none(), nb::arg("sycl_queue").none(),
        nb::sig("def _from_arrow(column: object, device: object, usm_type: object, "
                "sycl_queue: object) -> USMArray"));
}

}  // namespace usmx::bindings
