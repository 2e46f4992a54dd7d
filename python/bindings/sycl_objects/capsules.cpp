#include "sycl_objects/capsules.hpp"

#include <cstring>

#include "support/nanobind.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

template <class T>
struct names;
template <>
struct names<sycl::queue> {
  static constexpr const char* fresh = "SyclQueueRef";
  static constexpr const char* used = "used_SyclQueueRef";
};
template <>
struct names<sycl::context> {
  static constexpr const char* fresh = "SyclContextRef";
  static constexpr const char* used = "used_SyclContextRef";
};
template <>
struct names<sycl::event> {
  static constexpr const char* fresh = "SyclEventRef";
  static constexpr const char* used = "used_SyclEventRef";
};

interned get_capsule_name("_get_capsule");

template <class T>
void destroy(PyObject* capsule) {
  // A capsule that somebody renamed to anything else is no longer ours to free.
  const char* name = PyCapsule_GetName(capsule);
  if (name != nullptr &&
      (std::strcmp(name, names<T>::fresh) == 0 || std::strcmp(name, names<T>::used) == 0)) {
    delete static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  }
}

template <class T>
nb::object make(const T& value) {
  require_usable_process();
  auto copy = std::make_unique<T>(value);
  PyObject* capsule = PyCapsule_New(copy.get(), names<T>::fresh, destroy<T>);
  if (capsule == nullptr) {
    nb::raise_python_error();
  }
  copy.release();
  return nb::steal(capsule);
}

template <class T>
std::optional<T> read(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, names<T>::fresh)) {
    return std::nullopt;
  }
  require_usable_process();
  check_single_runtime();
  return *static_cast<const T*>(PyCapsule_GetPointer(capsule, names<T>::fresh));
}

template <class T>
T take(PyObject* capsule) {
  const nb::ft_object_guard alone(capsule);
  std::optional<T> value = read<T>(capsule);
  if (!value) {
    throw type_error(detail::message("capsule must be named '", names<T>::fresh,
                                     "' and not be used yet, found ", capsule_name_text(capsule)));
  }
  if (PyCapsule_SetName(capsule, names<T>::used) != 0) {
    nb::raise_python_error();
  }
  return *std::move(value);
}

}  // namespace

nb::object to_capsule(const sycl::queue& queue) { return make(queue); }
nb::object to_capsule(const sycl::context& context) { return make(context); }
nb::object to_capsule(const sycl::event& event) { return make(event); }

std::optional<sycl::queue> queue_in_capsule(PyObject* capsule) {
  return read<sycl::queue>(capsule);
}
std::optional<sycl::context> context_in_capsule(PyObject* capsule) {
  return read<sycl::context>(capsule);
}
std::optional<sycl::event> event_in_capsule(PyObject* capsule) {
  return read<sycl::event>(capsule);
}

sycl::queue take_queue(PyObject* capsule) { return take<sycl::queue>(capsule); }
sycl::context take_context(PyObject* capsule) { return take<sycl::context>(capsule); }
sycl::event take_event(PyObject* capsule) { return take<sycl::event>(capsule); }

nb::object capsule_of(PyObject* object) {
  if (PyType_Check(object)) {
    return nb::object();  // a class has the methods of its objects, but no capsule
  }
  nb::object method = optional_attribute(object, get_capsule_name.get());
  if (!method.is_valid()) {
    return nb::object();
  }
  nb::object capsule = checked(run_python([&] { return PyObject_CallNoArgs(method.ptr()); }));
  if (!PyCapsule_CheckExact(capsule.ptr())) {
    throw type_error(detail::message(type_name(object),
                                     "._get_capsule() must return a capsule, found ",
                                     type_name(capsule.ptr())));
  }
  return capsule;
}

std::string capsule_name_text(PyObject* capsule) {
  const char* name = PyCapsule_GetName(capsule);
  return name == nullptr ? "no name" : detail::message("'", name, "'");
}

}  // namespace usmx::bindings
