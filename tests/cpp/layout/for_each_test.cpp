// usmx/layout/for_each.hpp: several views at once.
#include "usmx/layout/for_each.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "support/errors.hpp"

namespace {

using support::expect_error;
using usmx::for_each;
using usmx::strided_view;

class for_each_test : public ::testing::Test {
 protected:
  for_each_test() { std::iota(numbers.begin(), numbers.end(), 0); }

  std::array<int, 6> numbers;
};

TEST_F(for_each_test, goes_over_elements_in_c_order) {
  const strided_view<const int, 2> columns_first(numbers.data(), {3, 2}, {1, 3});
  std::vector<int> seen;
  for_each([&](int x) { seen.push_back(x); }, columns_first);
  EXPECT_EQ(seen, (std::vector{0, 3, 1, 4, 2, 5}));
}

TEST_F(for_each_test, goes_over_several_views_together) {
  std::array<double, 6> sums{};
  const strided_view<const int, 2> rows(numbers.data(), {2, 3}, {3, 1});
  const strided_view<const int, 2> reversed(&numbers[5], {2, 3}, {-3, -1});
  const strided_view<double, 2> result(sums.data(), {2, 3}, {3, 1});
  for_each([](double& sum, int a, int b) { sum = 10 * a + b; }, result, rows, reversed);
  EXPECT_EQ(sums, (std::array<double, 6>{5, 14, 23, 32, 41, 50}));
}

TEST_F(for_each_test, visits_the_only_element_of_no_dimensions) {
  int seen = 0;
  for_each([&](int x) { seen += x; }, strided_view<const int, 0>(&numbers[4], {}, {}));
  EXPECT_EQ(seen, 4);
}

TEST_F(for_each_test, visits_nothing_where_an_extent_is_zero) {
  for_each([](int) { FAIL(); }, strided_view<const int, 2>(numbers.data(), {3, 0}, {0, 1}));
}

TEST_F(for_each_test, refuses_views_of_different_shapes) {
  const strided_view<const int, 1> three(numbers.data(), {3}, {1});
  const strided_view<const int, 1> two(numbers.data(), {2}, {1});
  expect_error<usmx::value_error>([&] { for_each([](int, int) {}, three, two); }, {"(3,)", "(2,)"});
}

}  // namespace
