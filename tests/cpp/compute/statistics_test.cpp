#include "usmx/compute/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::quantile_method;
using doubles = std::vector<double>;
using extents = std::vector<std::ptrdiff_t>;

class statistics_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
  static doubles values(const array& a) { return usmx::to_vector<double>(a); }
  static extents shape_of(const array& a) { return {a.shape().begin(), a.shape().end()}; }
};

TEST_F(statistics_test, medians_go_along_axes) {
  const array x = of<double>({5, 1, 3, 2, 8, 6}).reshaped({2, 3});
  EXPECT_EQ(values(usmx::median(x)), doubles{4});
  EXPECT_EQ(values(usmx::median(x, 1)), (doubles{3, 6}));
  EXPECT_EQ(values(usmx::median(x, {0, 1})), doubles{4});
  EXPECT_EQ(values(usmx::median(x.transposed(), 0)), (doubles{3, 6}));
  const array kept = usmx::median(x, {.axes = 0, .are_kept = true});
  EXPECT_EQ(shape_of(kept), (extents{1, 3}));
  EXPECT_EQ(values(kept), (doubles{3.5, 4.5, 4.5}));
  expect_error<usmx::axis_error>([&] { (void)usmx::median(x, 2); }, {"axis 2 is out of bounds"});
  expect_error<usmx::value_error>([&] { (void)usmx::median(x, {0, 0}); }, {"axis twice"});
}

TEST_F(statistics_test, medians_of_nan_and_of_nothing_are_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const array x = of<double>({1, nan, 3, 1, 2, 3}).reshaped({2, 3});
  const doubles found = values(usmx::median(x, 1));
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], 2);
  EXPECT_TRUE(std::isnan(values(usmx::median(x.slice(usmx::ellipsis, usmx::range(0, 0)), 1))[1]));
  EXPECT_EQ(usmx::median(of<std::int8_t>({100, 101})).item<double>(), 100.5);
  const double most = std::numeric_limits<double>::infinity();
  EXPECT_EQ(usmx::median(of<double>({most, most})).item<double>(), most);
  EXPECT_EQ(usmx::median(of<float>({1, 2})).type(), usmx::float32);
}

TEST_F(statistics_test, parts_are_the_first_axis_of_quantiles) {
  const array x = of<double>({1, 2, 3, 4, 5, 6, 7, 8}).reshaped({2, 4});
  EXPECT_EQ(values(usmx::quantile(x, 0.5)), doubles{4.5});
  EXPECT_EQ(usmx::quantile(x, 0.5).ndim(), 0);
  const array quarters = usmx::quantile(x, {0.25, 1.0}, 1);
  EXPECT_EQ(shape_of(quarters), (extents{2, 2}));
  EXPECT_EQ(values(quarters), (doubles{1.75, 5.75, 4, 8}));
  EXPECT_EQ(shape_of(usmx::quantile(x, {0.5}, {.axes = 0, .are_kept = true})), (extents{1, 1, 4}));
  EXPECT_EQ(values(usmx::percentile(x, {0, 75}, {0, 1})), (doubles{1, 6.25}));
  EXPECT_EQ(usmx::quantile(x, std::vector<double>(), 1).size(), 0);
  EXPECT_EQ(usmx::quantile(of<float>({1, 2}), 0.5).type(), usmx::float32);
}

TEST_F(statistics_test, each_method_has_its_quantiles) {
  const array x = of<double>({1, 2, 4, 8, 16});
  const std::pair<quantile_method, doubles> all[] = {
      // NumPy's, of 0.1, 0.3 and 0.6
      {quantile_method::linear, {1.4, 2.4, 5.6}},
      {quantile_method::lower, {1, 2, 4}},
      {quantile_method::higher, {2, 4, 8}},
      {quantile_method::midpoint, {1.5, 3, 6}},
      {quantile_method::nearest, {1, 2, 4}},
      {quantile_method::inverted_cdf, {1, 2, 4}},
      {quantile_method::averaged_inverted_cdf, {1, 2, 6}},
      {quantile_method::closest_observation, {1, 2, 4}},
      {quantile_method::interpolated_inverted_cdf, {1, 1.5, 4}},
      {quantile_method::hazen, {1, 2, 6}},
      {quantile_method::weibull, {1, 1.8, 6.4}},
      {quantile_method::median_unbiased, {1, 1 + 14 / 15.0, 4 + 4 * 8 / 15.0}},
      {quantile_method::normal_unbiased, {1, 1.95, 6.1}},
  };
  for (const auto& [method, expected] : all) {
    const doubles found = values(usmx::quantile(x, {0.1, 0.3, 0.6}, {}, method));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-12) << static_cast<int>(method) << ", part " << k;
    }
  }
  EXPECT_EQ(usmx::quantile(of<int>({3, 1}), 0.6, {}, quantile_method::higher).type(), usmx::int32);
}

TEST_F(statistics_test, quantiles_of_nan_are_nan_and_of_nothing_an_error) {
  const array x = of<double>({1, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(usmx::quantile(x, 0.0).item<double>()));
  expect_error<usmx::index_error>([&] { (void)usmx::quantile(x.slice(usmx::range(0, 0)), 0.5); },
                                  {"quantile: there are no elements"});
  expect_error<usmx::value_error>([&] { (void)usmx::quantile(x, 1.5); },
                                  {"quantile: parts must be from 0 to 1, found 1.5"});
  expect_error<usmx::value_error>([&] { (void)usmx::percentile(x, {10, -1}); },
                                  {"percentile: parts must be from 0 to 100, found -1"});
  expect_error<usmx::value_error>(
      [&] { (void)usmx::quantile(x, std::numeric_limits<double>::quiet_NaN()); },
      {"parts must be"});
  expect_error<usmx::value_error>(
      [&] { (void)usmx::quantile(x, 0.5, {}, static_cast<quantile_method>(99)); },
      {"quantile: the method must be one of quantile_method, found 99"});
}

TEST_F(statistics_test, nan_is_left_out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const array x = of<double>({1, nan, 4, nan, nan, nan}).reshaped({2, 3});
  EXPECT_EQ(values(usmx::nansum(x, {.axes = 1})), (doubles{5, 0}));
  EXPECT_EQ(values(usmx::nanprod(x, {.axes = 1})), (doubles{4, 1}));
  EXPECT_EQ(values(usmx::nanmax(x, {.axes = 1}))[0], 4);
  EXPECT_TRUE(std::isnan(values(usmx::nanmax(x, {.axes = 1}))[1]));
  EXPECT_EQ(usmx::nanmin(x).item<double>(), 1);
  EXPECT_EQ(usmx::nanargmax(x).item<std::int64_t>(), 2);
  EXPECT_EQ(usmx::nanargmin(x).item<std::int64_t>(), 0);
  EXPECT_EQ(values(usmx::nanmean(x, {.axes = 1}))[0], 2.5);
  EXPECT_TRUE(std::isnan(values(usmx::nanmean(x, {.axes = 1}))[1]));
  EXPECT_EQ(usmx::nanvar(x).item<double>(), 2.25);
  EXPECT_EQ(usmx::nanvar(x, {}, 1).item<double>(), 4.5);
  EXPECT_TRUE(std::isnan(usmx::nanstd(x, {}, 2).item<double>()));
  EXPECT_EQ(values(usmx::nanmedian(x, {.axes = 1}))[0], 2.5);
  EXPECT_TRUE(std::isnan(values(usmx::nanmedian(x, {.axes = 1}))[1]));
  EXPECT_EQ(values(usmx::nancumsum(x, 1)), (doubles{1, 1, 5, 0, 0, 0}));
  EXPECT_EQ(values(usmx::nancumprod(x, 1)), (doubles{1, 1, 4, 1, 1, 1}));
  EXPECT_EQ(usmx::nansum(of<std::int8_t>({100, 100})).item<std::int64_t>(), 200);
  EXPECT_EQ(usmx::nanmean(of<std::int8_t>({1, 2})).item<double>(), 1.5);
}

TEST_F(statistics_test, averages_have_weights) {
  const array x = of<double>({1, 2, 3, 4}).reshaped({2, 2});
  const usmx::average_result found = usmx::average(x, of<int>({3, 1}), {.axes = 1});
  EXPECT_EQ(values(found.average), (doubles{1.25, 3.25}));
  EXPECT_EQ(values(found.weights), (doubles{4, 4}));
  EXPECT_EQ(values(usmx::average(x, x.transposed()).average), doubles{2.9});
  expect_error<usmx::value_error>([&] { (void)usmx::average(x, of<double>({1})); },
                                  {"average: axes are needed"});
  expect_error<usmx::value_error>([&] { (void)usmx::average(x, of<double>({1}), {.axes = 0}); },
                                  {"average: weights must have shape (2,), found (1,)"});
  expect_error<usmx::value_error>([&] { (void)usmx::average(x, of<double>({1, -1}), {.axes = 0}); },
                                  {"sum up to 0"});
}

TEST_F(statistics_test, average_of_complex_numbers_has_their_precision) {
  const array x = usmx::astype(of<double>({1, 2}), usmx::complex64);
  const array weights = of<float>({3, 1});
  EXPECT_EQ(usmx::average(x, weights).average.type(), usmx::complex64);
  EXPECT_EQ(usmx::average(x, of<double>({3, 1})).average.type(), usmx::complex128);
  EXPECT_EQ(usmx::average(usmx::astype(x, usmx::complex128), weights).average.type(),
            usmx::complex128);
}

TEST_F(statistics_test, complex_numbers_have_no_quantiles) {
  const array x = usmx::astype(of<double>({1, 2}), usmx::complex128);
  expect_error<usmx::type_error>([&] { (void)usmx::quantile(x, 0.5); },
                                 {"quantile: the elements must be real numbers, found complex128"});
  expect_error<usmx::type_error>([&] { (void)usmx::percentile(x, 50.0); }, {"percentile"});
}

TEST_F(statistics_test, differences_are_of_neighbours) {
  const array x = of<std::int32_t>({1, 4, 9, 16});
  EXPECT_EQ(values(usmx::astype(usmx::diff(x), usmx::float64)), (doubles{3, 5, 7}));
  EXPECT_EQ(values(usmx::astype(usmx::diff(x, {.n = 2}), usmx::float64)), (doubles{2, 2}));
  EXPECT_EQ(usmx::diff(x, {.n = 9}).size(), 0);
  EXPECT_EQ(values(usmx::diff(of<double>({1}), {.prepend = of<double>({0.5}), .append = x})),
            (doubles{0.5, 0, 3, 5, 7}));
  EXPECT_EQ(usmx::diff(usmx::greater(x, 4)).type(), usmx::bool_);
  EXPECT_EQ(values(usmx::astype(usmx::ptp(x), usmx::float64)), doubles{15});
  expect_error<usmx::value_error>([&] { (void)usmx::diff(x, {.n = -1}); }, {"found -1"});
  expect_error<usmx::axis_error>([&] { (void)usmx::diff(x, {.axis = 1}); }, {"axis 1"});
}

}  // namespace
