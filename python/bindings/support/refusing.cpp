#include "support/refusing.hpp"

#include <type_traits>

#include "support/errors.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

/// Python makes instances by __new__ alone: nothing is ever in them.
struct refusing {};

/// Raises what an operand says, if it is a stand-in. Other arguments of slots are numbers, or null.
template <class Argument>
void raise_reason(Argument argument) {
  if constexpr (std::is_same_v<Argument, PyObject*>) {
    if (argument != nullptr) {
      raise_if_stand_in(argument);
    }
  }
}

/// A slot of a Python class: raises, and returns what says so. Of a binary operator, either operand
/// may be the stand-in.
template <auto failed, class... Arguments>
decltype(failed) refuse(Arguments... arguments) noexcept {
  return guarded(failed, [&]() -> decltype(failed) {
    (raise_reason(arguments), ...);
    throw type_error("the class of a stand-in must define _refuse, which raises");
  });
}

using reference = PyObject*;
constexpr reference no_object = nullptr;
constexpr Py_ssize_t no_length = -1;

void* unary() { return reinterpret_cast<void*>(&refuse<no_object, reference>); }
void* binary() { return reinterpret_cast<void*>(&refuse<no_object, reference, reference>); }
void* ternary() {
  return reinterpret_cast<void*>(&refuse<no_object, reference, reference, reference>);
}
void* item() { return reinterpret_cast<void*>(&refuse<no_object, reference, Py_ssize_t>); }
void* length() { return reinterpret_cast<void*>(&refuse<no_length, reference>); }
void* inquiry() { return reinterpret_cast<void*>(&refuse<-1, reference>); }
void* membership() { return reinterpret_cast<void*>(&refuse<-1, reference, reference>); }
void* assignment() { return reinterpret_cast<void*>(&refuse<-1, reference, reference, reference>); }
void* comparison() {
  return reinterpret_cast<void*>(&refuse<no_object, reference, reference, int>);
}

int refuse_buffer(PyObject* self, Py_buffer* view, int) noexcept {
  view->obj = nullptr;
  return refuse<-1>(self);
}

// clang-format off
PyType_Slot slots[] = {
    {Py_tp_call, ternary()}, {Py_tp_str, unary()}, {Py_tp_richcompare, comparison()},
    {Py_tp_iter, unary()}, {Py_tp_iternext, unary()},
    {Py_mp_length, length()}, {Py_mp_subscript, binary()}, {Py_mp_ass_subscript, assignment()},
    {Py_sq_length, length()}, {Py_sq_item, item()}, {Py_sq_contains, membership()},
    {Py_nb_bool, inquiry()}, {Py_nb_index, unary()}, {Py_nb_int, unary()}, {Py_nb_float, unary()},
    {Py_nb_negative, unary()}, {Py_nb_positive, unary()}, {Py_nb_absolute, unary()},
    {Py_nb_invert, unary()},
    {Py_nb_add, binary()}, {Py_nb_inplace_add, binary()},
    {Py_nb_subtract, binary()}, {Py_nb_inplace_subtract, binary()},
    {Py_nb_multiply, binary()}, {Py_nb_inplace_multiply, binary()},
    {Py_nb_matrix_multiply, binary()}, {Py_nb_inplace_matrix_multiply, binary()},
    {Py_nb_true_divide, binary()}, {Py_nb_inplace_true_divide, binary()},
    {Py_nb_floor_divide, binary()}, {Py_nb_inplace_floor_divide, binary()},
    {Py_nb_remainder, binary()}, {Py_nb_inplace_remainder, binary()},
    {Py_nb_divmod, binary()},
    {Py_nb_power, ternary()}, {Py_nb_inplace_power, ternary()},
    {Py_nb_lshift, binary()}, {Py_nb_inplace_lshift, binary()},
    {Py_nb_rshift, binary()}, {Py_nb_inplace_rshift, binary()},
    {Py_nb_and, binary()}, {Py_nb_inplace_and, binary()},
    {Py_nb_or, binary()}, {Py_nb_inplace_or, binary()},
    {Py_nb_xor, binary()}, {Py_nb_inplace_xor, binary()},
    {Py_bf_getbuffer, reinterpret_cast<void*>(&refuse_buffer)},
    {0, nullptr}};
// clang-format on

bool is_forked_child() {
  try {
    require_usable_process();
  } catch (const fork_error&) {
    return true;
  }
  return false;
}

}  // namespace

void raise_if_stand_in(nb::handle object) {
  if (!nb::isinstance<refusing>(object)) {
    return;
  }
  if (const nb::object refuse = nb::getattr(object.type(), "_refuse", nb::none());
      !refuse.is_none()) {
    refuse(object);
  }
}

void bind_refusing(nb::module_& m) {
  nb::class_<refusing>(
      m, "_Refusing", nb::type_slots(slots),
      "What stands for an object that could not be unpickled: every operation calls "
      "`_refuse` of the class, which a subclass defines, and which raises.");
  m.def("_is_forked_child", &is_forked_child,
        "Whether this process was forked after its parent had used the SYCL runtime.");
  m.def("_require_usable_process", &require_usable_process,
        "Raise RuntimeError in a process that was forked after its parent had used the SYCL "
        "runtime.");
}

}  // namespace usmx::bindings
