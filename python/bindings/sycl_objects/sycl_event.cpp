#include "sycl_objects/classes.hpp"

#include "internals.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

constexpr const char* accepted_events =
    "a SyclEvent, an object whose _get_capsule() holds one, or a capsule 'SyclEventRef'";

/// The capsule that the argument is or gives; null when it does neither.
nb::object own_or_given_capsule(nb::handle argument) {
  return PyCapsule_CheckExact(argument.ptr()) ? nb::borrow(argument) : capsule_of(argument.ptr());
}

sycl::event construct_event(nb::handle argument) {
  require_usable_process();
  if (argument.is_none()) {
    return {};
  }
  return PyCapsule_CheckExact(argument.ptr()) ? take_event(argument.ptr())
                                              : event_argument("arg", argument);
}

nb::object status(const sycl::event& event) {
  require_usable_process();
  return to_python(event.get_info<sycl::info::event::command_execution_status>());
}

nb::object backend(const sycl::event& event) {
  require_usable_process();
  const auto known = internal::backend_of(event);
  return known ? to_python(*known) : nb::none();
}

/// The events that an event waits for. The runtime crashes if it is asked about an event that no
/// back end has.
std::vector<sycl::event> wait_list(const sycl::event& event) {
  const without_interpreter_lock unlocked;
  const detail::runtime_call call;
  return internal::backend_of(event) ? sycl::event(event).get_wait_list()
                                     : std::vector<sycl::event>();
}

/// An object of usmx's own class for an event of usmx's or dpctl's.
nb::object own_event(nb::handle event) {
  const auto* known = value_of_either<sycl::event>(event.ptr());
  if (known == nullptr) {
    throw_not_accepted("this function", "a SyclEvent", event);
  }
  return own_object(*known);
}

void wait_for_all(const std::vector<sycl::event>& events) {
  const without_interpreter_lock unlocked;
  wait_for_events(events);
}

void wait_for_argument(nb::handle argument) {
  const bool are_several =
      nb::isinstance<nb::list>(argument) || nb::isinstance<nb::tuple>(argument);
  wait_for_all(are_several ? events_argument("event", argument)
                           : std::vector{event_argument("event", argument)});
}

template <class Info>
auto profiling() {
  return [](const sycl::event& event) {
    const without_interpreter_lock unlocked;
    const detail::runtime_call call;
    return event.get_profiling_info<Info>();
  };
}

void bind_profiling(nb::class_<sycl::event>& cls) {
  namespace id = sycl::info::event_profiling;
  const char* doc =
      "Nanoseconds of the device's clock, for work on a queue made with "
      "``property='enable_profiling'``. Raises RuntimeError for any other.";
  cls.def_prop_ro("profiling_info_submit", profiling<id::command_submit>(), doc)
      .def_prop_ro("profiling_info_start", profiling<id::command_start>(), doc)
      .def_prop_ro("profiling_info_end", profiling<id::command_end>(), doc);
}

}  // namespace

std::optional<sycl::event> event_of_object(nb::handle object) {
  if (const auto* event = value_of_either<sycl::event>(object.ptr())) {
    return *event;
  }
  const nb::object capsule = own_or_given_capsule(object);
  return capsule.is_valid() ? event_in_capsule(capsule.ptr()) : std::nullopt;
}

sycl::event event_argument(const char* name, nb::handle argument) {
  if (const auto* event = value_of_either<sycl::event>(argument.ptr())) {
    return *event;
  }
  const nb::object capsule = own_or_given_capsule(argument);
  if (!capsule.is_valid()) {
    throw type_error(
        detail::message(name, " must be ", accepted_events, ", found ", type_name(argument.ptr())));
  }
  const auto event = event_in_capsule(capsule.ptr());
  if (!event) {
    throw value_error(detail::message(name, " must be ", accepted_events,
                                      " that is not used yet, found a capsule with ",
                                      capsule_name_text(capsule.ptr())));
  }
  return *event;
}

std::vector<sycl::event> events_argument(const char* name, nb::handle events) {
  if (!nb::isinstance<nb::list>(events) && !nb::isinstance<nb::tuple>(events)) {
    throw_wrong_type(name, "a list or tuple of SyclEvents", events.ptr());
  }
  // The items may change while they are asked for their capsules.
  const nb::object items = checked(run_python([&] { return PySequence_Tuple(events.ptr()); }));
  std::vector<sycl::event> found;
  for (nb::handle item : items) {
    found.push_back(event_argument(name, item));
  }
  return found;
}

void bind_sycl_event(nb::module_& m) {
  nb::class_<sycl::event> cls(
      m, "SyclEvent",
      "A SYCL event, which stands for work on a queue. It equals another one for the same event.");
  bind_new<"def __new__(cls, *args: typing.Any, **kwargs: typing.Any) -> SyclEvent">(cls,
                                                                                     &event_object);
  declare<"def __init__(self, arg: object = None) -> None">(cls, init_by(&construct_event),
                                                            docstring("SyclEvent.__init__"));
  cls.def(
      "wait", [](const sycl::event& event) { wait_for_all({event}); },
      "Wait until the work has finished. Other Python threads run meanwhile.");
  declare<"def wait_for(event: object) -> None">(cls, &wait_for_argument);
  declare_attribute<"def execution_status(self) -> event_status_type">(
      cls, &status,
      "A member of event_status_type: submitted, running or complete. To know when it is "
      "complete, call ``wait()``: that costs less than asking again and again.");
  declare_attribute<"def backend(self) -> backend_type | None">(
      cls, &backend,
      "The back end, a member of backend_type. None if no back end has the event: that of a "
      "host task, of a command that still waits for one, and of an event that was complete "
      "from the start.");
  declare<"def get_wait_list(self) -> list[SyclEvent]">(
      cls, &wait_list,
      "List the events that the command comes after, as far as the runtime still knows them.");
  cls.def(
      "addressof_ref",
      [](const sycl::event& event) { return reinterpret_cast<std::uintptr_t>(&event); },
      "The address of the C++ object, a sycl::event, which lives as long as this object.");
  declare<"def _get_capsule(self) -> typing_extensions.CapsuleType">(
      cls, [](const sycl::event& event) { return to_capsule(event); },
      "A new capsule 'SyclEventRef' that owns a copy.");
  cls.def("__repr__", [](const sycl::event& event) {
    return detail::message("<SyclEvent, ", nb::cast<std::string>(status(event).attr("name")), ">");
  });
  // The subclass of dpctl's class compares its events, which dpctl compares by the Python object.
  bind_value_semantics<sycl::event>(
      cls, [](PyObject* other) -> const sycl::event* { return value_in<sycl::event>(other); });
  bind_profiling(cls);
  bind_name_of_class(cls);
  set_python_class<sycl::event>(cls);
  declare<"def _own_event(event: Any) -> SyclEvent">(m, &own_event);
}

}  // namespace usmx::bindings
