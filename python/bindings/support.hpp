// Small things that all of the bindings need: nanobind itself, interned names, and what turns C++
// exceptions into Python's inside of type slots, where nanobind does not do it.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "errors.hpp"
#include "interpreter_lock.hpp"

namespace nb = nanobind;

namespace usmx::bindings {

/// A string object that is made once and never freed.
class interned {
 public:
  explicit interned(const char* text) noexcept : text_(text) {}
  PyObject* get() {
    if (object_ == nullptr) {
      object_ = PyUnicode_InternFromString(text_);
      if (object_ == nullptr) {
        nb::raise_python_error();
      }
    }
    return object_;
  }

 private:
  const char* text_;
  PyObject* object_ = nullptr;
};

/// Runs `body`; an exception becomes Python's current error and `failed` the result.
template <class Result, class Body>
Result guarded(Result failed, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

/// obj.name, or a null object when there is no such attribute. Other errors pass through.
inline nb::object optional_attribute(PyObject* obj, PyObject* name) {
  PyObject* value = nullptr;
  int found = -1;
  take_interpreter_lock([&] {
#if PY_VERSION_HEX >= 0x030D0000
    found = PyObject_GetOptionalAttr(obj, name, &value);
#else
    found = _PyObject_LookupAttr(obj, name, &value);
#endif
  });
  if (found < 0) {
    nb::raise_python_error();
  }
  return nb::steal(value);
}

/// The C++ value inside a fully constructed nanobind instance. A subclass whose __init__ never
/// called ours has none: TypeError.
template <class T>
T& ready_instance(PyObject* self) {
  if (!nb::inst_ready(self)) {
    throw type_error(detail::message(Py_TYPE(self)->tp_name,
                                     ".__init__ was never called: a subclass must call "
                                     "super().__init__()"));
  }
  return *nb::inst_ptr<T>(self);
}

/// A new Python object of that class around the value that `construct(address)` makes there.
template <class T, class Construct>
nb::object make_instance_by(nb::handle type, Construct construct) {
  nb::object instance = nb::inst_alloc(type);
  construct(static_cast<void*>(nb::inst_ptr<T>(instance)));
  nb::inst_mark_ready(instance);
  return instance;
}

/// The same around a value that is moved in.
template <class T>
nb::object make_instance(nb::handle type, T value) {
  return make_instance_by<T>(type, [&](void* at) { new (at) T(std::move(value)); });
}

}  // namespace usmx::bindings
