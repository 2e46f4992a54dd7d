// dpctl's examples/pybind11/onemkl_gemv: vectors and matrices by oneMKL and by kernels of one
// expression, and a solver on top of these. Every function is there for four element types.
#include <pybind11/complex.h>

#include <complex>
#include <oneapi/mkl/blas.hpp>
#include <usmx/array/submit.hpp>
#include <usmx/base/error.hpp>
#include <usmx/copy/values.hpp>
#include <usmx/generated_kernels/generated_kernels.hpp>

#include "ports.hpp"

namespace {

namespace blas = oneapi::mkl::blas::row_major;

template <class T>
using matrix = usmx::read<T, 2, usmx::c_contig>;
template <class T>
using vector = usmx::read<T, 1, usmx::c_contig>;
template <class T>
using result = usmx::write<T, 1, usmx::c_contig>;
template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;

void require(bool is_true) {
  if (!is_true) throw usmx::value_error("the sizes of the arrays do not match");
}

template <class T>
usmx::array gemv(const matrix<T>& a, const vector<T>& x) {
  const std::ptrdiff_t rows = a.shape()[0], columns = a.shape()[1];
  require(columns == x.size());
  sycl::queue queue = a.queue();
  const result<T> y(usmx::empty<T>(rows, queue, a.array().kind()));
  usmx::submit(queue, {a, x}, {y}, [&](const std::vector<sycl::event>& after) {
    return blas::gemv(queue, oneapi::mkl::transpose::nontrans, rows, columns, T(1), a.data(),
                      columns, x.data(), 1, T(0), y.data(), 1, after);
  });
  return y.array();
}

template <class T>
usmx::array sub(const vector<T>& x, const vector<T>& y) {
  static const usmx::elementwise_kernel kernel("T x, T y", "T z", "z = x - y", {"sub"});
  return kernel(x, y);
}

template <class T>
void axpby_inplace(T a, const vector<T>& x, T b, const result<T>& y) {
  static const usmx::elementwise_kernel kernel("T a, T x, T b, T y", "T z", "z = a * x + b * y",
                                               {"axpby"});
  const usmx::kernel_argument inputs[] = {a, x, b, y};
  kernel.call(inputs, {.outputs = {y.array()}});
}

template <class T>
double norm_squared(const vector<T>& x) {
  static const usmx::reduction_kernel kernel("T x", "T y",
                                             {.map = is_complex<T> ? "x * conj(x)" : "x * x",
                                              .reduce = "a + b",
                                              .post_map = "y = a",
                                              .identity = "0"},
                                             {"norm_squared"});
  return std::real(usmx::to_vector<T>(kernel(x))[0]);
}

template <class T>
T dot(const vector<T>& x, const vector<T>& y) {
  require(x.size() == y.size());
  sycl::queue queue = x.queue();
  const result<T> sum(usmx::empty<T>(1, queue));
  usmx::submit(queue, {x, y}, {sum}, [&](const std::vector<sycl::event>& after) {
    if constexpr (is_complex<T>) {
      return blas::dotc(queue, x.size(), x.data(), 1, y.data(), 1, sum.data(), after);
    } else {
      return blas::dot(queue, x.size(), x.data(), 1, y.data(), 1, sum.data(), after);
    }
  });
  return usmx::to_vector<T>(sum.array())[0];
}

/// Solves a * x = b by conjugate gradients; returns after how many steps.
template <class T>
std::ptrdiff_t cg_solve(const matrix<T>& a, const vector<T>& b, const result<T>& x, T threshold) {
  usmx::fill(x.array(), T(0));
  const result<T> r(usmx::clone(b.array())), p(usmx::clone(b.array()));
  const vector<T> residual(r.array()), direction(p.array());
  T before = static_cast<T>(norm_squared<T>(residual));
  for (std::ptrdiff_t step = 0; step < b.size(); ++step) {
    if (before < threshold) return step;
    const vector<T> ap(gemv<T>(a, direction));
    const T alpha = before / dot<T>(direction, ap);
    axpby_inplace<T>(alpha, direction, 1, x);
    axpby_inplace<T>(-alpha, ap, 1, r);
    const T now = static_cast<T>(norm_squared<T>(residual));
    axpby_inplace<T>(1, residual, now / before, p);
    before = now;
  }
  return b.size();
}

template <class T>
void define_for(py::module_& m) {
  const py::call_guard<py::gil_scoped_release> unlocked;
  m.def("gemv", &gemv<T>, unlocked);
  m.def("sub", &sub<T>, unlocked);
  m.def("axpby_inplace", &axpby_inplace<T>, unlocked);
  m.def("norm_squared", &norm_squared<T>, unlocked);
  m.def("dot", &dot<T>, unlocked);
  if constexpr (!is_complex<T>) {
    m.def("cg_solve", &cg_solve<T>, unlocked, py::arg("a"), py::arg("b"), py::arg("x"),
          py::arg("threshold") = T(1e-20));
  }
}

}  // namespace

void define_onemkl_gemv(py::module_& m) {
  define_for<double>(m);
  define_for<float>(m);
  define_for<std::complex<double>>(m);
  define_for<std::complex<float>>(m);
  for (const char* name : {"gemv", "sub", "axpby_inplace", "norm_squared", "dot", "cg_solve"}) {
    usmx::python::end_overloads(m, name);
  }
}
