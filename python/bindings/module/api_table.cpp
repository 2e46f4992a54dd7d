#include "module/api_table.hpp"

#include "exchange/producers.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/errors.hpp"
#include "sycl_objects/capsules.hpp"
#include "sycl_objects/dpctl_objects.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "sycl_objects/sycl_context.hpp"
#include "sycl_objects/sycl_device.hpp"
#include "sycl_objects/sycl_event.hpp"
#include "usmx/python/api.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/queues_internal.hpp"

namespace usmx::bindings {
namespace {

/// What the functions named as_... return.
constexpr int failed = -1;
constexpr int nothing_of_the_kind = 0;
/// `is_known`: no code of others was asked.
constexpr int answer_of(bool is_known) { return is_known ? 1 : 2; }

int convert_to_array(PyObject* object, std::optional<array>* result) noexcept {
  return guarded(failed, [&] {
    const array* own = as_array(object);
    if (own != nullptr) {
      result->emplace(*own);
    } else {
      *result = array_of_other_producer(object);
    }
    if (!*result) {
      return nothing_of_the_kind;
    }
    wait_for(**result);
    return answer_of(own != nullptr);
  });
}

PyObject* from_array(const array& value) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    value.memory();  // an array without memory is refused
    return to_python(value).release().ptr();
  });
}

int convert_to_queue(PyObject* object, std::optional<sycl::queue>* result) noexcept {
  return guarded(failed, [&] {
    require_usable_process();
    *result = queue_of_object(object);
    if (!*result) {
      return nothing_of_the_kind;
    }
    internal::note_exposed(**result);
    return answer_of(value_of_either<sycl::queue>(object) != nullptr);
  });
}

PyObject* from_queue(const sycl::queue& queue) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return queue_object(queue).release().ptr(); });
}

int convert_to_event(PyObject* object, std::optional<sycl::event>* result) noexcept {
  return guarded(failed, [&] {
    require_usable_process();
    *result = event_of_object(object);
    return *result ? answer_of(value_of_either<sycl::event>(object) != nullptr)
                   : nothing_of_the_kind;
  });
}

PyObject* from_event(const sycl::event& event) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return to_python(event).release().ptr(); });
}

int convert_to_context(PyObject* object, std::optional<sycl::context>* result) noexcept {
  return guarded(failed, [&] {
    require_usable_process();
    if (const auto* known = value_of_either<sycl::context>(object)) {
      result->emplace(*known);
      return answer_of(true);
    }
    const nb::object capsule =
        PyCapsule_CheckExact(object) != 0 ? nb::borrow(object) : capsule_of(object);
    *result = capsule.is_valid() ? context_in_capsule(capsule.ptr()) : std::nullopt;
    return *result ? answer_of(false) : nothing_of_the_kind;
  });
}

PyObject* from_context(const sycl::context& context) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return to_python(context).release().ptr(); });
}

int convert_to_device(PyObject* object, std::optional<sycl::device>* result) noexcept {
  return guarded(failed, [&] {
    require_usable_process();
    const auto* known = value_of_either<sycl::device>(object);
    if (known == nullptr) {
      return nothing_of_the_kind;
    }
    result->emplace(*known);
    return answer_of(true);
  });
}

PyObject* from_device(const sycl::device& device) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return to_python(device).release().ptr(); });
}

int set_error(const std::exception_ptr& exception) noexcept {
  return translate_exception(exception) ? 1 : 0;
}

constexpr python::api_table table = {
    .version = python::api_version,
    .as_array = convert_to_array,
    .from_array = from_array,
    .as_queue = convert_to_queue,
    .from_queue = from_queue,
    .as_event = convert_to_event,
    .from_event = from_event,
    .as_context = convert_to_context,
    .from_context = from_context,
    .as_device = convert_to_device,
    .from_device = from_device,
    .set_error = set_error,
};

}  // namespace

void bind_api_table(nb::module_& m) {
  m.attr("_api") = nb::capsule(&table, python::api_capsule_name);
}

}  // namespace usmx::bindings
