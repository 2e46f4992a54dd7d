#include "container/shortcut.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include <structmember.h>

#include "container/dlpack_methods.hpp"
#include "container/making.hpp"
#include "exchange/producers.hpp"
#include "support/arguments.hpp"
#include "support/errors.hpp"

namespace usmx::bindings {
namespace {

/// The Python function in everything but the call: its attributes are this one's, its class too.
struct shortcut {
  PyObject base;
  vectorcallfunc vectorcall;
  PyObject* function;
  /// To a call of one argument; a null object where the function is to be entered. Null of a
  /// function without a short cut.
  nb::object (*answer)(nb::handle argument);
};

struct known_answer {
  std::string_view function;
  nb::object (*answer)(nb::handle argument);
};
constexpr known_answer answers[] = {{"asarray", array_or_view},
                                    {"empty", empty_of_shape},
                                    {"from_dlpack", from_dlpack},
                                    {"zeros", zeros_of_shape}};

PyTypeObject* shortcut_type = nullptr;
interned reduce_name("__reduce_ex__");

PyObject* function_behind(PyObject* self) { return reinterpret_cast<shortcut*>(self)->function; }

/// The names that may be given as keywords; null where any may.
nb::object keywords_of(nb::handle function) {
  const nb::object code = nb::getattr(function, "__code__");
  const auto count = [&](const char* name) {
    return nb::cast<Py_ssize_t>(nb::getattr(code, name));
  };
  if ((count("co_flags") & CO_VARKEYWORDS) != 0) {
    return nb::object();
  }
  const nb::object variables = nb::getattr(code, "co_varnames");
  return checked(PySequence_GetSlice(variables.ptr(), count("co_posonlyargcount"),
                                     count("co_argcount") + count("co_kwonlyargcount")));
}

/// Where a keyword is none of the function's, Python's error gets one after it that names those.
void name_keywords(PyObject* function, PyObject* given) {
  nb::python_error of_python;  // taken
  const nb::object known = keywords_of(function);
  for (Py_ssize_t k = 0; known.is_valid() && k < PyTuple_GET_SIZE(given); ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(given, k);
    if (PySequence_Contains(known.ptr(), keyword) == 0) {
      const nb::object name = nb::getattr(nb::handle(function), "__name__");
      const nb::object all = checked(PyUnicode_Join(nb::str(", ").ptr(), known.ptr()));
      PyErr_Format(PyExc_TypeError, "%U() got an unexpected keyword argument '%U', it takes %U",
                   name.ptr(), keyword, all.ptr());
      return;
    }
  }
  of_python.restore();
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  return guarded<PyObject*>(nullptr, [&] {
    const auto answer = reinterpret_cast<shortcut*>(self)->answer;
    if (answer != nullptr && PyVectorcall_NARGS(count) == 1 && keywords == nullptr) {
      if (nb::object result = answer(nb::handle(arguments[0])); result.is_valid()) {
        return result.release().ptr();
      }
    }
    PyObject* result = PyObject_Vectorcall(function_behind(self), arguments, count, keywords);
    if (result == nullptr && keywords != nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
      name_keywords(function_behind(self), keywords);
    }
    return result;
  });
}

PyObject* attribute(PyObject* self, PyObject* name) {
  // Functions are pickled by name, but by their type, which this does not have.
  return PyUnicode_Compare(name, reduce_name.get()) == 0
             ? PyObject_GenericGetAttr(self, name)
             : PyObject_GetAttr(function_behind(self), name);
}

PyObject* pickled(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(function_behind(self), "__qualname__");
}

PyObject* text(PyObject* self) { return PyObject_Repr(function_behind(self)); }

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_DECREF(function_behind(self));
  PyObject_Free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(shortcut, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef methods[] = {{"__reduce_ex__", pickled, METH_O, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
                       {Py_tp_repr, reinterpret_cast<void*>(text)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                       {0, nullptr}};
PyType_Spec spec = {
    "usmx._core._Shortcut", sizeof(shortcut), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

nb::object make(nb::object function, nb::object (*answer)(nb::handle argument)) {
  auto* made = PyObject_New(shortcut, shortcut_type);
  if (made == nullptr) {
    nb::raise_python_error();
  }
  made->vectorcall = call;
  made->function = function.release().ptr();
  made->answer = answer;
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

nb::object with_shortcut(nb::object function) {
  const nb::object name = function.attr("__name__");
  const std::string_view text = to_text("__name__", name.ptr());
  for (const known_answer& known : answers) {
    if (known.function == text) {
      return make(std::move(function), known.answer);
    }
  }
  throw value_error(detail::message("there is no short cut for ", text));
}

}  // namespace

void bind_shortcut(nb::module_& m) {
  shortcut_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (shortcut_type == nullptr) {
    nb::raise_python_error();
  }
  m.def("_with_shortcut", &with_shortcut, nb::arg("function"),
        "The same function, asarray, empty, from_dlpack or zeros, but that its commonest call does "
        "not enter "
        "it: `asarray(x)` of an array or another producer, `empty(shape)`, `from_dlpack(x)`, "
        "`zeros(shape)`. As all that are handed out, it answers a keyword that it does not have by "
        "those that it has.");
  m.def(
      "_naming_keywords", [](nb::object function) { return make(std::move(function), nullptr); },
      nb::arg("function"),
      "The same function, but that it answers a keyword that it does not have by those that it "
      "has.");
}

}  // namespace usmx::bindings
