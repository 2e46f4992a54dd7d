#include "sycl_objects/placement.hpp"

#include "support/arguments.hpp"
#include "support/type_name.hpp"
#include "sycl_objects/capsules.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "sycl_objects/peers_queues.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

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

}  // namespace usmx::bindings
