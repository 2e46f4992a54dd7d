// Python objects that own memory which extensions make arrays of. Memory is let go on any thread,
// and mostly without the interpreter lock, where the objects of a binding library (nb::object,
// py::object) must not be released. Users include usmx/python/nanobind.hpp or
// usmx/python/pybind11.hpp.
#pragma once

#include <Python.h>

#include <memory>
#include <stdexcept>

#include "usmx/python/c_api.h"
#include "usmx/python/typed.hpp"

namespace usmx::python {

/// Keeps a Python object alive that owns memory. It is the deleter for array::adopt: it frees
/// nothing, but lets the object go when the array's memory is let go. Also a deleter of your own
/// may hold one. Copies share the reference. They may be copied and destroyed on any thread, with
/// the interpreter lock, which the last one takes by itself, or without; when the interpreter has
/// ended, the object stays.
class owner {
 public:
  /// Keeps an object alive, or nothing for null. Needs the interpreter lock. Throws
  /// std::runtime_error if usmx cannot be imported.
  explicit owner(PyObject* object) {
    const usmx_api* table = usmx_import();
    if (table == nullptr) {
      throw std::runtime_error("usmx::python::owner: " + detail::taken_error_text());
    }
    object_.reset(Py_XNewRef(object), table->release_object);
  }

  /// Frees nothing: the memory is the object's.
  void operator()(const void*) const noexcept {}

 private:
  std::shared_ptr<PyObject> object_;
};

}  // namespace usmx::python
