#include "container/array_class.hpp"

#include <vector>

#include "container/arrow_methods.hpp"
#include "container/attributes.hpp"
#include "container/complex_parts.hpp"
#include "container/construction.hpp"
#include "container/dlpack_methods.hpp"
#include "container/flags.hpp"
#include "container/items.hpp"
#include "container/iteration.hpp"
#include "container/methods.hpp"
#include "container/operators.hpp"
#include "container/scalars.hpp"
#include "container/shapes.hpp"
#include "objects/array.hpp"
#include "objects/buffer_protocol.hpp"
#include "support/errors.hpp"

namespace usmx::bindings {
namespace {

Py_ssize_t rows(PyObject* self) {
  return guarded<Py_ssize_t>(-1, [&]() -> Py_ssize_t {
    const array& a = ready_instance<py_array>(self).value;
    if (a.ndim() == 0) {
      throw type_error("len() of a 0-dimensional array");
    }
    return a.shape()[0];
  });
}

int get_array_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded(
      -1, [&] { return get_buffer(self, ready_instance<py_array>(self).value, view, flags); });
}

PyType_Slot array_slots[] = {{Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                             {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
                             {Py_mp_length, reinterpret_cast<void*>(rows)},
                             {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                             {Py_bf_getbuffer, reinterpret_cast<void*>(get_array_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

}  // namespace

void bind_array_class(nb::module_& m) {
  std::vector<PyType_Slot> slots = with_operators(with_scalars(array_slots));
  auto cls = pooled_class<py_array>(m, "USMArray", nb::type_slots(slots.data()),
                                    nb::is_weak_referenceable(),
                                    "An n-dimensional array in unified shared memory.");
  set_python_class<py_array>(cls);
  bind_construction(cls);
  bind_arrow_methods(cls);
  bind_attributes(cls);
  bind_complex_parts(cls);
  bind_dlpack_methods(cls);
  bind_methods(cls);
  // Operators with a NumPy array on the left come to the slots above; ufuncs are TypeErrors.
  cls.attr("__array_ufunc__") = nb::none();
  bind_scalars(cls);
  bind_shape_methods(cls);
  bind_flags(m);
  bind_iteration(m, cls);
  m.def(
      "_require_made", [](nb::handle array) { value_in<py_array>(array.ptr()); }, nb::arg("array"),
      nb::sig("def _require_made(array: USMArray) -> None"),
      "TypeError for what __new__ alone has made: for methods that are written in Python.");
}

}  // namespace usmx::bindings
