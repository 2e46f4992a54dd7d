#include "usmx/compute/matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/products.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"
#include "vendors/product.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::linalg::matrix_norm_order;
namespace linalg = usmx::linalg;
using doubles = std::vector<double>;
using extents = std::vector<std::ptrdiff_t>;

class matrices_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
  static doubles values(const array& a) { return usmx::to_vector<double>(a); }
  static extents shape_of(const array& a) { return {a.shape().begin(), a.shape().end()}; }
  static void expect_near(const array& found, const doubles& expected) {
    const doubles all = values(found);
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_NEAR(all[k], expected[k], 1e-12) << k;
    }
  }
};

/// Those that LAPACK computes a part of.
class factored_matrices_test : public matrices_test {
 protected:
  void SetUp() override {
    matrices_test::SetUp();
    if (!IsSkipped() && !usmx::internal::find_host_library().is_found) {
      GTEST_SKIP() << "oneMKL is not installed";
    }
  }
};

TEST_F(matrices_test, diagonals_are_views) {
  const array x = of<int>({0, 1, 2, 3, 4, 5}).reshaped({2, 3});
  EXPECT_EQ(values(linalg::diagonal(x)), (doubles{0, 4}));
  EXPECT_EQ(values(linalg::diagonal(x, 1)), (doubles{1, 5}));
  EXPECT_EQ(values(linalg::diagonal(x, -1)), doubles{3});
  EXPECT_EQ(values(linalg::diagonal(x.transposed(), -1)), (doubles{1, 5}));
  EXPECT_EQ(linalg::diagonal(x).owner(), x.owner());
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{3}, most, -most - 1, std::ptrdiff_t{-2}}) {
    EXPECT_EQ(linalg::diagonal(x, offset).size(), 0) << offset;
  }
  EXPECT_EQ(shape_of(linalg::diagonal(x.reshaped({1, 2, 3}))), (extents{1, 2}));
  expect_error<usmx::value_error>(
      [&] { (void)linalg::diagonal(x.slice(0)); },
      {"diagonal: x must have at least 2 dimensions, found shape (3,)"});
}

TEST_F(matrices_test, traces_are_sums_of_diagonals) {
  const array x = of<std::int8_t>({100, 1, 2, 100}).reshaped({2, 2});
  EXPECT_EQ(linalg::trace(x).item<std::int64_t>(), 200);
  EXPECT_EQ(linalg::trace(x, 1).item<std::int64_t>(), 1);
  EXPECT_EQ(linalg::trace(x, 5).item<std::int64_t>(), 0);
}

TEST_F(matrices_test, norms_of_vectors_have_an_order) {
  const double most = std::numeric_limits<double>::infinity();
  const array x = of<double>({3, -4, 0, 0}).reshaped({2, 2});
  EXPECT_EQ(values(linalg::vector_norm(x)), doubles{5});
  EXPECT_EQ(values(linalg::vector_norm(x, {.axes = 1})), (doubles{5, 0}));
  EXPECT_EQ(values(linalg::vector_norm(x, {.order = 1, .axes = 0})), (doubles{3, 4}));
  EXPECT_EQ(values(linalg::vector_norm(x, {.order = most})), doubles{4});
  EXPECT_EQ(values(linalg::vector_norm(x, {.order = -most})), doubles{0});
  EXPECT_EQ(values(linalg::vector_norm(x, {.order = 0})), doubles{2});
  expect_near(linalg::vector_norm(x, {.order = 3}), {std::cbrt(91.0)});
  EXPECT_EQ(shape_of(linalg::vector_norm(x, {.axes = 1, .are_kept = true})), (extents{2, 1}));
  EXPECT_EQ(linalg::vector_norm(of<std::complex<float>>({{3, 4}})).type(), usmx::float32);
  EXPECT_EQ(linalg::vector_norm(of<int>({3, 4})).item<double>(), 5);
  EXPECT_EQ(linalg::vector_norm(x.slice(usmx::range(0, 0)), {.order = most}).item<double>(), 0);
}

TEST_F(matrices_test, norms_of_sums_need_no_library) {
  const array x = of<double>({1, -2, 3, 4}).reshaped({2, 2});
  EXPECT_EQ(values(linalg::matrix_norm(x, matrix_norm_order::largest_column)), doubles{6});
  EXPECT_EQ(values(linalg::matrix_norm(x, matrix_norm_order::smallest_column)), doubles{4});
  EXPECT_EQ(values(linalg::matrix_norm(x, matrix_norm_order::largest_row)), doubles{7});
  EXPECT_EQ(values(linalg::matrix_norm(x, matrix_norm_order::smallest_row)), doubles{3});
  const array kept = linalg::matrix_norm(x, matrix_norm_order::frobenius, true);
  EXPECT_EQ(shape_of(kept), (extents{1, 1}));
  expect_near(kept, {std::sqrt(30.0)});
  expect_error<usmx::linalg_error>([&] { (void)linalg::matrix_norm(x.slice(0)); },
                                   {"linalg.matrix_norm: x must have at least 2 dimensions"});
  expect_error<usmx::value_error>(
      [&] { (void)linalg::matrix_norm(x, static_cast<matrix_norm_order>(40)); },
      {"linalg.matrix_norm: the order must be one of matrix_norm_order, found 40"});
}

TEST_F(matrices_test, norm_is_of_vectors_or_matrices) {
  const array x = of<double>({1, -2, 3, 4}).reshaped({2, 2});
  expect_near(linalg::norm(x), {std::sqrt(30.0)});
  EXPECT_EQ(values(linalg::norm(x, {.order = 1})), doubles{6});
  EXPECT_EQ(values(linalg::norm(x, {.order = 1, .axes = 0})), (doubles{4, 6}));
  EXPECT_EQ(shape_of(linalg::norm(x, {.axes = {1, 0}, .are_kept = true})), (extents{1, 1}));
  expect_error<usmx::value_error>([&] { (void)linalg::norm(x, {.order = 3}); },
                                  {"linalg.norm: 3 is no norm of matrices"});
  expect_error<usmx::value_error>([&] { (void)linalg::norm(x, {.axes = {0, 0}}); },
                                  {"linalg.norm: expected 1 or 2 axes of 2, found (0, 0)"});
  expect_error<usmx::axis_error>([&] { (void)linalg::norm(x, {.axes = 2}); }, {"axis 2"});
}

TEST_F(factored_matrices_test, arrays_are_inverted_and_solved_as_matrices) {
  const array x = of<double>({1, 2, 0, 4}).reshaped({2, 1, 2});
  const array inverse = linalg::tensorinv(x, 1);
  EXPECT_EQ(shape_of(inverse), (extents{1, 2, 2}));
  expect_near(inverse, {1, -0.5, 0, 0.25});
  expect_near(linalg::tensorsolve(x, of<double>({2, 4})), {0, 1});
  expect_near(linalg::tensorsolve(x, of<double>({2, 4}), {2}), {0, 1});
  expect_error<usmx::value_error>([&] { (void)linalg::tensorinv(x, 0); }, {"at least 1, found 0"});
  expect_error<usmx::linalg_error>([&] { (void)linalg::tensorinv(x, 3); }, {"square"});
  expect_error<usmx::linalg_error>([&] { (void)linalg::tensorsolve(x, of<double>({2})); },
                                   {"shapes do not fit, found (2, 1, 2) and (1,)"});
}

TEST_F(factored_matrices_test, norms_and_conditions_are_of_singular_values) {
  const array x = of<double>({3, 0, 0, 6}).reshaped({2, 2});
  expect_near(linalg::matrix_norm(x, matrix_norm_order::nuclear), {9});
  expect_near(linalg::matrix_norm(x, matrix_norm_order::largest_singular), {6});
  expect_near(linalg::matrix_norm(x, matrix_norm_order::smallest_singular), {3});
  expect_near(linalg::cond(x), {2});
  expect_near(linalg::cond(x, matrix_norm_order::smallest_singular), {0.5});
  expect_near(linalg::cond(x, matrix_norm_order::largest_row), {2});
  const array singular = of<double>({1, 0, 0, 0}).reshaped({2, 2});
  EXPECT_TRUE(std::isinf(linalg::cond(singular).item<double>()));
  EXPECT_TRUE(std::isinf(linalg::cond(singular, matrix_norm_order::largest_row).item<double>()));
  expect_error<usmx::linalg_error>(
      [&] { (void)linalg::cond(x.slice(usmx::range(1)), matrix_norm_order::largest_row); },
      {"linalg.cond: x must be square"});
  expect_error<usmx::linalg_error>([&] { (void)linalg::cond(x.slice(usmx::range(0, 0))); },
                                   {"without elements"});
}

TEST_F(factored_matrices_test, ranks_count_what_is_not_small) {
  EXPECT_EQ(linalg::matrix_rank(usmx::ones({3, 3}, usmx::float32, queue())).item<std::int64_t>(),
            1);
  const array x = of<double>({1, 0, 0, 1e-3}).reshaped({2, 2});
  EXPECT_EQ(linalg::matrix_rank(x).item<std::int64_t>(), 2);
  EXPECT_EQ(linalg::matrix_rank(x, 0.01).item<std::int64_t>(), 1);
  EXPECT_EQ(linalg::matrix_rank(x.slice(0)).item<std::int64_t>(), 1);
  EXPECT_EQ(values(linalg::matrix_rank(usmx::zeros({2, 0, 3}, usmx::float64, queue()))),
            (doubles{0, 0}));
}

TEST_F(factored_matrices_test, pseudo_inverses_leave_out_what_is_small) {
  expect_near(linalg::pinv(of<double>({2, 0, 0, 0}).reshaped({2, 2})), {0.5, 0, 0, 0});
  const array x = of<double>({1, 2, 3, 4, 5, 7}).reshaped({3, 2});
  expect_near(usmx::matmul(linalg::pinv(x), x), {1, 0, 0, 1});
  const array z = of<std::complex<double>>({{0, 2}}).reshaped({1, 1});
  EXPECT_NEAR(usmx::to_vector<std::complex<double>>(linalg::pinv(z))[0].imag(), -0.5, 1e-15);
  EXPECT_EQ(shape_of(linalg::pinv(usmx::zeros({2, 0, 3}, usmx::float64, queue()))),
            (extents{2, 3, 0}));
  expect_error<usmx::type_error>(
      [&] { (void)linalg::pinv(usmx::zeros({2, 2}, usmx::float16, queue())); },
      {"array type float16 is unsupported in linalg"});
}

TEST_F(matrices_test, matrices_have_powers) {
  const array x = of<int>({1, 1, 0, 1}).reshaped({2, 2});
  EXPECT_EQ(values(linalg::matrix_power(x, 5)), (doubles{1, 5, 0, 1}));
  EXPECT_EQ(values(linalg::matrix_power(x, 0)), (doubles{1, 0, 0, 1}));
  const array first = linalg::matrix_power(x, 1);
  EXPECT_EQ(values(first), values(x));
  EXPECT_NE(first.owner(), x.owner());
  expect_error<usmx::linalg_error>([&] { (void)linalg::matrix_power(x.slice(0), 2); },
                                   {"linalg.matrix_power: x must be square matrices"});
}

TEST_F(factored_matrices_test, negative_powers_are_of_inverses) {
  const array x = of<double>({2, 0, 0, 4}).reshaped({2, 2});
  expect_near(linalg::matrix_power(x, -2), {0.25, 0, 0, 0.0625});
  expect_near(linalg::matrix_power(usmx::ones({1, 1}, usmx::float64, queue()),
                                   std::numeric_limits<std::int64_t>::min()),
              {1});
}

TEST_F(matrices_test, products_of_several_matrices_are_split_where_it_is_cheapest) {
  const array a = usmx::ones({2, 30}, usmx::float64, queue());
  const array b = usmx::ones({30, 3}, usmx::float64, queue());
  const array v = of<double>({1, 2, 3});
  EXPECT_EQ(values(linalg::multi_dot(std::vector{a, b, v})), (doubles{180, 180}));
  EXPECT_EQ(linalg::multi_dot(std::vector{v, b.transposed(), b, v}).item<double>(), 1080);
  expect_error<usmx::value_error>([&] { (void)linalg::multi_dot(std::vector{a}); },
                                  {"linalg.multi_dot: expected 2 arrays or more, found 1"});
  expect_error<usmx::linalg_error>([&] { (void)linalg::multi_dot(std::vector{a, v, b}); },
                                   {"linalg.multi_dot: expected matrices"});
  expect_error<usmx::value_error>([&] { (void)linalg::multi_dot(std::vector{a, a, b}); },
                                  {"matmul"});
}

TEST_F(matrices_test, vectors_have_outer_and_cross_products) {
  const array x = of<int>({1, 0, 0});
  const array y = of<int>({0, 1, 2});
  EXPECT_EQ(values(linalg::outer(y, y)), (doubles{0, 0, 0, 0, 1, 2, 0, 2, 4}));
  EXPECT_EQ(values(linalg::cross(x, y)), (doubles{0, -2, 1}));
  const array columns = y.reshaped({3, 1});
  const array crossed = linalg::cross(x.reshaped({3, 1}), columns, 0);
  EXPECT_EQ(shape_of(crossed), (extents{3, 1}));
  EXPECT_EQ(values(crossed), (doubles{0, -2, 1}));
  expect_error<usmx::value_error>([&] { (void)linalg::outer(columns, x); },
                                  {"linalg.outer: expected vectors, found shapes (3, 1) and (3,)"});
  expect_error<usmx::value_error>([&] { (void)linalg::cross(columns, x); },
                                  {"linalg.cross", "(3, 1) and (3,)"});
  expect_error<usmx::axis_error>([&] { (void)linalg::cross(x, y, 1); },
                                 {"axis 1 is out of bounds"});
}

}  // namespace
