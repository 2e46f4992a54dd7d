#include "syclobj.hpp"

#include <nanobind/stl/string_view.h>

#include "arguments.hpp"
#include "capsules.hpp"
#include "device.hpp"
#include "dpctl_types.hpp"
#include "sycl_objects.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

interned sycl_queue_name("sycl_queue");
interned filter_string_name("filter_string");

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

sycl::queue queue_on(const sycl::device& device) { return cached_queue(device); }

std::optional<sycl::queue> queue_in(nb::handle argument) {
  if (const sycl::queue* queue = as_queue(argument.ptr())) {
    return *queue;
  }
  if (const sycl::queue* queue = as_dpctl_queue(argument.ptr())) {
    return *queue;
  }
  if (PyCapsule_CheckExact(argument.ptr())) {
    return queue_in_capsule(argument.ptr());
  }
  const nb::object capsule = capsule_of(argument.ptr());
  return capsule.is_valid() ? queue_in_capsule(capsule.ptr()) : std::nullopt;
}

/// What others than usmx describe a device with: an object that holds a queue, dpnp's Device, which
/// has one as an attribute, or dpctl's SyclDevice.
std::optional<sycl::queue> queue_of_foreign_device(nb::handle device) {
  if (const auto queue = queue_in(device)) {
    return queue;
  }
  const nb::object queue = optional_attribute(device.ptr(), sycl_queue_name.get());
  if (queue.is_valid()) {
    return queue_in(queue);
  }
  const nb::object filter = optional_attribute(device.ptr(), filter_string_name.get());
  if (filter.is_valid() && nb::isinstance<nb::str>(filter)) {
    return queue_on(select_device(nb::cast<std::string_view>(filter)));
  }
  return std::nullopt;
}

sycl::queue queue_for_device(nb::handle device) {
  if (nb::isinstance<nb::str>(device)) {
    return queue_on(select_device(to_text("device", device.ptr())));
  }
  if (const sycl::queue* queue = as_device_queue(device.ptr())) {
    return *queue;
  }
  if (const sycl::device* found = as_device(device.ptr())) {
    return queue_on(*found);
  }
  if (const auto queue = queue_of_foreign_device(device)) {
    return *queue;
  }
  throw type_error(
      detail::message("device must be a filter string, a SyclDevice, a SyclQueue or a Device, "
                      "found ",
                      Py_TYPE(device.ptr())->tp_name));
}

void require_agreement(const sycl::queue& queue, nb::handle device) {
  const sycl::queue other = queue_for_device(device);
  if (other.get_device() != queue.get_device()) {
    throw value_error(detail::message("sycl_queue and device must agree, found ",
                                      describe(queue.get_device()), " and ",
                                      describe(other.get_device())));
  }
  if (names_queue(device) && other != queue) {
    throw value_error(
        detail::message("sycl_queue and device must agree, found two different queues on ",
                        describe(queue.get_device()), ": give one of them"));
  }
}

}  // namespace

exchange::placement resolve_syclobj(PyObject* object) {
  if (const sycl::queue* queue = as_queue(object)) {
    return *queue;
  }
  if (const sycl::queue* queue = as_dpctl_queue(object)) {
    return *queue;
  }
  if (const sycl::context* context = as_context(object)) {
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
                      Py_TYPE(object)->tp_name));
}

sycl::queue queue_argument(nb::handle sycl_queue, nb::handle device) {
  if (sycl_queue.is_none()) {
    return device.is_none() ? default_queue() : queue_for_device(device);
  }
  const auto queue = queue_in(sycl_queue);
  if (!queue) {
    throw type_error(
        detail::message("sycl_queue must be a SyclQueue or an object whose "
                        "_get_capsule() holds one, found ",
                        Py_TYPE(sycl_queue.ptr())->tp_name));
  }
  if (!device.is_none()) {
    require_agreement(*queue, device);
  }
  return *queue;
}

bool names_queue(nb::handle device) {
  return !device.is_none() && PyObject_HasAttrString(device.ptr(), "sycl_device") != 0;
}

}  // namespace usmx::bindings
