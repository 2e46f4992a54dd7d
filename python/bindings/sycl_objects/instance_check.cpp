#include "sycl_objects/classes.hpp"

#include "support/errors.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl.hpp"

namespace usmx::bindings {
namespace {

template <class T>
bool is_dpctls(PyObject* cls, PyObject* object) {
  return reinterpret_cast<PyTypeObject*>(cls) == python_class<T> && as_dpctl<T>(object) != nullptr;
}

/// The __instancecheck__ of usmx's classes: also true for dpctl's objects of that name, and else
/// Python's own answer. Subclasses of ours have no counterpart.
PyObject* is_instance(PyObject* cls, PyObject* object) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const bool found = is_dpctls<sycl::queue>(cls, object) ||
                       is_dpctls<sycl::context>(cls, object) ||
                       is_dpctls<sycl::device>(cls, object) || is_dpctls<sycl::event>(cls, object);
    static interned name("__instancecheck__");
    return found ? Py_NewRef(Py_True)
                 : PyObject_CallMethodObjArgs(reinterpret_cast<PyObject*>(&PyType_Type), name.get(),
                                              cls, object, nullptr);
  });
}

/// Whether two objects of usmx's or dpctl's classes are the same; NotImplemented where that cannot
/// be said.
template <class... T>
nb::object are_same(nb::handle a, nb::handle b) {
  nb::object answer = nb::borrow(Py_NotImplemented);
  const auto compare = [&]<class Each>(const Each* left) {
    const Each* right = left != nullptr ? value_of_either<Each>(b.ptr()) : nullptr;
    if (right != nullptr) {
      answer = nb::cast(compared(*left) == compared(*right));
    }
  };
  (compare(value_of_either<T>(a.ptr())), ...);
  return answer;
}

PyMethodDef method = {"__instancecheck__", &is_instance, METH_O, nullptr};

}  // namespace

void bind_instance_check(nb::module_& m) {
  m.def("_are_same", &are_same<sycl::queue, sycl::context, sycl::device>, nb::arg("a").none(),
        nb::arg("b").none(), nb::sig("def _are_same(a: object, b: object) -> bool"),
        "Whether two queues, contexts or devices of usmx or dpctl are the same.");
  // Python asks the class of the class. nanobind's, which usmx shares with nobody, takes neither
  // attributes nor subclasses from Python.
  PyTypeObject* metaclass = Py_TYPE(reinterpret_cast<PyObject*>(python_class<sycl::queue>));
  const nb::object bound = checked(PyDescr_NewMethod(metaclass, &method));
  if (PyDict_SetItemString(metaclass->tp_dict, method.ml_name, bound.ptr()) != 0) {
    nb::raise_python_error();
  }
  PyType_Modified(metaclass);
}

}  // namespace usmx::bindings
