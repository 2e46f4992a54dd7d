// nanobind, and helpers that it does not have: objects that are kept, interned names, attributes
// and items that may be missing, classes, the Python class of a C++ type, its instances, buffers.
// Data that two threads may change at once in a Python without the interpreter lock is under one of
// nanobind's guards, which with the lock are empty (docs/concurrency.md). Next: errors.hpp.
#pragma once

#include <nanobind/nanobind.h>
// The casters are included here alone (tools/lint looks for others): a source without one of them
// compiles, but takes the type for a bound class, and the linker may give that version to every
// other source.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "support/interpreter_lock.hpp"
#include "usmx/base/error.hpp"

namespace nb = nanobind;

namespace usmx::bindings {

/// The name of an object's type; a long name is cut. Never fails: a name is valid UTF-8, and stays
/// so.
inline std::string type_name(PyObject* object) {
  constexpr std::size_t longest = 100;
  const std::string_view name = Py_TYPE(object)->tp_name;
  if (name.size() <= longest) {
    return std::string(name);
  }
  std::size_t end = longest;
  while ((static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) {  // within a character
    --end;
  }
  return std::string(name.substr(0, end)) + "...";
}

/// Takes the new reference that a function of Python's C interface returned; throws its error if
/// that is null. Every new reference comes through here, or is checked for null (tools/lint looks
/// for others).
inline nb::object checked(PyObject* made) {
  if (made == nullptr) {
    nb::raise_python_error();
  }
  return nb::steal(made);
}

/// A Python object that is made when it is first needed, and never freed. If several threads make
/// it at once, the first one's is kept.
class kept_object {
 public:
  /// Gives the object; `make()`, which returns an nb::object, makes it the first time.
  template <class Make>
  [[gnu::always_inline]] PyObject* get(const Make& make) {
    PyObject* kept = object_.load(std::memory_order_acquire);
    return kept != nullptr ? kept : keep(make);
  }

 private:
  // The function is not inline, so that `get`, of which there are up to ten in a row, is a load and
  // a comparison.
  template <class Make>
  [[gnu::noinline]] PyObject* keep(const Make& make) {
    nb::object made = make();
    PyObject* kept = nullptr;
    const bool first = object_.compare_exchange_strong(kept, made.ptr(), std::memory_order_acq_rel);
    return first ? made.release().ptr() : kept;
  }

  std::atomic<PyObject*> object_ = nullptr;
};

/// A string object that is made once and never freed.
class interned {
 public:
  explicit interned(const char* text) noexcept : text_(text) {}
  [[gnu::always_inline]] PyObject* get() {
    return object_.get([this] { return checked(PyUnicode_InternFromString(text_)); });
  }

 private:
  const char* text_;
  kept_object object_;
};

/// The attribute of that name, or a null object if there is none. Other errors pass through.
inline nb::object optional_attribute(PyObject* obj, PyObject* name) {
  PyObject* value = nullptr;
  int found = -1;
  run_python([&] {
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

/// Hands Python's error to sys.unraisablehook, which is Python code.
inline void write_unraisable(PyObject* where) {
  run_python([&] { PyErr_WriteUnraisable(where); });
}

/// Calls a Python function, all of whose arguments are positional. The thread may end with the
/// interpreter meanwhile: nothing that this has made is let go then.
template <class... Arguments>
nb::object call_python(nb::handle function, Arguments&&... arguments) {
  static_assert((!std::is_base_of_v<nb::arg, std::decay_t<Arguments>> && ...), "no keywords");
  const nb::tuple all = nb::make_tuple(std::forward<Arguments>(arguments)...);
  return checked(run_python([&] { return PyObject_Call(function.ptr(), all.ptr(), nullptr); }));
}

/// The item of that key, or a null object if there is none. Errors of the key's hash pass through.
inline nb::object optional_item(PyObject* dict, PyObject* key) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* value = nullptr;
  const bool failed = PyDict_GetItemRef(dict, key, &value) < 0;
#else
  PyObject* value = Py_XNewRef(PyDict_GetItemWithError(dict, key));
  const bool failed = value == nullptr && PyErr_Occurred() != nullptr;
#endif
  if (failed) {
    nb::raise_python_error();
  }
  return nb::steal(value);
}

/// The C++ value inside a fully constructed nanobind instance. Throws a TypeError if there is none,
/// as in an instance of a subclass whose __init__ never called ours.
template <class T>
T& ready_instance(PyObject* self) {
  if (!nb::inst_ready(self)) {
    throw type_error(detail::message(type_name(self),
                                     ".__init__ was never called: a subclass must call "
                                     "super().__init__()"));
  }
  return *nb::inst_ptr<T>(self);
}

/// Puts the value that `make()` returns into an object whose __init__ runs. Throws a RuntimeError
/// if Python code that ran meanwhile, within `make` or on another thread, has put one there: it may
/// be in use, and is not replaced.
template <class T, class Make>
void initialize(nb::pointer_and_handle<T> self, Make make) {
  T value = make();
  const nb::ft_object_guard alone(self.h);
  if (nb::inst_ready(self.h)) {
    PyErr_Format(PyExc_RuntimeError, "%s.__init__ ran twice at once on one object",
                 type_name(self.h.ptr()).c_str());
    nb::raise_python_error();
  }
  new (self.p) T(std::move(value));
  nb::inst_mark_ready(self.h);  // no other code runs in between
}

/// The function of an __init__ whose objects `make` returns.
template <class T, class... Arguments>
auto init_by(T (*make)(Arguments...)) {
  return [make](nb::pointer_and_handle<T> self, Arguments... given) {
    initialize(self, [&] { return make(std::forward<Arguments>(given)...); });
  };
}

/// A class whose instances nanobind pools. nanobind allocates the pool when the first instance is
/// released, and ends the process if there is no memory then. So one instance is released here
/// (docs/decisions.md, 65).
template <class T, class... Bases, class... Extra>
nb::class_<T, Bases...> pooled_class(nb::handle scope, const char* name, const Extra&... extra) {
  nb::class_<T, Bases...> cls(scope, name, nb::pooled(), extra...);
  nb::inst_alloc(cls);
  return cls;
}

/// The Python class of a C++ type: set when the class is bound, while nb::type looks it up each
/// time.
template <class T>
inline PyTypeObject* python_class = nullptr;

template <class T>
void set_python_class(nb::handle cls) {
  python_class<T> = reinterpret_cast<PyTypeObject*>(cls.ptr());
}

/// The C++ value inside an instance of its Python class; null for any other object.
template <class T>
T* value_in(PyObject* object) {
  return PyObject_TypeCheck(object, python_class<T>) ? &ready_instance<T>(object) : nullptr;
}

/// A new instance of T's Python class around the value that `construct(address)` makes there.
template <class T, class Construct>
nb::object make_instance_by(Construct construct) {
  nb::object instance = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(python_class<T>)));
  construct(static_cast<void*>(nb::inst_ptr<T>(instance)));
  nb::inst_mark_ready(instance);
  return instance;
}

/// A new instance of T's Python class around a value that is moved in.
template <class T>
nb::object make_instance(T value) {
  return make_instance_by<T>([&](void* at) { new (at) T(std::move(value)); });
}

class held_buffer {
 public:
  /// Asks for a buffer. Throws Python's error if the object has no such buffer.
  held_buffer(nb::handle object, int flags) {
    if (run_python([&] { return PyObject_GetBuffer(object.ptr(), &view_, flags); }) != 0) {
      nb::raise_python_error();
    }
  }
  /// Asks for a buffer with the other flags if the object has none with the first.
  held_buffer(nb::handle object, int flags, int other_flags) {
    if (run_python([&] { return PyObject_GetBuffer(object.ptr(), &view_, flags); }) != 0) {
      PyErr_Clear();
      if (run_python([&] { return PyObject_GetBuffer(object.ptr(), &view_, other_flags); }) != 0) {
        nb::raise_python_error();
      }
    }
  }
  held_buffer(const held_buffer&) = delete;
  held_buffer& operator=(const held_buffer&) = delete;
  ~held_buffer() { PyBuffer_Release(&view_); }

  const Py_buffer& view() const noexcept { return view_; }
  void* data() const noexcept { return view_.buf; }
  /// The number of bytes; 0 for a broken exporter's negative length.
  std::size_t nbytes() const noexcept {
    return view_.len < 0 ? 0 : static_cast<std::size_t>(view_.len);
  }

 private:
  Py_buffer view_;
};

}  // namespace usmx::bindings
