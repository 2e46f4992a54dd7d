#include "module/python_function.hpp"

#include <structmember.h>

#include <cstddef>
#include <utility>

#include "support/errors.hpp"

namespace usmx::bindings {
namespace {

/// A type of its own, and no decorator in Python, which would cost each call 70 ns.
struct python_function {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* wrapped;
  PyObject* attributes;  // its name, documentation and such
  PyObject* weak_references;
};

PyObject*& wrapped_by(PyObject* self) {
  return reinterpret_cast<python_function*>(self)->wrapped;
}

/// The names that can be given as keywords.
nb::object keywords_of(nb::handle function) {
  const nb::object code = nb::getattr(function, "__code__");
  const auto count = [&](const char* name) { return nb::cast<Py_ssize_t>(nb::getattr(code, name)); };
  const Py_ssize_t end = count("co_argcount") + count("co_kwonlyargcount");
  return checked(PySequence_GetSlice(nb::object(nb::getattr(code, "co_varnames")).ptr(),
                                     count("co_posonlyargcount"), end));
}

/// Replaces a TypeError where a keyword is none of the function's.
void name_keywords(PyObject* self, PyObject* given) {
  nb::python_error original;  // the current one, taken
  const nb::object known = keywords_of(wrapped_by(self));
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(given); ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(given, k);
    if (PySequence_Contains(known.ptr(), keyword) == 0) {
      const nb::object name = nb::getattr(self, "__name__");
      const nb::object all = checked(PyUnicode_Join(nb::str(", ").ptr(), known.ptr()));
      PyErr_Format(PyExc_TypeError, "%U() got an unexpected keyword argument '%U', it takes: %U",
                   name.ptr(), keyword, all.ptr());
      return;
    }
  }
  original.restore();
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  PyObject* result = PyObject_Vectorcall(wrapped_by(self), arguments, count, keywords);
  if (result == nullptr && keywords != nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
    guarded(0, [&] {
      name_keywords(self, keywords);
      return 0;
    });
  }
  return result;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!", &PyFunction_Type, &function)) {
    return nullptr;
  }
  auto* self = reinterpret_cast<python_function*>(type->tp_alloc(type, 0));
  if (self != nullptr) {
    self->call = call;
    self->wrapped = Py_NewRef(function);
  }
  return reinterpret_cast<PyObject*>(self);
}

void destroy(PyObject* self) {
  auto* function = reinterpret_cast<python_function*>(self);
  PyTypeObject* type = Py_TYPE(self);
  if (function->weak_references != nullptr) {
    PyObject_ClearWeakRefs(self);
  }
  Py_XDECREF(function->wrapped);
  Py_XDECREF(function->attributes);
  type->tp_free(self);
  Py_DECREF(type);
}

/// As for functions of Python: what help() and inspect take for one.
PyObject* get(PyObject* self, PyObject* instance, PyObject*) {
  return instance == nullptr ? Py_NewRef(self) : PyMethod_New(self, instance);
}

PyObject* represent(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] {
    const nb::object name = nb::getattr(self, "__qualname__");
    return PyUnicode_FromFormat("<function usmx.%U>", name.ptr());
  });
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(python_function, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(python_function, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(python_function, weak_references), READONLY,
     nullptr},
    {}};
PyGetSetDef getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(get)},
                       {Py_tp_repr, reinterpret_cast<void*>(represent)},
                       {Py_tp_members, members},
                       {Py_tp_getset, getters},
                       {}};
PyType_Spec spec{"usmx._core.PythonFunction", sizeof(python_function), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                 slots};

}  // namespace

void bind_python_function(nb::module_& m) {
  m.attr("_PythonFunction") = checked(PyType_FromSpec(&spec));
}

}  // namespace usmx::bindings
