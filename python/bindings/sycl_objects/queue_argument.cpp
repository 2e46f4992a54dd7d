#include "sycl_objects/classes.hpp"

#include <nanobind/operators.h>

#include <utility>

#include "internals.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "support/scopes.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

interned sycl_queue_name("sycl_queue");
interned filter_string_name("filter_string");

/// The queue that an object of another package describes: an object that holds a queue, dpnp's
/// Device, which has one as an attribute, or dpctl's SyclDevice.
std::optional<sycl::queue> queue_of_foreign_device(nb::handle device) {
  if (const auto queue = queue_of_object(device)) {
    return queue;
  }
  const nb::object queue = optional_attribute(device.ptr(), sycl_queue_name.get());
  if (queue.is_valid()) {
    return queue_of_object(queue);
  }
  const nb::object filter = optional_attribute(device.ptr(), filter_string_name.get());
  if (filter.is_valid() && nb::isinstance<nb::str>(filter)) {
    return internal::cached_queue(select_device(nb::cast<std::string_view>(filter)));
  }
  return std::nullopt;
}

sycl::queue queue_of_device_argument(nb::handle device) {
  if (nb::isinstance<nb::str>(device)) {
    return internal::cached_queue(select_device(to_text("device", device.ptr())));
  }
  if (const sycl::queue* queue = device_queue(device.ptr())) {
    return *queue;
  }
  if (const auto* found = value_of_either<sycl::device>(device.ptr())) {
    return internal::cached_queue(*found);
  }
  if (const auto queue = queue_of_foreign_device(device)) {
    return *queue;
  }
  if (const nb::object filter = filter_named_by(device); filter.is_valid()) {
    return queue_of_device_argument(filter);
  }
  throw type_error(
      detail::message("device must be a filter string, a SyclDevice, a SyclQueue or a Device, "
                      "found ",
                      type_name(device.ptr())));
}

void require_agreement(const sycl::queue& queue, nb::handle device) {
  const sycl::queue other = queue_of_device_argument(device);
  if (other.get_device() != queue.get_device()) {
    throw value_error(detail::message("sycl_queue and device must agree, found ",
                                      describe(queue.get_device()), " and ",
                                      describe(other.get_device())));
  }
  if (names_a_queue(device) && other != queue) {
    throw value_error(
        detail::message("sycl_queue and device must agree, found two different queues on ",
                        describe(queue.get_device()), ": give one of them"));
  }
}

}  // namespace

std::optional<sycl::queue> queue_of_object(nb::handle argument) {
  const auto found = [&]() -> std::optional<sycl::queue> {
    if (const auto* queue = value_of_either<sycl::queue>(argument.ptr())) {
      return *queue;
    }
    if (PyCapsule_CheckExact(argument.ptr())) {
      return queue_in_capsule(argument.ptr());
    }
    const nb::object capsule = capsule_of(argument.ptr());
    return capsule.is_valid() ? queue_in_capsule(capsule.ptr()) : std::nullopt;
  }();
  if (!found) {
    return std::nullopt;
  }
  look_for_peers_of(*found);
  return internal::own_queue(*found);
}

sycl::queue queue_argument(nb::handle sycl_queue, nb::handle device) {
  if (sycl_queue.is_none()) {
    return device.is_none() ? internal::default_queue() : queue_of_device_argument(device);
  }
  const auto queue = queue_of_object(sycl_queue);
  if (!queue) {
    throw type_error(
        detail::message("sycl_queue must be a SyclQueue or an object whose "
                        "_get_capsule() holds one, found ",
                        type_name(sycl_queue.ptr())));
  }
  if (!device.is_none()) {
    require_agreement(*queue, device);
  }
  return *queue;
}

namespace {

/// The kind of memory that comes with a Device of an array's; none for any other object.
std::optional<usm_kind> kind_of_device(nb::handle device) {
  const auto* place = value_in<py_device>(device.ptr());
  return place == nullptr ? std::nullopt : place->kind;
}

usm_kind default_kind() {
  const auto scoped = scoped_kind();
  return scoped ? *scoped : internal::default_kind();
}

}  // namespace

usm_kind kind_argument(nb::handle usm_type, nb::handle device) {
  if (!usm_type.is_none()) {
    return kind_argument(usm_type);
  }
  const auto known = kind_of_device(device);
  return known ? *known : default_kind();
}

namespace {

// ---- `syclobj`

std::optional<exchange::placement> in_capsule(PyObject* capsule) {
  if (auto queue = queue_in_capsule(capsule)) {
    return *std::move(queue);
  }
  if (auto context = context_in_capsule(capsule)) {
    return *std::move(context);
  }
  return std::nullopt;
}

exchange::placement from_capsule(PyObject* capsule) {
  if (auto found = in_capsule(capsule)) {
    return *std::move(found);
  }
  throw value_error(detail::message(
      "'syclobj' capsule must be named 'SyclQueueRef' or 'SyclContextRef' and not be used yet, "
      "found ",
      capsule_name_text(capsule)));
}

exchange::placement find_placement(PyObject* object) {
  if (const auto* queue = value_of_either<sycl::queue>(object)) {
    return *queue;
  }
  if (const auto* context = value_of_either<sycl::context>(object)) {
    return *context;
  }
  if (PyUnicode_Check(object)) {
    return default_context(select_device(to_text("syclobj", object)));
  }
  if (PyCapsule_CheckExact(object)) {
    return from_capsule(object);
  }
  if (const nb::object capsule = capsule_of(object); capsule.is_valid()) {
    return from_capsule(capsule.ptr());
  }
  throw type_error(
      detail::message("'syclobj' must be a SyclQueue, a SyclContext, a filter string, "
                      "a capsule or an object with _get_capsule(), found ",
                      type_name(object)));
}

}  // namespace

exchange::placement resolve_syclobj(PyObject* object) {
  exchange::placement found = find_placement(object);
  if (const sycl::queue* queue = found.queue()) {
    look_for_peers_of(*queue);
  }
  return found;
}

namespace {

// ---- the default queue and the default kind of memory

std::optional<std::string_view> named(std::optional<usm_kind> kind) {
  return kind ? std::optional(name(*kind)) : std::nullopt;
}

void bind_default_kind(nb::module_& m) {
  declare<"def default_usm_type() -> UsmType">(m, [] { return name(default_kind()); });
  declare<"def set_default_usm_type(usm_type: UsmType | None) -> UsmType | None">(
      m, [](nb::handle usm_type) {
        return named(internal::set_default_kind(
            usm_type.is_none() ? std::nullopt : std::optional(kind_argument(usm_type))));
      });
  declare<"def _usm_type_scope(usm_type: object) -> _Scope">(
      m, [](nb::handle usm_type) { return new_scope(kind_argument(usm_type)); });
}

std::optional<sycl::queue> optional_queue(nb::handle queue) {
  return queue.is_none() ? std::nullopt : std::optional(queue_argument(queue, nb::none()));
}

void bind_default_queue(nb::module_& m) {
  declare<"def default_queue() -> SyclQueue">(
      m, [] { return queue_object(internal::default_queue()); });
  declare<"def set_default_queue(queue: object) -> SyclQueue | None">(m, [](nb::handle queue) {
    const auto before = set_default_queue(optional_queue(queue));
    return before ? queue_object(internal::own_queue(*before)) : nb::none();
  });
  declare<"def _queue_scope(queue: Any) -> _Scope">(
      m, [](nb::handle queue) { return new_scope(queue_argument(queue, nb::none())); });
}

}  // namespace

bool names_a_queue(nb::handle device) {
  return !device.is_none() &&
         run_python([&] { return PyObject_HasAttrString(device.ptr(), "sycl_device"); }) != 0;
}

void bind_queue_argument(nb::module_& m, nb::class_<py_device>& device_class) {
  bind_default_queue(m);
  bind_default_kind(m);
  declare<"def _queue_argument(sycl_queue: object, device: object) -> SyclQueue">(
      m, [](nb::handle sycl_queue, nb::handle device) {
        return own_object(queue_argument(sycl_queue, device));
      });
  declare<"def create_device(device: object = None) -> Device">(
      device_class, [](nb::handle device) {
        return make_instance(py_device{queue_argument(nb::none(), device), kind_of_device(device)});
      });
}

namespace {

/// The queue of an object that can be equal to a Device: a Device, or usmx's or dpctl's SyclQueue.
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
      "Device or SyclQueue of the same queue, whatever its kind of memory. The array API and dpctl "
      "have the name.");
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
          "meanwhile.");
  declare<"def __eq__(self, other: object, /) -> bool">(cls, &equal);
  cls.def("__hash__",
          [](const py_device& d) { return std::hash<sycl::queue>{}(compared(d.queue)); })
      .def("__repr__",
           [](const py_device& d) { return "Device(" + plain_name(d.queue.get_device()) + ")"; });
  declare_attribute<"def usm_type(self) -> UsmType | None">(
      cls, [](const py_device& d) { return named(d.kind); },
      "The kind of memory of the array that the Device came from, which new arrays with it as "
      "``device`` have, too; None if it came from no array.");
  set_python_class<py_device>(cls);
  return cls;
}

}  // namespace usmx::bindings
