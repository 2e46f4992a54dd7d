#include "product.hpp"

#include <oneapi/mkl/blas.hpp>
#include <usmx/array/submit.hpp>
#include <usmx/base/error.hpp>
#include <usmx/copy/values.hpp>
#include <vector>

namespace blas = oneapi::mkl::blas::row_major;

usmx::array product(const matrix_argument& a, const matrix_argument& b) {
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
  return c.array();
}
