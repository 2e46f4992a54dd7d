// Products of matrices and vectors by loops of the host: one call of Python is one call of the
// library. The others are the vendor's or kernels' (usmx/_compute/products.py).
#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <thread>
#include <vector>

#include "compute/compute.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/errors.hpp"
#include "support/interpreter_lock.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/base/process.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {
namespace {

using internal::host_product;

bool are_idle(std::initializer_list<const array*> arrays) {
  return std::ranges::none_of(arrays, [](const array* each) { return each->may_be_busy(); });
}

/// Whether they are idle, or are so within the time that it takes to submit a command which comes
/// after their work: most operands were computed just now. To be called without the interpreter
/// lock.
bool are_idle_soon(const array& x, const array& y) {
  constexpr std::chrono::microseconds patience(100);
  const auto begin = std::chrono::steady_clock::now();
  const auto others_work = [](const array& each) { return each.owner()->others_may_work(); };
  while (!are_idle({&x, &y})) {
    if (others_work(x) || others_work(y) || std::chrono::steady_clock::now() - begin > patience) {
      return false;
    }
    if (!pending_events({x, y}, {}).empty()) {  // which forgets what is complete
      std::this_thread::yield();
    }
  }
  return true;
}

bool is_on_cpu(const array& a) {
  const sycl::device device = internal::private_queue(a).get_device();
  return device.is_cpu() && support_of(device).fp64 && internal::host_reaches(a);
}

layout result_layout(const array& x, const array& y) {
  std::vector<std::ptrdiff_t> shape;
  if (x.ndim() == 2) {
    shape.push_back(x.shape()[0]);
  }
  if (y.ndim() == 2) {
    shape.push_back(y.shape()[1]);
  }
  return layout::c_order(shape);
}

/// The product; a null object if it is not for the host, in which case nothing has been done.
nb::object multiplied(const array& given_x, const array& given_y) {
  const std::optional<host_product> product = host_product::of(given_x, given_y);
  if (given_x.ndim() > 2 || given_y.ndim() > 2 || !product ||
      !(product->is_little() || (product->is_best_here() && product->is_quick()))) {
    return {};
  }
  require_usable_process();
  look_for_peers();
  const sycl::queue& queue = internal::private_queue(given_x);
  if (given_x.kind() != given_y.kind() || internal::private_queue(given_y) != queue ||
      !is_on_cpu(given_x)) {
    return {};
  }
  const auto make_result = [&] {
    return make_array(result_layout(given_x, given_y), given_x.type(), queue, given_x.kind(),
                      first_use::at_once);
  };
  if (product->is_little()) {
    if (!are_idle({&given_x, &given_y})) {
      return {};
    }
    array z = make_result();
    if (!are_idle({&given_x, &given_y})) {  // another thread may have begun work meanwhile
      return {};
    }
    product->run(internal::first_element(z), false);
    return to_python(std::move(z));
  }
  const array x = given_x;  // the caller's may change while the lock is free
  const array y = given_y;
  array z = make_result();
  const bool is_done = [&] {
    const without_interpreter_lock unlocked;
    const bool may_run = are_idle_soon(x, y);
    if (may_run) {
      product->run(internal::first_element(z), true);
    }
    return may_run;
  }();
  return is_done ? to_python(std::move(z)) : nb::object();
}

/// Whether the host multiplies the matrices of three arrays of three dimensions, at once or in the
/// order of work on them. `is_last` says that no library does.
bool multiply_on_host(nb::handle of_x, nb::handle of_y, nb::handle of_z, bool is_last) {
  const auto array_of = [](nb::handle object) {
    return ready_instance<py_array>(object.ptr()).value;
  };
  const array x = array_of(of_x);
  const array y = array_of(of_y);
  const array z = array_of(of_z);
  const std::optional<host_product> product = host_product::of(x, y);
  require_usable_process();
  look_for_peers();
  if (!product || !is_on_cpu(x) || !is_on_cpu(y) || !is_on_cpu(z)) {
    return false;
  }
  std::byte* const to = internal::first_element(z);
  const bool is_little = product->is_little();
  if (is_little && are_idle({&x, &y, &z})) {
    product->run(to, false);
    return true;
  }
  if (is_last ? !product->beats_kernels() : is_little || !product->is_best_here()) {
    return false;
  }
  const without_interpreter_lock unlocked;
  if (!is_little && product->is_quick() && are_idle_soon(x, y) && are_idle({&z})) {
    product->run(to, true);
  } else {
    internal::host_work({x, y}, {z}, false, [product, to, is_little] {
      product->run(to, !is_little);
    }).start(false);
  }
  return true;
}

PyObject* call_product(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "wrong number of operands");
    return nullptr;
  }
  return product_of(arguments[0], arguments[1]);
}

PyMethodDef product_method = {"_product",
                              reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_product)),
                              METH_FASTCALL, nullptr};

}  // namespace

PyObject* product_of(PyObject* left, PyObject* right) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const array* x = as_array(left);
    const array* y = as_array(right);
    nb::object made = x == nullptr || y == nullptr ? nb::object() : multiplied(*x, *y);
    return made.is_valid() ? made.release().ptr() : Py_NewRef(Py_None);
  });
}

void bind_products(nb::module_& m) {
  m.attr("_product") = checked(PyCFunction_New(&product_method, nullptr));
  m.def("_multiply_on_host", &multiply_on_host, nb::arg("x"), nb::arg("y"), nb::arg("z"),
        nb::arg("is_last"),
        nb::sig("def _multiply_on_host(x: USMArray, y: USMArray, z: USMArray, is_last: bool, /) "
                "-> bool"));
}

}  // namespace usmx::bindings
