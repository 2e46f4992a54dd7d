// Products of matrices and vectors: one call of Python is one call of the library, which chooses
// between loops of the host, the vendor's library and kernels.
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/compute.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

using internal::product_way;
using internal::product_ways;
using names = std::vector<std::string>;  // the one of the function, as a progress_line takes it

/// The ways that a test may ask for: "host", "vendor" or "kernel".
product_ways ways_in(nb::handle only) {
  if (only.is_none()) {
    return {};
  }
  const std::string_view text = to_text("only", only.ptr());
  return {.host = text == "host", .vendor = text == "vendor", .kernels = text == "kernel"};
}

/// Throws placement_error for arrays on two queues, type_error for structured elements.
void require_operands(const std::string& function, const array& x, const array& y) {
  queue_of_all(function, std::array<kernel_argument, 2>{x, y});
  require_plain(function, x);
  require_plain(function, y);
}

std::optional<array> multiplied(const names& name, const array& given_x, const array& given_y,
                                product_ways ways) {
  const std::string& function = name.front();
  require_usable_process();
  look_for_peers();
  const array x = given_x;  // the caller's may change while the lock is free
  const array y = given_y;
  require_operands(function, x, y);
  const internal::matrix_product call(function, x, y);
  const auto make = [&](first_use use) {
    return make_array(call.made_layout(), call.made_type(), internal::private_queue(x),
                      call.made_kind(), use);
  };
  if (ways.host && call.is_for_host()) {
    array made = make(first_use::at_once);
    if (call.is_for_host()) {  // another thread may have begun work while the lock was free
      call.run_on_host(made);
      return made;
    }
  }
  array made = make(call.made_use());
  progress_line line(name);
  const product_way taken = run_unlocked(function, [&] {
    return call.run(made, ways, [&](std::chrono::seconds passed) { line.show(passed); });
  });
  if (taken == product_way::none) {
    return std::nullopt;
  }
  if (taken != product_way::kernels) {
    wait_at_exit();
  }
  return made;
}

const names matmul_name{"matmul"};

/// Both operands are arrays, or the package has to look at them.
nb::object product_of(const names& name, PyObject* left, PyObject* right, nb::handle only) {
  const array* x = as_array(left);
  const array* y = as_array(right);
  if (x == nullptr || y == nullptr) {
    return nb::none();
  }
  std::optional<array> made = multiplied(name, *x, *y, ways_in(only));
  return made ? to_python(*std::move(made)) : nb::none();
}

PyObject* call_matmul(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 2 && count != 3) {
    PyErr_SetString(PyExc_TypeError, "wrong number of operands");
    return nullptr;
  }
  return guarded<PyObject*>(nullptr, [&] {
    return product_of(matmul_name, arguments[0], arguments[1], count == 3 ? arguments[2] : Py_None)
        .release()
        .ptr();
  });
}

/// The product of vectors and matrices; None for all else, which `dot` has to look at.
PyObject* call_dot(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "wrong number of operands");
    return nullptr;
  }
  static const names name{"dot"};
  return guarded<PyObject*>(nullptr, [&] {
    const auto is_matrix = [](PyObject* operand) {
      const array* found = as_array(operand);
      return found != nullptr && (found->ndim() == 1 || found->ndim() == 2);
    };
    const bool are_matrices = is_matrix(arguments[0]) && is_matrix(arguments[1]);
    return (are_matrices ? product_of(name, arguments[0], arguments[1], Py_None) : nb::none())
        .release()
        .ptr();
  });
}

PyMethodDef dot_method = {"_dot", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_dot)),
                          METH_FASTCALL, nullptr};

/// x1, x2 and, for tests, the only way of computing: "host", "vendor" or "kernel". It returns None
/// where that is not possible, or an operand is no USMArray.
PyMethodDef matmul_method = {"_matmul",
                             reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_matmul)),
                             METH_FASTCALL, nullptr};

nb::object tensordot(nb::handle of_x, nb::handle of_y, const std::vector<std::ptrdiff_t>& left,
                     const std::vector<std::ptrdiff_t>& right) {
  static const names name{"tensordot"};
  require_usable_process();
  look_for_peers();
  const array x = array_in(of_x);
  const array y = array_in(of_y);
  require_operands(name.front(), x, y);
  const internal::tensor_matrices of =
      run_unlocked(name.front(), [&] { return internal::matrices_of_tensors(x, y, left, right); });
  const std::optional<array> made = multiplied(name, of.rows, of.columns, {});
  return to_python(internal::with_layout(*made, layout::c_order(of.shape)));
}

nb::object vecdot(nb::handle of_x, nb::handle of_y, nb::handle axis, nb::handle only) {
  static const names name{"vecdot"};
  require_usable_process();
  look_for_peers();
  const array x = array_in(of_x);
  const array y = array_in(of_y);
  require_operands(name.front(), x, y);
  const internal::vector_product call(x, y, integer_axis(axis));
  const product_ways ways = ways_in(only);
  std::optional<array> made;
  if (ways.host) {
    made = call.run_on_host();
  }
  if (!made && ways.kernels) {
    progress_line line(name);
    made = run_unlocked(name.front(), [&] {
      return call.run_kernel([&](std::chrono::seconds passed) { line.show(passed); });
    });
  }
  return made ? to_python(*std::move(made)) : nb::none();
}

}  // namespace

void wait_at_exit() {
  static bool is_arranged = false;  // with the interpreter lock
  if (!is_arranged) {
    hooks::wait_at_exit();
    is_arranged = true;
  }
}

PyObject* product_of(PyObject* left, PyObject* right) noexcept {
  return guarded<PyObject*>(
      nullptr, [&] { return product_of(matmul_name, left, right, nb::none()).release().ptr(); });
}

void bind_products(nb::module_& m) {
  m.attr("_matmul") = checked(PyCFunction_New(&matmul_method, nullptr));
  m.attr("_dot") = checked(PyCFunction_New(&dot_method, nullptr));
  declare<
      "def _tensordot(x1: USMArray, x2: USMArray, of_x1: Sequence[int], of_x2: Sequence[int], /) "
      "-> USMArray">(m, &tensordot);
  declare<"def _vecdot(x1: USMArray, x2: USMArray, axis: Any, only: str | None = None) -> Any">(
      m, &vecdot,
      "The sums of products. `only` is \"host\", which returns None where the host has no loop "
      "for the call, or \"kernel\".");
}

}  // namespace usmx::bindings
