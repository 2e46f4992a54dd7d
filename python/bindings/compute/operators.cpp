// USMArray's operators as slots of its type: an operator of arrays and numbers is one call of the
// library, and no Python frame lies between. Operands that the library does not take are left to
// the methods in Python (usmx/_compute/methods.py), which the package has attached before.
#include <array>
#include <cstddef>

#include "compute/compute.hpp"
#include "objects/array.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"

namespace usmx::bindings {
namespace {

/// A row of the table, and the methods that call it.
struct operator_row {
  const char* row;
  const char* method;
  const char* reflected = nullptr;
  const char* in_place = nullptr;
};

namespace operators {

constexpr operator_row add{"add", "__add__", "__radd__", "__iadd__"};
constexpr operator_row subtract{"subtract", "__sub__", "__rsub__", "__isub__"};
constexpr operator_row multiply{"multiply", "__mul__", "__rmul__", "__imul__"};
constexpr operator_row divide{"divide", "__truediv__", "__rtruediv__", "__itruediv__"};
constexpr operator_row matmul{"", "__matmul__", "__rmatmul__", "__imatmul__"};
constexpr operator_row floor_divide{"floor_divide", "__floordiv__", "__rfloordiv__",
                                    "__ifloordiv__"};
constexpr operator_row remainder{"remainder", "__mod__", "__rmod__", "__imod__"};
constexpr operator_row power{"pow", "__pow__", "__rpow__", "__ipow__"};
constexpr operator_row left_shift{"bitwise_left_shift", "__lshift__", "__rlshift__", "__ilshift__"};
constexpr operator_row right_shift{"bitwise_right_shift", "__rshift__", "__rrshift__",
                                   "__irshift__"};
constexpr operator_row bit_and{"bitwise_and", "__and__", "__rand__", "__iand__"};
constexpr operator_row bit_or{"bitwise_or", "__or__", "__ror__", "__ior__"};
constexpr operator_row bit_xor{"bitwise_xor", "__xor__", "__rxor__", "__ixor__"};
constexpr operator_row negative{"negative", "__neg__"};
constexpr operator_row positive{"positive", "__pos__"};
constexpr operator_row absolute{"abs", "__abs__"};
constexpr operator_row invert{"bitwise_invert", "__invert__"};

}  // namespace operators

constexpr operator_row comparisons[] = {// in the order of Py_LT and the others
                                        {"less", "__lt__"},    {"less_equal", "__le__"},
                                        {"equal", "__eq__"},   {"not_equal", "__ne__"},
                                        {"greater", "__gt__"}, {"greater_equal", "__ge__"}};

bool is_usm_array(PyObject* object) { return PyObject_TypeCheck(object, python_class<py_array>); }

PyObject* ask_method(PyObject* self, const char* method, PyObject* other) {
  return PyObject_CallMethod(self, method, "(O)", other);  // which may be a tuple
}

/// The library's result, or that of `otherwise` if the package has to look at an operand.
template <class Otherwise, class... Operands>
PyObject* computed(const row_function& function, const Otherwise& otherwise,
                   Operands*... operands) {
  PyObject* const all[] = {operands...};
  PyObject* found = call_row(function, all, sizeof...(Operands));
  if (found != Py_None) {
    return found;  // null for an error
  }
  Py_DECREF(found);
  return otherwise();
}

template <const operator_row& Of>
const row_function& function_of() {
  static const row_function& function = row_function_of(Of.row);
  return function;
}

/// The answer of the operands' methods, by Python's own rule.
template <const operator_row& Of>
PyObject* by_methods(PyObject* left, PyObject* right) {
  if (is_usm_array(left)) {
    PyObject* found = ask_method(left, Of.method, right);
    if (found != Py_NotImplemented) {
      return found;
    }
    Py_DECREF(found);
  }
  if (is_usm_array(right) && Py_TYPE(left) != Py_TYPE(right)) {
    return ask_method(right, Of.reflected, left);
  }
  return Py_NewRef(Py_NotImplemented);
}

template <const operator_row& Of>
PyObject* binary(PyObject* left, PyObject* right) {
  return computed(function_of<Of>(), [&] { return by_methods<Of>(left, right); }, left, right);
}

PyObject* matrices_multiplied(PyObject* left, PyObject* right) {
  PyObject* found = product_of(left, right);
  if (found != Py_None) {
    return found;  // null for an error
  }
  Py_DECREF(found);
  return by_methods<operators::matmul>(left, right);
}

template <const operator_row& Of>
PyObject* in_place(PyObject* self, PyObject* other) {
  return computed(
      function_of<Of>(), [&] { return ask_method(self, Of.in_place, other); }, self, other, self);
}

template <const operator_row& Of>
PyObject* unary(PyObject* self) {
  return computed(
      function_of<Of>(), [&] { return PyObject_CallMethod(self, Of.method, nullptr); }, self);
}

PyObject* raised(PyObject* left, PyObject* right, PyObject* modulus) {
  return modulus == Py_None ? binary<operators::power>(left, right) : Py_NewRef(Py_NotImplemented);
}

PyObject* raised_in_place(PyObject* self, PyObject* other, PyObject*) {
  return in_place<operators::power>(self, other);
}

PyObject* compared(PyObject* self, PyObject* other, int comparison) {
  static const std::array<const row_function*, std::size(comparisons)> functions = [] {
    std::array<const row_function*, std::size(comparisons)> made{};
    for (std::size_t k = 0; k < made.size(); ++k) {
      made[k] = &row_function_of(comparisons[k].row);
    }
    return made;
  }();
  const auto k = static_cast<std::size_t>(comparison);
  return computed(
      *functions[k], [&] { return ask_method(self, comparisons[k].method, other); }, self, other);
}

/// Takes the slots of the operators. The methods, which set these slots, too, have been attached
/// before.
void take_operators() {
  PyTypeObject* const type = python_class<py_array>;
  PyNumberMethods& number = *type->tp_as_number;
  number.nb_add = &binary<operators::add>;
  number.nb_inplace_add = &in_place<operators::add>;
  number.nb_subtract = &binary<operators::subtract>;
  number.nb_inplace_subtract = &in_place<operators::subtract>;
  number.nb_multiply = &binary<operators::multiply>;
  number.nb_inplace_multiply = &in_place<operators::multiply>;
  number.nb_matrix_multiply = &matrices_multiplied;
  number.nb_true_divide = &binary<operators::divide>;
  number.nb_inplace_true_divide = &in_place<operators::divide>;
  number.nb_floor_divide = &binary<operators::floor_divide>;
  number.nb_inplace_floor_divide = &in_place<operators::floor_divide>;
  number.nb_remainder = &binary<operators::remainder>;
  number.nb_inplace_remainder = &in_place<operators::remainder>;
  number.nb_power = &raised;
  number.nb_inplace_power = &raised_in_place;
  number.nb_lshift = &binary<operators::left_shift>;
  number.nb_inplace_lshift = &in_place<operators::left_shift>;
  number.nb_rshift = &binary<operators::right_shift>;
  number.nb_inplace_rshift = &in_place<operators::right_shift>;
  number.nb_and = &binary<operators::bit_and>;
  number.nb_inplace_and = &in_place<operators::bit_and>;
  number.nb_or = &binary<operators::bit_or>;
  number.nb_inplace_or = &in_place<operators::bit_or>;
  number.nb_xor = &binary<operators::bit_xor>;
  number.nb_inplace_xor = &in_place<operators::bit_xor>;
  number.nb_negative = &unary<operators::negative>;
  number.nb_positive = &unary<operators::positive>;
  number.nb_absolute = &unary<operators::absolute>;
  number.nb_invert = &unary<operators::invert>;
  type->tp_richcompare = &compared;
  PyType_Modified(type);
}

}  // namespace

void bind_operators(nb::module_& m) {
  declare<"def _take_operators() -> None">(m, &take_operators,
                                           "Makes calls of the library of USMArray's operators.");
}

}  // namespace usmx::bindings
