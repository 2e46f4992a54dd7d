#include "container/container.hpp"

#include "objects/array.hpp"
#include "support/errors.hpp"

namespace usmx::bindings {
namespace {

bool is_structured(PyObject* operand) {
  const auto* a = value_in<py_array>(operand);
  return a != nullptr && a->value.type().is_structured();
}

/// TypeError that says where to go instead: dpnp has no structured types.
void refuse(const char* what, PyObject* left, PyObject* right, const char* more = "") {
  guarded(-1, [&] {
    const bool structured = is_structured(left) || is_structured(right);
    PyErr_Format(PyExc_TypeError, "USMArray %s: hand it %sto NumPy (usmx.asnumpy(a))%s", what,
                 structured ? "" : "to dpnp (usmx.to_dpnp(a), no copy) or ", more);
    return -1;
  });
}

// Python calls it for either side, and for the in-place operators, which have no slots of their
// own.
PyObject* refuse_binary(PyObject* left, PyObject* right) {
  refuse("does no mathematics", left, right);
  return nullptr;
}
PyObject* refuse_unary(PyObject* self) { return refuse_binary(self, self); }
PyObject* refuse_power(PyObject* base, PyObject* exponent, PyObject*) {
  return refuse_binary(base, exponent);
}

void refuse_comparison(PyObject* left, PyObject* right) {
  refuse("does not compare elements", left, right, "; 'a is b' compares identities");
}
PyObject* compare(PyObject* left, PyObject* right, int) {
  refuse_comparison(left, right);
  return nullptr;
}
int refuse_containment(PyObject* self, PyObject* element) {
  refuse_comparison(self, element);
  return -1;
}

constexpr int unary_slots[] = {Py_nb_negative, Py_nb_positive, Py_nb_absolute, Py_nb_invert};
constexpr int binary_slots[] = {
    Py_nb_add,          Py_nb_subtract,  Py_nb_multiply, Py_nb_true_divide,
    Py_nb_floor_divide, Py_nb_remainder, Py_nb_divmod,   Py_nb_matrix_multiply,
    Py_nb_lshift,       Py_nb_rshift,    Py_nb_and,      Py_nb_or,
    Py_nb_xor};

}  // namespace

std::vector<PyType_Slot> with_operators(std::span<const PyType_Slot> others) {
  std::vector<PyType_Slot> all;
  for (const int slot : unary_slots) {
    all.push_back({slot, reinterpret_cast<void*>(refuse_unary)});
  }
  for (const int slot : binary_slots) {
    all.push_back({slot, reinterpret_cast<void*>(refuse_binary)});
  }
  all.push_back({Py_nb_power, reinterpret_cast<void*>(refuse_power)});
  all.push_back({Py_sq_contains, reinterpret_cast<void*>(refuse_containment)});
  all.push_back({Py_tp_richcompare, reinterpret_cast<void*>(compare)});
  all.push_back({Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)});
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace usmx::bindings
