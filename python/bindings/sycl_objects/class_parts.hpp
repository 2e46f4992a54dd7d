// The common parts of the Python classes of SYCL objects.
#pragma once

#include <nanobind/operators.h>

#include <functional>
#include <string>

#include "internals.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/inspectable.hpp"
#include "support/nanobind.hpp"
#include "sycl_objects/dpctl.hpp"

namespace usmx::bindings {

[[noreturn]] inline void throw_not_accepted(const char* what, const char* accepted,
                                            nb::handle found) {
  raise_if_stand_in(found);
  throw type_error(detail::message(what, " takes ", accepted, ", found ", type_name(found.ptr())));
}

/// Does as the function that Python itself puts into the slot of a class with a __new__. Because
/// the slot has a function of ours, Python refuses object.__new__(cls), as it does for other
/// classes in C++: nanobind does not know such an object, and would end the process when it is
/// freed.
inline PyObject* new_by_attribute(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded<PyObject*>(nullptr, [&] {
    const nb::handle cls(reinterpret_cast<PyObject*>(type));
    const nb::object first = checked(PyTuple_Pack(1, cls.ptr()));
    const nb::object all =
        checked(run_python([&] { return PySequence_Concat(first.ptr(), args); }));
    return checked(run_python(
                       [&] { return PyObject_Call(cls.attr("__new__").ptr(), all.ptr(), kwargs); }))
        .release()
        .ptr();
  });
}

/// Defines __new__, before __init__: from the arguments of __init__, nanobind then sees that there
/// need not be any. Once dpctl is loaded, it gives the result of `object_of`, an object of dpctl's
/// class: only such an object can be equal to dpctl's own objects from both sides, and is accepted
/// wherever they are. Python then calls no __init__.
template <stub_line line, class T>
void bind_new(nb::class_<T>& cls, nb::object (*object_of)(const T&)) {
  declare<line>(cls,
                [object_of](nb::handle wanted, const nb::args& args, const nb::kwargs& kwargs) {
                  auto* type = reinterpret_cast<PyTypeObject*>(wanted.ptr());
                  if (!PyType_Check(wanted.ptr()) || !PyType_IsSubtype(type, python_class<T>)) {
                    throw_not_accepted("__new__", "the class or a subclass of it", wanted);
                  }
                  nb::object made = nb::inst_alloc(wanted);
                  if (type != python_class<T>) {
                    return made;  // a subclass, whose __init__ follows
                  }
                  wanted.attr("__init__")(made, *args, **kwargs);
                  return are_dpctls_classes_known() ? object_of(*nb::inst_ptr<T>(made)) : made;
                });
  reinterpret_cast<PyTypeObject*>(cls.ptr())->tp_new = &new_by_attribute;
}

/// Destroys the value. The end of a queue's last object destroys its streams, for which the runtime
/// changes the thread's state.
template <class T>
void keep_thread_state_at_end(nb::class_<T>& cls) {
  static destructor end = nullptr;
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  end = type->tp_dealloc;
  type->tp_dealloc = [](PyObject* self) {
    const internal::kept_thread_state kept;
    end(self);
  };
}

/// Gives objects the `__name__` of their class, as dpctl's have it. Python takes `__name__` of a
/// class for its own, and so it is put in the class's dictionary.
template <class T>
void bind_name_of_class(nb::class_<T>& cls) {
  static PyGetSetDef name = {"__name__",
                             [](PyObject* self, void*) {
                               return PyObject_GetAttrString(
                                   reinterpret_cast<PyObject*>(Py_TYPE(self)), "__name__");
                             },
                             nullptr, "The name of the class.", nullptr};
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  const nb::object attribute = checked(PyDescr_NewGetSet(type, &name));
  if (PyDict_SetItemString(type->tp_dict, name.name, attribute.ptr()) != 0) {
    nb::raise_python_error();
  }
  PyType_Modified(type);
}

/// The SYCL object by which objects of usmx's and dpctl's classes are compared. For a queue, it is
/// the one that others see.
template <class T>
const T& compared(const T& value) {
  return value;
}
inline const sycl::queue& compared(const sycl::queue& queue) {
  return internal::presented_queue(queue);
}

/// Defines equality and hash as SYCL has them. `comparable(object)` is the SYCL object inside an
/// object that can be equal; null for others.
template <class T>
void bind_value_semantics(nb::class_<T>& cls, const T* (*comparable)(PyObject*)) {
  const auto compare = [comparable](bool same) {
    return [comparable, same](const T& self, nb::handle other) {
      const T* found = comparable(other.ptr());
      return found == nullptr ? nb::borrow(Py_NotImplemented)
                              : nb::cast((compared(self) == compared(*found)) == same);
    };
  };
  declare<"def __eq__(self, other: object, /) -> bool">(cls, compare(true));
  declare<"def __ne__(self, other: object, /) -> bool">(cls, compare(false));
  cls.def("__hash__", [](const T& a) { return std::hash<T>{}(compared(a)); });
}

}  // namespace usmx::bindings
