// The Python module usmx_with_onemkl._native: one function, which oneMKL computes on the device.
#include <nanobind/nanobind.h>

#include <oneapi/mkl/blas.hpp>
#include <usmx/array/submit.hpp>
#include <usmx/base/error.hpp>
#include <usmx/copy/zeros.hpp>
#include <usmx/python/nanobind.hpp>

namespace nb = nanobind;
namespace blas = oneapi::mkl::blas::row_major;

using matrix = usmx::read<double, 2, usmx::c_contig>;

usmx::array product(const matrix& a, const matrix& b) {
  const nb::gil_scoped_release unlocked;
  const std::ptrdiff_t rows = a.shape()[0], inner = a.shape()[1], columns = b.shape()[1];
  if (b.shape()[0] != inner) {
    throw usmx::value_error("product: expected as many rows of b as a has columns");
  }
  sycl::queue queue = a.queue();
  const usmx::usm_kind kind = a.array().kind();
  if (rows == 0 || inner == 0 || columns == 0) {  // nothing that oneMKL would take
    return usmx::zeros({rows, columns}, usmx::float64, queue, kind);
  }
  const usmx::write<double, 2> c(usmx::empty({rows, columns}, usmx::float64, queue, kind));
  constexpr auto as_it_is = oneapi::mkl::transpose::nontrans;
  usmx::submit(queue, {a, b}, {c}, [&](const std::vector<sycl::event>& after) {
    return blas::gemm(queue, as_it_is, as_it_is, rows, columns, inner, 1.0, a.data(), inner,
                      b.data(), columns, 0.0, c.data(), columns, after);
  });
  return c.array();  // oneMKL may still compute: who uses the result comes after it
}

NB_MODULE(_native, module) {
  usmx::python::import_usmx();
  usmx::python::def(module, "product", &product, nb::arg("a"), nb::arg("b"),
                    "Return the matrix product of two matrices in float64, on a's queue.");
}
