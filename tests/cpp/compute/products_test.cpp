#include "usmx/compute/products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"

namespace {

using support::expect_error;
using usmx::array;
using extents = std::vector<std::ptrdiff_t>;

class products_test : public support::device_test {
 protected:
  /// Small integers: their sums are exact in any order.
  template <class T>
  std::vector<T> some(std::ptrdiff_t size) {
    std::uniform_int_distribution<int> number(0, 5);
    std::vector<T> values(static_cast<std::size_t>(size));
    std::ranges::generate(values,
                          [&] { return static_cast<T>(static_cast<float>(number(random_))); });
    return values;
  }

  template <class T>
  static array of(const std::vector<T>& values, const extents& shape) {
    const array flat = usmx::from_host(queue(), values);
    return flat.reshaped(shape);
  }

  /// Multiplies matrices one element after the other.
  template <class T>
  static std::vector<T> product(const std::vector<T>& x, const std::vector<T>& y,
                                std::size_t matrices, std::size_t rows, std::size_t depth,
                                std::size_t columns, bool is_one_y = false) {
    std::vector<T> z(matrices * rows * columns);
    for (std::size_t m = 0; m < matrices; ++m) {
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < depth; ++k) {
          for (std::size_t j = 0; j < columns; ++j) {
            z[(m * rows + i) * columns + j] +=
                x[(m * rows + i) * depth + k] * y[((is_one_y ? 0 : m) * depth + k) * columns + j];
          }
        }
      }
    }
    return z;
  }

  template <class T>
  void expect_products() {
    struct sizes {
      std::ptrdiff_t matrices, rows, depth, columns;
    };
    for (const sizes& of_one : {sizes{1, 3, 4, 2}, {1, 70, 90, 65}, {3, 5, 2, 4}, {1, 9, 200, 1}}) {
      const auto [matrices, rows, depth, columns] = of_one;
      const auto x = some<T>(matrices * rows * depth);
      const auto y = some<T>(matrices * depth * columns);
      const auto sized = [](std::ptrdiff_t n) { return static_cast<std::size_t>(n); };
      const std::vector<T> expected =
          product(x, y, sized(matrices), sized(rows), sized(depth), sized(columns));
      const array a = of(x, {matrices, rows, depth});
      const array b = of(y, {matrices, depth, columns});
      const array found = usmx::matmul(a, b);
      EXPECT_EQ(extents(found.shape().begin(), found.shape().end()),
                (extents{matrices, rows, columns}));
      EXPECT_EQ(usmx::to_vector<T>(found), expected);
      if (matrices == 1) {
        EXPECT_EQ(usmx::to_vector<T>(usmx::matmul(a.slice(0), b.slice(0))), expected);
        const array turned = usmx::clone(a.slice(0).transposed()).transposed();
        EXPECT_EQ(usmx::to_vector<T>(usmx::matmul(turned, b.slice(0))), expected);
      }
    }
  }

 private:
  std::mt19937_64 random_{support::seed(3)};
};

TEST_F(products_test, products_are_the_sums_of_products) {
  expect_products<double>();
  expect_products<std::int32_t>();
  expect_products<std::complex<float>>();
}

TEST_F(products_test, vectors_are_rows_on_the_left_and_columns_on_the_right) {
  const array m = of<int>({1, 2, 3, 4, 5, 6}, {2, 3});
  const array v = of<int>({1, 0, 2}, {3});
  const array w = of<int>({3, 1}, {2});
  EXPECT_EQ(usmx::to_vector<int>(usmx::matmul(m, v)), (std::vector<int>{7, 16}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::matmul(w, m)), (std::vector<int>{7, 11, 15}));
  const array number = usmx::matmul(v, v);
  EXPECT_EQ(number.ndim(), 0);
  EXPECT_EQ(number.item<int>(), 5);
}

TEST_F(products_test, stacks_are_broadcast_and_types_promoted) {
  const auto x = some<float>(24);
  const auto y = some<float>(12);
  std::vector<std::int64_t> y_integers(y.begin(), y.end());
  const array found = usmx::matmul(of(x, {2, 3, 4}), of(y_integers, {1, 4, 3}));
  EXPECT_EQ(found.type(), usmx::float64);
  const auto expected = product(x, y, 2, 3, 4, 3, true);
  EXPECT_EQ(usmx::to_vector<float>(found), expected);
  // A stack that no strides describe once its dimensions are joined.
  const array turned = of(x, {2, 3, 4})
                           .with_layout(usmx::permuted(usmx::layout::c_order(extents{2, 3, 4}),
                                                       std::vector<int>{1, 0, 2}));
  const array stack = turned.slice(usmx::range(), usmx::range(), usmx::newaxis);
  const array in_order = usmx::empty(stack.shape(), usmx::float32, queue());
  usmx::copy(stack, in_order);
  const array matrix = of(y_integers, {4, 3});
  EXPECT_EQ(usmx::to_vector<float>(usmx::matmul(stack, matrix)),
            usmx::to_vector<float>(usmx::matmul(in_order, matrix)));
}

TEST_F(products_test, sums_of_nothing_are_zero) {
  const array found = usmx::matmul(usmx::empty({2, 0}, usmx::float32, queue()),
                                   usmx::empty({0, 3}, usmx::float32, queue()));
  EXPECT_EQ(usmx::to_vector<float>(found), std::vector<float>(6));
  EXPECT_EQ(usmx::matmul(usmx::empty({0, 3}, usmx::float32, queue()),
                         usmx::empty({3, 2}, usmx::float32, queue()))
                .size(),
            0);
}

TEST_F(products_test, a_result_goes_to_an_output_of_its_kind) {
  const array x = of<int>({1, 2, 3, 4}, {2, 2});
  const array out = usmx::empty({2, 2}, usmx::float64, queue());
  EXPECT_EQ(usmx::matmul(x, x, {.out = out}).data(), out.data());
  EXPECT_EQ(usmx::to_vector<int>(out), (std::vector<int>{7, 10, 15, 22}));
  expect_error<usmx::value_error>(
      [&] { usmx::matmul(x, x, {.out = usmx::empty({2, 3}, usmx::float64, queue())}); },
      {"matmul", "(2, 2)", "(2, 3)"});
  expect_error<usmx::type_error>(
      [&] {
        const array y = usmx::astype(x, usmx::float32);
        usmx::matmul(y, y, {.out = usmx::empty({2, 2}, usmx::int32, queue())});
      },
      {"matmul", "float32", "int32"});
}

TEST_F(products_test, vectors_are_multiplied_along_an_axis) {
  using complex = std::complex<double>;
  const array x = of<complex>({{0, 1}, {2, 0}, {1, 1}, {0, 0}}, {2, 2});
  EXPECT_EQ(usmx::to_vector<complex>(usmx::vecdot(x, x)), (std::vector<complex>{5, 2}));
  EXPECT_EQ(usmx::to_vector<complex>(usmx::vecdot(x, x, 0)), (std::vector<complex>{3, 4}));
  const auto values = some<float>(1000);
  const float total = std::inner_product(values.begin(), values.end(), values.begin(), 0.0F);
  const array v = of(values, {1000});
  EXPECT_EQ(usmx::vecdot(v, v).item<float>(), total);
  const array wide = usmx::astype(v, usmx::float64);
  EXPECT_EQ(usmx::vecdot(v, wide).item<double>(), total);  // by a kernel
  EXPECT_EQ(usmx::vecdot(v, v.reshaped({1, 1000})).item<float>(), total);
}

TEST_F(products_test, tensors_are_multiplied_along_pairs_of_axes) {
  const auto x = some<double>(24);
  const auto y = some<double>(24);
  const array a = of(x, {2, 3, 4});
  const array b = of(y, {4, 3, 2});
  std::vector<double> expected(4);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t l = 0; l < 2; ++l) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 4; ++k) {
          expected[i * 2 + l] += x[(i * 3 + j) * 4 + k] * y[(k * 3 + j) * 2 + l];
        }
      }
    }
  }
  EXPECT_EQ(usmx::to_vector<double>(usmx::tensordot(a, b, {1, 2}, {1, 0})), expected);
  EXPECT_EQ(usmx::to_vector<double>(usmx::tensordot(a, b, {-1, -2}, {0, 1})), expected);
  EXPECT_EQ(usmx::tensordot(a, b, 1).ndim(), 4);
  EXPECT_EQ(usmx::tensordot(a, b, 0).size(), 24 * 24);
}

TEST_F(products_test, operands_that_do_not_fit_are_refused) {
  const array m = usmx::zeros({2, 3}, usmx::float32, queue());
  const array number = usmx::zeros(extents{}, usmx::float32, queue());
  expect_error<usmx::value_error>([&] { usmx::matmul(m, m); }, {"matmul", "(2, 3) and (2, 3)"});
  expect_error<usmx::value_error>([&] { usmx::matmul(m, number); }, {"matmul", "without"});
  expect_error<usmx::value_error>([&] { usmx::vecdot(m, m.slice(0, usmx::range(0, 2))); },
                                  {"vecdot", "3 and 2"});
  expect_error<usmx::axis_error>([&] { usmx::vecdot(m, m, 2); }, {"out of bounds"});
  expect_error<usmx::axis_error>([&] { usmx::vecdot(number, number); }, {"out of bounds"});
  expect_error<usmx::value_error>([&] { usmx::tensordot(m, m, 1); }, {"tensordot", "(3,)", "(2,)"});
  expect_error<usmx::value_error>([&] { usmx::tensordot(m, m, 3); }, {"0 to 2", "3"});
  expect_error<usmx::value_error>([&] { usmx::tensordot(m, m, {0, 0}, {0, 0}); }, {"only once"});
  expect_error<usmx::value_error>([&] { usmx::tensordot(m, m, {0}, {0, 1}); }, {"as many"});
  const sycl::queue other(queue().get_context(), queue().get_device());
  expect_error<usmx::placement_error>(
      [&] { usmx::matmul(m, usmx::zeros({3, 2}, usmx::float32, other)); },
      {"matmul", "same queue"});
  expect_error<usmx::value_error>([&] { usmx::matmul(array(), array()); }, {"memory"});
}

}  // namespace
