#include "usmx/compute/linalg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/operators.hpp"
#include "usmx/compute/products.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"
#include "vendors/product.hpp"

namespace {

using support::expect_error;
using usmx::array;
namespace linalg = usmx::linalg;
using extents = std::vector<std::ptrdiff_t>;

extents shape_of(const array& a) { return {a.shape().begin(), a.shape().end()}; }

template <class T>
class linalg_test : public support::device_test {
 protected:
  void SetUp() override {
    support::device_test::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (!usmx::internal::find_host_library().is_found) {
      GTEST_SKIP() << "oneMKL, which eig() needs on all devices, is not installed";
    }
  }

  /// Random numbers; square matrices are far from singular.
  array some(const extents& shape) {
    std::normal_distribution<double> number;
    const usmx::layout where = usmx::layout::c_order(shape);
    std::vector<T> values(static_cast<std::size_t>(where.size()));
    const auto columns = static_cast<std::size_t>(shape.back());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool is_diagonal = k / columns % columns == k % columns;
      const double value = number(random_) + (is_diagonal ? 2.0 * static_cast<double>(columns) : 0);
      values[k] = T(static_cast<float>(value));
    }
    const array flat = usmx::from_host(queue(), values);
    return flat.reshaped(shape);
  }

  static array adjoint(const array& a) {
    return usmx::conj(
        a.with_layout(usmx::moved_axes(a.layout(), extents{-2, -1}, extents{-1, -2})));
  }

  static void expect_near(const array& found, const array& expected) {
    ASSERT_EQ(shape_of(found), shape_of(expected));
    const double precision =
        found.type().itemsize() / (found.type().kind() == 'c' ? 2 : 1) == 4 ? 1e-3 : 1e-9;
    EXPECT_LT(usmx::max(usmx::abs(found - expected)).template item<double>(), precision);
  }

  std::mt19937_64 random_{support::seed(5)};
};

using computed_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(linalg_test, computed_types);

TYPED_TEST(linalg_test, solutions_solve_the_equations) {
  const array a = this->some({3, 5, 5});
  const array b = this->some({3, 5, 2});
  this->expect_near(usmx::matmul(a, linalg::solve(a, b)), b);
  const array vector = b.slice(0, usmx::ellipsis, 1);
  const array x = linalg::solve(a, vector);
  EXPECT_EQ(shape_of(x), (extents{3, 5}));
  this->expect_near(usmx::matmul(a.slice(1), x.slice(1)), vector);
  const array unit = usmx::matmul(a, linalg::inv(a));
  this->expect_near(usmx::matmul(unit, b), b);
}

TYPED_TEST(linalg_test, determinants_are_products_of_diagonals_of_triangles) {
  const array flat = usmx::from_host(this->queue(), std::vector<TypeParam>{2, 5, 0, 3});
  const array a = flat.reshaped({2, 2});
  EXPECT_LT(std::abs(linalg::det(a).template item<TypeParam>() - TypeParam(6)), 1e-6);
  const linalg::slogdet_result found = linalg::slogdet(a);
  EXPECT_EQ(found.sign.template item<TypeParam>(), TypeParam(1));
  EXPECT_NEAR(found.logabsdet.template item<double>(), std::log(6), 1e-6);
}

TYPED_TEST(linalg_test, factors_multiply_to_the_matrix) {
  const array a = this->some({2, 4, 3});
  for (const linalg::qr_mode mode : {linalg::qr_mode::reduced, linalg::qr_mode::complete}) {
    const linalg::qr_result of = linalg::qr(a, mode);
    EXPECT_EQ(of.q.extent(2), mode == linalg::qr_mode::reduced ? 3 : 4);
    this->expect_near(usmx::matmul(of.q, of.r), a);
  }
  const linalg::svd_result of = linalg::svd(a, false);
  const array scaled = of.u * of.s.slice(usmx::ellipsis, usmx::newaxis, usmx::range());
  this->expect_near(usmx::matmul(scaled, of.vh), a);
  EXPECT_EQ(shape_of(linalg::svd(a).u), (extents{2, 4, 4}));
  this->expect_near(linalg::svdvals(a), of.s);

  const array square = usmx::matmul(this->adjoint(a), a);
  const array lower = linalg::cholesky(square);
  this->expect_near(usmx::matmul(lower, this->adjoint(lower)) / 100, square / 100);
  const array upper = linalg::cholesky(square, linalg::triangle::upper);
  this->expect_near(upper, this->adjoint(lower));
}

TYPED_TEST(linalg_test, eigenvectors_are_stretched_by_the_eigenvalues) {
  const array a = this->some({2, 4, 4});
  const array hermitian = a + this->adjoint(a);
  const linalg::eig_result of = linalg::eigh(hermitian);
  this->expect_near(
      usmx::matmul(hermitian, of.eigenvectors),
      of.eigenvectors * of.eigenvalues.slice(usmx::ellipsis, usmx::newaxis, usmx::range()));
  this->expect_near(linalg::eigvalsh(hermitian, linalg::triangle::upper), of.eigenvalues);
  const linalg::eig_result any = linalg::eig(a);
  EXPECT_EQ(any.eigenvalues.type().kind(), 'c');
  this->expect_near(
      usmx::matmul(a, any.eigenvectors),
      any.eigenvectors * any.eigenvalues.slice(usmx::ellipsis, usmx::newaxis, usmx::range()));
  this->expect_near(usmx::sum(linalg::eigvals(a), 1), usmx::sum(any.eigenvalues, 1));
}

TYPED_TEST(linalg_test, what_is_left_of_a_fit_is_at_right_angles_to_the_columns) {
  const array a = this->some({6, 2});
  const array b = this->some({6, 3});
  const linalg::lstsq_result of = linalg::lstsq(a, b);
  EXPECT_EQ(of.rank, 2);
  EXPECT_EQ(shape_of(of.residuals), (extents{3}));
  EXPECT_EQ(shape_of(of.singular_values), (extents{2}));
  const array left = b - usmx::matmul(a, of.x);
  this->expect_near(usmx::matmul(this->adjoint(a), left), usmx::matmul(this->adjoint(a), b) * 0);
  EXPECT_EQ(shape_of(linalg::lstsq(a, b.slice(usmx::ellipsis, 0)).x), (extents{2}));
  EXPECT_EQ(shape_of(linalg::lstsq(a, b.slice(usmx::ellipsis, usmx::range(0, 0))).x),
            (extents{2, 0}));
}

using linalg_of_doubles = linalg_test<double>;

TEST_F(linalg_of_doubles, results_of_nothing_are_those_of_empty_products) {
  const array none = usmx::zeros({2, 0, 0}, usmx::float64, queue());
  EXPECT_EQ(usmx::to_vector<double>(linalg::det(none)), (std::vector<double>{1, 1}));
  const array tall = usmx::zeros({3, 0}, usmx::float64, queue());
  EXPECT_EQ(usmx::to_vector<double>(linalg::qr(tall, linalg::qr_mode::complete).q),
            (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST_F(linalg_of_doubles, matrix_without_a_result_is_an_error_or_nan) {
  const array zero = usmx::zeros({2, 2}, usmx::float64, queue());
  const array b = usmx::full({2}, 1.0, queue());
  expect_error<usmx::linalg_error>([&] { linalg::solve(zero, b); }, {"solve", "singular"});
  expect_error<usmx::linalg_error>([&] { linalg::inv(zero); }, {"linalg.inv", "singular"});
  expect_error<usmx::linalg_error>([&] { linalg::cholesky(zero); }, {"not positive definite"});
  const array nan = zero + std::numeric_limits<double>::quiet_NaN();
  expect_error<usmx::linalg_error>([&] { linalg::eig(nan); }, {"infinities or NaN"});
  EXPECT_TRUE(std::isnan(usmx::to_vector<double>(linalg::inv(zero, {.is_checked = false}))[3]));
}

TEST_F(linalg_of_doubles, wrong_operand_is_an_error_with_values) {
  const array m = usmx::full({2, 3}, 1.0, queue());
  const array vector = usmx::full({3}, 1.0, queue());
  expect_error<usmx::linalg_error>([&] { linalg::inv(m); }, {"must be square", "(2, 3)"});
  expect_error<usmx::linalg_error>([&] { linalg::svd(vector); }, {"at least 2", "(3,)"});
  expect_error<usmx::value_error>(
      [&] { linalg::solve(m.slice(usmx::range(), usmx::range(0, 2)), vector); },
      {"shapes do not fit", "(2, 2) and (3,)"});
  expect_error<usmx::linalg_error>([&] { linalg::lstsq(m, vector); }, {"found 2 and 3"});
  expect_error<usmx::type_error>([&] { linalg::svd(usmx::astype(m, usmx::float16)); },
                                 {"float16", "unsupported"});
  const sycl::queue other(queue().get_context(), queue().get_device());
  expect_error<usmx::placement_error>(
      [&] { linalg::lstsq(m, usmx::zeros({2}, usmx::float64, other)); }, {"lstsq", "same queue"});
  expect_error<usmx::linalg_error>([&] { linalg::inv(array()); }, {"2 dimensions"});
}

TEST_F(linalg_of_doubles, triangle_or_mode_that_there_is_not_is_an_error) {
  const array m = usmx::full({2, 2}, 1.0, queue());
  const auto neither = static_cast<linalg::triangle>(9);
  expect_error<usmx::value_error>([&] { linalg::cholesky(m, neither); }, {"cholesky", "found 9"});
  expect_error<usmx::value_error>([&] { linalg::eigh(m, neither); }, {"linalg.eigh", "found 9"});
  expect_error<usmx::value_error>([&] { linalg::eigvalsh(m, neither); }, {"eigvalsh", "found 9"});
  expect_error<usmx::value_error>([&] { linalg::qr(m, static_cast<linalg::qr_mode>(-1)); },
                                  {"linalg.qr", "found -1"});
}

}  // namespace
