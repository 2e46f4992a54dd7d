// Reductions by loops of the host: one call of Python is one call of the library.
// All others are kernels' (usmx/_compute/reductions.py), with the same bits.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute/compute.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "usmx/base/process.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {
namespace {

struct reduction_function {
  std::string name;
  /// Whether the function needs the mean first.
  bool deviates;
};

/// The axes of an argument; none if the package has to look at it.
std::optional<reduction_axes> axes_of(PyObject* axis, bool are_kept) {
  reduction_axes axes{.axes = std::nullopt, .are_kept = are_kept};
  if (axis == Py_None) {
    return axes;
  }
  std::vector<std::ptrdiff_t> named;
  const auto add = [&](PyObject* each) {
    int overflow = 0;
    const long long value =
        PyLong_CheckExact(each) ? PyLong_AsLongLongAndOverflow(each, &overflow) : 0;
    named.push_back(static_cast<std::ptrdiff_t>(value));
    return PyLong_CheckExact(each) && overflow == 0;
  };
  const bool is_tuple = PyTuple_CheckExact(axis);
  for (Py_ssize_t k = 0; k < (is_tuple ? PyTuple_GET_SIZE(axis) : 1); ++k) {
    if (!add(is_tuple ? PyTuple_GET_ITEM(axis, k) : axis)) {
      return std::nullopt;
    }
  }
  axes.axes = std::move(named);
  return axes;
}

/// Reduces by the host's loops, if it has one for the call. Nobody waits for the interpreter's lock
/// meanwhile, unless the call is done before that would be released.
std::optional<array> reduced_on_host(const reduction_function& function, const array& x,
                                     const reduction_axes& axes, double correction) {
  constexpr std::ptrdiff_t soon_done = std::ptrdiff_t{1} << 16;
  return internal::reduced_on_host(
      function.name, x, axes, correction,
      [&](const layout& where, dtype type) {
        return make_array(where, type, internal::private_queue(x), x.kind(), first_use::at_once);
      },
      [&](const internal::host_reduction_call& call, const array& out) {
        if (x.size() <= soon_done) {
          return call.run(out);
        }
        const without_interpreter_lock unlocked;
        return call.run(out);
      });
}

/// The arguments are x, axis, keepdims and, where the function deviates, correction.
nb::object reduce_small(const reduction_function& function, PyObject* const* arguments) {
  const array* x = as_array(arguments[0]);
  if (x == nullptr) {
    return {};
  }
  if (!PyBool_Check(arguments[2])) {
    return {};
  }
  const auto axes = axes_of(arguments[1], arguments[2] == Py_True);
  if (!axes) {
    return {};
  }
  double correction = 0;
  if (function.deviates) {
    correction = PyFloat_AsDouble(arguments[3]);
    if (correction == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return {};
    }
  }
  require_usable_process();
  look_for_peers();
  std::optional<array> made = reduced_on_host(function, *x, *axes, correction);
  return made ? to_python(*std::move(made)) : nb::object();
}

PyObject* call_reduction(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const auto* function =
      static_cast<const reduction_function*>(PyCapsule_GetPointer(self, "usmx.reduction_function"));
  if (function == nullptr) {
    return nullptr;
  }
  if (count != (function->deviates ? 4 : 3)) {
    PyErr_SetString(PyExc_TypeError, "wrong number of arguments");
    return nullptr;
  }
  return guarded<PyObject*>(nullptr, [&] {
    const nb::object made = reduce_small(*function, arguments);
    return made.is_valid() ? nb::object(made).release().ptr() : Py_NewRef(Py_None);
  });
}

PyMethodDef reduction_method = {
    "reduction_function", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_reduction)),
    METH_FASTCALL, nullptr};

nb::object make_reduction_function(const std::string& name) {
  auto made = std::make_unique<reduction_function>(name, internal::deviates(name));
  const nb::object self =
      checked(PyCapsule_New(made.get(), "usmx.reduction_function", [](PyObject* of) {
        delete static_cast<reduction_function*>(
            PyCapsule_GetPointer(of, "usmx.reduction_function"));
      }));
  made.release();  // the capsule's now
  return checked(PyCFunction_New(&reduction_method, self.ptr()));
}

}  // namespace

void bind_reductions(nb::module_& m) {
  declare<"def _reduction_function(name: str, /) -> Any">(
      m, &make_reduction_function,
      "A function of x, axis, keepdims and, for var and std, correction. It returns None, and "
      "has done nothing, where the host has no loop for the call.");
}

}  // namespace usmx::bindings
