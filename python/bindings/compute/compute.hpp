// Mathematics: the table of the library's functions and its rules, as the package reads them, and
// the calls that the package makes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "internals.hpp"
#include "objects/array.hpp"
#include "support/errors.hpp"
#include "support/interpreter_lock.hpp"
#include "support/nanobind.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/array/array.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::bindings {

/// _function_rows, _device_text, and the rules for the types of a call: _common_type, _types_of,
/// _operation_of, _language_name.
void bind_rules(nb::module_& m);
/// _row_function, which calls the table's functions.
void bind_computations(nb::module_& m);
/// _reduction_function, which reduces few elements on the host.
void bind_reductions(nb::module_& m);
/// _accumulate and _sort.
void bind_algorithms(nb::module_& m);
/// _searchsorted, _isin and _unique.
void bind_searches(nb::module_& m);
/// _draw and _draws_integers.
void bind_draws(nb::module_& m);
/// _special and _is_special.
void bind_special(nb::module_& m);
/// _matmul, _tensordot and _vecdot.
void bind_products(nb::module_& m);
/// Functions of the vendors' libraries.
void bind_vendors(nb::module_& m);
/// _take_operators.
void bind_operators(nb::module_& m);

/// The type that promotion gives to numbers of a class of Python's own, which are weak; none for
/// other classes.
inline std::optional<type_code> weak_type(const PyTypeObject* cls) noexcept {
  return cls == &PyFloat_Type     ? std::optional(type_code::float64)
         : cls == &PyLong_Type    ? std::optional(type_code::int64)
         : cls == &PyBool_Type    ? std::optional(type_code::bool_)
         : cls == &PyComplex_Type ? std::optional(type_code::complex128)
                                  : std::nullopt;
}

using internal::is_ready_on_cpu;

/// A number of Python's or NumPy's, and its kind.
struct typed_number {
  kernel_argument::number value;
  internal::operand_kind kind;
};
/// Reads a number of a type that usmx has; none for other objects, and for integers of more than 64
/// bits.
std::optional<typed_number> number_of(PyObject* object);

/// An array or a number, as an argument of a kernel. Throws type_error for other objects.
kernel_argument array_or_number_in(const std::string& function, nb::handle object);

/// A function of the table, in the form that Python calls.
struct row_function;

/// The function of that name, which lives for ever.
const row_function& row_function_of(const char* name);

/// Calls it with the operands, after which `out` may follow, or None. A new reference: the result,
/// or None if the package has to look at an operand first, in which case nothing has been done.
/// Null for an error.
PyObject* call_row(const row_function&, PyObject* const* arguments, Py_ssize_t count) noexcept;

/// The product of matrices or vectors: a new reference. None if the package has to look at an
/// operand first; null for an error.
PyObject* product_of(PyObject* left, PyObject* right) noexcept;

// Parts that calls of the library's algorithms have in common.

/// The array in an argument. Throws type_error for an object of another class.
inline const array& array_in(nb::handle object) {
  const array* found = as_array(object.ptr());
  if (found == nullptr) {
    throw type_error(
        detail::message("expected a USMArray, found an object of type ", type_name(object.ptr())));
  }
  return *found;
}

/// Raises a TypeError for structured elements.
void require_plain(const std::string& function, const array&);

/// An argument `axis` that is an integer, and no bool.
std::ptrdiff_t integer_axis(nb::handle axis);

/// Has Python wait for all work before the process ends: the handlers that the libraries of vendors
/// and of threads have for its end come before the work that they do is complete.
void wait_at_exit();

/// Runs what may wait or compile, without the interpreter lock.
template <class Run>
auto run_unlocked(const std::string& function, const Run& run) {
  try {
    return launching(function, [&] {
      const noted_call_site here;
      const without_interpreter_lock unlocked;
      return run();
    });
  } catch (const compile_error& failed) {
    raise_compile_error(failed);
  }
}

}  // namespace usmx::bindings
