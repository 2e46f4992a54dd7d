#include "container/iteration.hpp"

#include "internals.hpp"
#include "support/errors.hpp"

namespace usmx::bindings {
namespace {

struct array_iterator {
  nb::object array;
  std::ptrdiff_t next = 0;
};

std::ptrdiff_t remaining(const array_iterator& it) {
  return ready_instance<py_array>(it.array.ptr()).value.shape()[0] - it.next;
}

void require_axis(const array& a) {
  if (a.ndim() == 0) {
    throw type_error("iteration over a 0-dimensional array: expected at least one axis");
  }
}

nb::object new_iterator(nb::object array) {
  return make_instance(array_iterator{std::move(array)});
}

PyObject* next_view(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    auto& it = ready_instance<array_iterator>(self);
    if (remaining(it) == 0) {
      return nullptr;
    }
    const auto& a = ready_instance<py_array>(it.array.ptr());
    const index_item index = index_item::integer(it.next++);
    return to_python(internal::with_layout(a.value, subscript(a.value.layout(), {&index, 1})),
                     a.base)
        .release()
        .ptr();
  });
}

nb::object reversed(const py_array& a) {
  require_axis(a.value);
  const index_item backwards = index_item::slice(index_item::none, index_item::none, -1);
  return new_iterator(to_python(
      internal::with_layout(a.value, subscript(a.value.layout(), {&backwards, 1})), a.base));
}

PyType_Slot iterator_slots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(next_view)},
                                {0, nullptr}};

}  // namespace

void bind_iteration(nb::module_& m, nb::class_<py_array>& array_class) {
  nb::class_<array_iterator> cls(m, "_ArrayIterator", nb::type_slots(iterator_slots));
  cls.def("__length_hint__", &remaining);
  set_python_class<array_iterator>(cls);
  array_class.def("__reversed__", &reversed,
                  nb::sig("def __reversed__(self) -> typing.Iterator[USMArray]"));
}

PyObject* iterate(PyObject* array) {
  return guarded<PyObject*>(nullptr, [&] {
    require_axis(ready_instance<py_array>(array).value);
    return new_iterator(nb::borrow(array)).release().ptr();
  });
}

}  // namespace usmx::bindings
