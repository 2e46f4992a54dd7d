#include "sycl_objects/classes.hpp"

#include <nanobind/operators.h>

#include "internals.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl_objects.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// The queue of a Device or of usmx's or dpctl's SyclQueue: what a Device can be equal to.
const sycl::queue* comparable_queue(PyObject* object) {
  const sycl::queue* queue = device_queue(object);
  return queue == nullptr ? value_of_either<sycl::queue>(object) : queue;
}

nb::object equal(const py_device& device, nb::handle other) {
  const sycl::queue* queue = comparable_queue(other.ptr());
  return queue == nullptr ? nb::borrow(Py_NotImplemented)
                          : nb::cast(compared(device.queue) == compared(*queue));
}

std::string plain_name(const sycl::device& device) {
  return filter_string_of(device).value_or("sub-device of " + describe(device));
}

}  // namespace

void print_device_info(const sycl::device& device) {
  require_usable_process();
  namespace id = sycl::info::device;
  nb::print(detail::message("    Name            ", device.get_info<id::name>(),
                            "\n    Driver version  ", device.get_info<id::driver_version>(),
                            "\n    Vendor          ", device.get_info<id::vendor>(),
                            "\n    Filter string   ", plain_name(device), "\n")
                .c_str());
}

nb::class_<py_device> bind_device(nb::module_& m) {
  nb::class_<py_device> cls(
      m, "Device",
      "The place of an array: a queue, and with it a device and a context. ``a.device`` and "
      "``Device.create_device`` make one, and every argument ``device`` accepts one. It equals a "
      "Device or SyclQueue of the same queue. The array API and dpctl have the name.");
  bind_where(
      cls, [](const py_device& d) { return d.queue; },
      [](const py_device& d) { return queue_object(d.queue); });
  cls.def(
         "print_device_info", [](const py_device& d) { print_device_info(d.queue.get_device()); },
         "Print name, driver version, vendor and filter string.")
      .def(
          "wait", [](const py_device& d) { internal::wait_for_both(d.queue); },
          nb::call_guard<without_interpreter_lock>(),
          "Wait until everything submitted to the queue has finished. Other Python threads run "
          "meanwhile.")
      .def("__eq__", &equal, nb::arg("other").none(),
           nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const py_device& d) { return std::hash<sycl::queue>{}(compared(d.queue)); })
      .def("__repr__",
           [](const py_device& d) { return "Device(" + plain_name(d.queue.get_device()) + ")"; });
  set_python_class<py_device>(cls);
  return cls;
}

}  // namespace usmx::bindings
