#include "usmx/compute/sorting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
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
using integers = std::vector<std::int64_t>;

class sorting_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }

  /// Sorts few different values, so that many are equal, in each way that there is.
  template <class T>
  static void expect_stable_order(std::ptrdiff_t columns, bool descending) {
    std::mt19937_64 random(support::seed(2));
    std::uniform_int_distribution<int> some(0, 50);
    std::vector<T> values(static_cast<std::size_t>(columns));
    std::ranges::generate(values, [&] { return static_cast<T>(some(random) - 20); });
    integers places(values.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) {
      const T first = values[static_cast<std::size_t>(descending ? b : a)];
      const T second = values[static_cast<std::size_t>(descending ? a : b)];
      return first < second;
    });
    std::vector<T> expected;
    for (const std::int64_t each : places) {
      expected.push_back(values[static_cast<std::size_t>(each)]);
    }
    const array x = of(values);
    EXPECT_EQ(usmx::to_vector<T>(usmx::sort(x, {.descending = descending})), expected) << columns;
    EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::argsort(x, {.descending = descending})), places)
        << columns;
  }
};

TEST_F(sorting_test, rows_of_every_length_are_sorted_stably) {
  for (const std::ptrdiff_t columns : {1, 31, 33, 255, 4095, 4096, 5000, 70000}) {
    for (const bool descending : {false, true}) {
      expect_stable_order<double>(columns, descending);
    }
  }
  expect_stable_order<std::uint32_t>(300, false);
}

TEST_F(sorting_test, an_axis_or_all_elements_are_sorted) {
  const array x = of<int>({3, 1, 2, 0, 5, 4}).reshaped({2, 3});
  EXPECT_EQ(usmx::to_vector<int>(usmx::sort(x)), (std::vector<int>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::sort(x, {.axis = 0})), (std::vector<int>{0, 1, 2, 3, 5, 4}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::sort(x.transposed(), {.axis = std::nullopt})),
            (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::argsort(x.transposed(), {.axis = std::nullopt})),
            (integers{1, 2, 4, 0, 5, 3}));
}

TEST_F(sorting_test, nan_is_the_greatest_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const array x = of<double>({nan, 1, -1});
  const auto found = usmx::to_vector<double>(usmx::sort(x));
  EXPECT_EQ(found[0], -1);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_TRUE(std::isnan(usmx::to_vector<double>(usmx::sort(x, {.descending = true}))[0]));
}

TEST_F(sorting_test, complex_numbers_are_sorted_by_their_real_parts_first) {
  const array x = of<std::complex<float>>({{1, 2}, {0, 3}, {1, 1}});
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::argsort(x)), (integers{1, 2, 0}));
}

TEST_F(sorting_test, arrays_without_elements_or_dimensions_have_results) {
  EXPECT_EQ(usmx::sort(usmx::empty({2, 0}, usmx::float32, queue())).size(), 0);
  const array single = of<int>({7}).reshaped(std::vector<std::ptrdiff_t>{});
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::argsort(single)), integers{0});
  expect_error<usmx::axis_error>([&] { (void)usmx::sort(single); }, {"out of bounds"});
}

TEST_F(sorting_test, partitions_are_sorted_and_checked) {
  const array x = of<int>({3, 1, 2, 0, 5, 4}).reshaped({2, 3});
  EXPECT_EQ(usmx::to_vector<int>(usmx::partition(x, 1)), (std::vector<int>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::partition(x, {0, -1}, {.axis = std::nullopt})),
            (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::argpartition(x, 1, {.axis = 0})),
            (integers{1, 0, 0, 0, 1, 1}));
  const array single = of<int>({7}).reshaped(std::vector<std::ptrdiff_t>{});
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::argpartition(single, 0)), integers{0});
  EXPECT_EQ(usmx::partition(x.slice(usmx::range(0, 0)), 7).size(), 0);
  expect_error<usmx::value_error>(
      [&] { (void)usmx::partition(x, 3); },
      {"partition: kth must be within the 3 elements of the axis, found 3"});
  expect_error<usmx::value_error>([&] { (void)usmx::argpartition(x, {0, -3}, {.axis = 0}); },
                                  {"argpartition: kth must be within the 2 elements"});
  expect_error<usmx::axis_error>([&] { (void)usmx::partition(x, 0, {.axis = 2}); },
                                 {"axis 2 is out of bounds"});
}

}  // namespace
