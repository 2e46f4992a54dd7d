#include "usmx/compute/searching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::expect_error;
using usmx::array;
using integers = std::vector<std::int64_t>;
using bools = std::vector<bool>;

class searching_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
  static integers integers_of(const array& a) { return usmx::to_vector<std::int64_t>(a); }
  static integers bits_of(const array& a) { return integers_of(usmx::astype(a, usmx::int64)); }

  /// Compares all that is found with what the standard library finds among few different values.
  template <class T>
  static void expect_different_elements(std::ptrdiff_t count) {
    std::mt19937_64 random(support::seed(3));
    std::uniform_int_distribution<int> some(0, 20);
    std::vector<T> values(static_cast<std::size_t>(count));
    std::ranges::generate(values, [&] { return static_cast<T>(some(random)); });
    std::vector<T> different = values;
    std::ranges::sort(different);
    different.erase(std::unique(different.begin(), different.end()), different.end());
    integers indices;
    integers counts;
    for (const T each : different) {
      indices.push_back(std::ranges::find(values, each) - values.begin());
      counts.push_back(std::ranges::count(values, each));
    }
    integers inverse;
    for (const T each : values) {
      inverse.push_back(std::ranges::find(different, each) - different.begin());
    }
    const array x = of(values);
    const usmx::unique_all_result all = usmx::unique_all(x);
    EXPECT_EQ(usmx::to_vector<T>(all.values), different) << count;
    EXPECT_EQ(integers_of(all.indices), indices) << count;
    EXPECT_EQ(integers_of(all.inverse_indices), inverse) << count;
    EXPECT_EQ(integers_of(all.counts), counts) << count;
    EXPECT_EQ(usmx::to_vector<T>(usmx::unique_values(x)), different) << count;
    EXPECT_EQ(integers_of(usmx::unique_counts(x).counts), counts) << count;
    EXPECT_EQ(integers_of(usmx::unique_inverse(x).inverse_indices), inverse) << count;
  }
};

TEST_F(searching_test, different_elements_are_found_among_few_and_many) {
  for (const std::ptrdiff_t count : {1, 2, 300, 5000}) {  // the host's, and 5,000 for kernels
    expect_different_elements<double>(count);
  }
  expect_different_elements<std::int32_t>(300);
  expect_different_elements<std::uint8_t>(40000);
}

TEST_F(searching_test, different_elements_of_a_view_have_its_shape) {
  const array x = of<int>({3, 1, 3, 2, 1, 3}).reshaped({2, 3}).transposed();
  const usmx::unique_inverse_result found = usmx::unique_inverse(x);
  EXPECT_EQ(usmx::to_vector<int>(found.values), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(found.inverse_indices.shape()[0], 3);
  EXPECT_EQ(integers_of(found.inverse_indices), (integers{2, 1, 0, 0, 2, 2}));
  const usmx::unique_all_result none =
      usmx::unique_all(usmx::empty({0, 2}, usmx::float32, queue()));
  EXPECT_EQ(none.values.size() + none.indices.size() + none.counts.size(), 0);
  EXPECT_EQ(none.inverse_indices.shape()[1], 2);
}

TEST_F(searching_test, each_nan_is_a_value_of_its_own) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(usmx::unique_values(of<float>({nan, 1, nan, 1})).size(), 3);
  const usmx::unique_counts_result complexes =
      usmx::unique_counts(of<std::complex<float>>({{1, 2}, {0, 1}, {1, 2}}));
  EXPECT_EQ(integers_of(complexes.counts), (integers{1, 2}));
}

TEST_F(searching_test, values_are_searched_on_either_side) {
  const array x = of<int>({1, 3, 3, 5});
  const array values = of<float>({0, 3, 3.5F, 9});
  EXPECT_EQ(integers_of(usmx::searchsorted(x, values)), (integers{0, 1, 3, 4}));
  const usmx::search_options right{.side = usmx::search_side::right};
  EXPECT_EQ(integers_of(usmx::searchsorted(x, values, right)), (integers{0, 3, 3, 4}));
  const array place = usmx::searchsorted(x, 3.5);
  EXPECT_EQ(place.ndim(), 0);
  EXPECT_EQ(integers_of(place), integers{3});
  const array matrix = values.reshaped({2, 2}).transposed();
  EXPECT_EQ(integers_of(usmx::searchsorted(x, matrix)), (integers{0, 3, 1, 4}));
}

TEST_F(searching_test, side_that_there_is_not_is_an_error) {
  const array x = of<int>({1, 3, 3, 5});
  const usmx::search_options neither{.side = static_cast<usmx::search_side>(9)};
  support::expect_error<usmx::value_error>([&] { (void)usmx::searchsorted(x, 3, neither); },
                                           {"searchsorted", "found 9"});
}

TEST_F(searching_test, integers_of_any_types_are_compared_exactly) {
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const array x = of<std::uint64_t>({0, top - 1, top});
  EXPECT_EQ(integers_of(usmx::searchsorted(x, of<std::int64_t>({-1, 0, 1}))), (integers{0, 0, 1}));
  EXPECT_EQ(integers_of(usmx::searchsorted(of<std::int8_t>({-1, 1}), top)), integers{2});
  EXPECT_EQ(bits_of(usmx::isin(of<std::int64_t>({-1, 0}), x)), (integers{0, 1}));
}

TEST_F(searching_test, a_sorter_sorts_and_is_checked) {
  const array x = of<int>({5, 1, 3});
  const auto by = [](const array& sorter) { return usmx::search_options{.sorter = sorter}; };
  EXPECT_EQ(integers_of(usmx::searchsorted(x, 4, by(of<int>({1, 2, -3})))), integers{2});
  expect_error<usmx::index_error>([&] { (void)usmx::searchsorted(x, 4, by(of<int>({1, 2, 3}))); },
                                  {"index 3", "size 3"});
  expect_error<usmx::type_error>([&] { (void)usmx::searchsorted(x, 4, by(of<float>({1, 2, 0}))); },
                                 {"integers", "float32"});
  expect_error<usmx::value_error>([&] { (void)usmx::searchsorted(x, 4, by(of<int>({1, 2}))); },
                                  {"(3,)", "(2,)"});
  expect_error<usmx::value_error>([&] { (void)usmx::searchsorted(x.reshaped({1, 3}), 4); },
                                  {"1 dimension", "2"});
}

TEST_F(searching_test, elements_are_looked_up) {
  const array x = of<int>({1, 2, 3});
  EXPECT_EQ(bits_of(usmx::isin(x, of<int>({3, 1}))), (integers{1, 0, 1}));
  EXPECT_EQ(bits_of(usmx::isin(x, of<double>({3, 1.5}), {.invert = true})), (integers{1, 1, 0}));
  EXPECT_EQ(bits_of(usmx::isin(2, x)), integers{1});
  EXPECT_EQ(bits_of(usmx::isin(x, of<int>({}))), (integers{0, 0, 0}));
}

TEST_F(searching_test, elements_at_indices_are_taken) {
  const array x = of<int>({0, 1, 2, 3, 4, 5}).reshaped({2, 3});
  EXPECT_EQ(usmx::to_vector<int>(usmx::take(x, of<int>({-1, 0}))), (std::vector<int>{5, 0}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::take(x, of<int>({2, 0}), 1)),
            (std::vector<int>{2, 0, 5, 3}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::take(x.transposed(), of<int>({1}))), std::vector<int>{3});
  const array scalar = of<int>({1}).reshaped(std::vector<std::ptrdiff_t>{});
  const array row = usmx::take(x, scalar, 0);
  EXPECT_EQ(usmx::to_vector<int>(row), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(row.ndim(), 1);
  EXPECT_EQ(usmx::to_vector<int>(usmx::take(x, usmx::astype(of<int>({0, 1}), usmx::bool_), -1)),
            (std::vector<int>{0, 1, 3, 4}));
  expect_error<usmx::index_error>([&] { (void)usmx::take(x, of<int>({2}), 0); }, {"2"});
  expect_error<usmx::index_error>([&] { (void)usmx::take(x, of<float>({1})); }, {"float32"});
  expect_error<usmx::axis_error>([&] { (void)usmx::take(x, of<int>({0}), 2); }, {"axis 2"});
}

TEST_F(searching_test, what_is_not_zero_has_places) {
  const array x = of<int>({0, 7, 0, 0, 0, 7}).reshaped({2, 3});
  EXPECT_EQ(integers_of(usmx::flatnonzero(x.transposed())), (integers{2, 5}));
  EXPECT_EQ(integers_of(usmx::argwhere(x)), (integers{0, 1, 1, 2}));
  const array one = of<int>({7}).reshaped(std::vector<std::ptrdiff_t>{});
  EXPECT_EQ(usmx::argwhere(one).shape()[0], 1);
  EXPECT_EQ(usmx::argwhere(one).shape()[1], 0);
}

TEST_F(searching_test, arrays_on_two_queues_are_an_error) {
  const array x = of<int>({1, 2});
  const sycl::queue other(queue().get_context(), queue().get_device());
  const array y = usmx::from_host(other, std::vector<int>{1});
  expect_error<usmx::placement_error>([&] { (void)usmx::searchsorted(x, y); }, {"searchsorted"});
  expect_error<usmx::placement_error>([&] { (void)usmx::isin(x, y); }, {"isin"});
  expect_error<usmx::placement_error>([&] { (void)usmx::take(x, y); }, {"take"});
}

}  // namespace
