#include "usmx/compute/fft.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/operators.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"
#include "vendors/product.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::fft::norm;
using complex = std::complex<double>;
using extents = std::vector<std::ptrdiff_t>;

class fft_test : public support::device_test {
 protected:
  void SetUp() override {
    support::device_test::SetUp();
    if (!IsSkipped() && !usmx::internal::find_host_library().is_found) {
      GTEST_SKIP() << "oneMKL is not installed";
    }
  }

  template <class T>
  std::vector<T> some(std::size_t count) {
    std::normal_distribution<double> number;
    std::vector<T> values(count);
    for (T& each : values) {
      if constexpr (std::is_same_v<T, complex>) {
        each = {number(random_), number(random_)};
      } else {
        each = number(random_);
      }
    }
    return values;
  }

  static std::vector<complex> slow_transform(const std::vector<complex>& x) {
    std::vector<complex> made(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(j * k % x.size()) /
                             static_cast<double>(x.size());
        made[k] += x[j] * std::polar(1.0, angle);
      }
    }
    return made;
  }

  static void expect_near(const array& found, const array& expected) {
    ASSERT_EQ(extents(found.shape().begin(), found.shape().end()),
              extents(expected.shape().begin(), expected.shape().end()));
    EXPECT_EQ(found.type(), expected.type());
    EXPECT_LT(usmx::max(usmx::abs(found - expected)).item<double>(), 1e-11);
  }

  std::mt19937_64 random_{support::seed(5)};
};

TEST_F(fft_test, transforms_are_sums_of_products) {
  for (const std::size_t n : {1, 2, 12, 37, 64}) {
    const std::vector<complex> x = some<complex>(n);
    expect_near(usmx::fft::fft(usmx::from_host(queue(), x)),
                usmx::from_host(queue(), slow_transform(x)));
    const std::vector<double> real = some<double>(n);
    std::vector<complex> half = slow_transform({real.begin(), real.end()});
    half.resize(n / 2 + 1);
    expect_near(usmx::fft::rfft(usmx::from_host(queue(), real)), usmx::from_host(queue(), half));
  }
}

TEST_F(fft_test, inverses_invert_along_each_axis_with_each_divisor) {
  const array x = usmx::from_host(queue(), some<complex>(60)).reshaped({3, 4, 5});
  const array real = usmx::from_host(queue(), some<double>(60)).reshaped({3, 4, 5});
  for (const norm each : {norm::backward, norm::ortho, norm::forward}) {
    for (const std::ptrdiff_t axis : {0, 1, -1}) {
      expect_near(usmx::fft::ifft(usmx::fft::fft(x, {.axis = axis, .norm = each}),
                                  {.axis = axis, .norm = each}),
                  x);
      const array half = usmx::fft::rfft(real, {.axis = axis, .norm = each});
      const std::ptrdiff_t n = real.shape()[axis < 0 ? 2 : static_cast<std::size_t>(axis)];
      expect_near(usmx::fft::irfft(half, {.n = n, .axis = axis, .norm = each}), real);
      expect_near(usmx::fft::hfft(usmx::fft::ihfft(real, {.axis = axis, .norm = each}),
                                  {.n = n, .axis = axis, .norm = each}),
                  real);
    }
    expect_near(usmx::fft::ifftn(usmx::fft::fftn(x, {.norm = each}), {.norm = each}), x);
    expect_near(usmx::fft::irfftn(usmx::fft::rfftn(real, {.axes = extents{2, 0}, .norm = each}),
                                  {.s = extents{5, 3}, .axes = extents{2, 0}, .norm = each}),
                real);
  }
}

TEST_F(fft_test, transforms_of_several_axes_are_those_of_one_after_the_other) {
  const array x = usmx::from_host(queue(), some<complex>(24)).reshaped({2, 3, 4});
  const array transposed = x.transposed();
  array expected = transposed;
  for (const std::ptrdiff_t axis : {0, 1, 2}) {
    expected = usmx::fft::fft(expected, {.axis = axis});
  }
  expect_near(usmx::fft::fftn(transposed), expected);
  expect_near(usmx::fft::fftn(x, {.axes = extents{1, 1}}),
              usmx::fft::fft(usmx::fft::fft(x, {.axis = 1}), {.axis = 1}));
  expect_near(usmx::fft::fftn(x, {.axes = extents{}}), x);
}

TEST_F(fft_test, elements_are_left_out_or_count_as_zero) {
  const array x = usmx::from_host(queue(), std::vector<double>{1, 2, 3});
  expect_near(usmx::fft::fft(x, {.n = 2}), usmx::from_host(queue(), std::vector<complex>{3, -1}));
  expect_near(usmx::fft::fft(x, {.n = 4}),
              usmx::fft::fft(usmx::from_host(queue(), std::vector<complex>{1, 2, 3, 0})));
}

TEST_F(fft_test, integers_and_single_precision_have_their_types) {
  const array x = usmx::from_host(queue(), std::vector<int>{1, 2, 3});
  EXPECT_EQ(usmx::fft::fft(x).type(), usmx::complex128);
  EXPECT_EQ(usmx::fft::rfft(usmx::astype(x, usmx::float16)).type(), usmx::complex64);
  EXPECT_EQ(usmx::fft::irfft(usmx::astype(x, usmx::float32)).type(), usmx::float32);
  EXPECT_EQ(usmx::fft::fft(usmx::zeros({0, 3}, usmx::float32, queue())).size(), 0);
}

TEST_F(fft_test, frequencies_are_multiples_of_the_lowest_one) {
  EXPECT_EQ(usmx::to_vector<double>(usmx::fft::fftfreq(5, 0.5, queue())),
            (std::vector<double>{0, 0.4, 0.8, -0.8, -0.4}));
  EXPECT_EQ(usmx::to_vector<double>(usmx::fft::rfftfreq(4, 0.25, queue())),
            (std::vector<double>{0, 1, 2}));
}

TEST_F(fft_test, shifts_move_the_first_element_to_the_middle) {
  const array x = usmx::from_host(queue(), std::vector<int>{0, 1, 2, 3, 4, 5}).reshaped({2, 3});
  EXPECT_EQ(usmx::to_vector<int>(usmx::fft::fftshift(x)), (std::vector<int>{5, 3, 4, 2, 0, 1}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::fft::fftshift(x, extents{0})),
            (std::vector<int>{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::fft::ifftshift(usmx::fft::fftshift(x))),
            usmx::to_vector<int>(x));
}

TEST_F(fft_test, wrong_argument_is_an_error_with_values) {
  const array x = usmx::full({2, 3}, 1.0, queue());
  expect_error<usmx::value_error>([&] { usmx::fft::fft(x, {.n = 0}); }, {"fft.fft", "found 0"});
  expect_error<usmx::value_error>(
      [&] { usmx::fft::irfft(x.slice(usmx::range(), usmx::range(0, 1))); }, {"irfft", "found 0"});
  expect_error<usmx::axis_error>([&] { usmx::fft::fft(x, {.axis = 2}); }, {"axis 2"});
  expect_error<usmx::type_error>([&] { usmx::fft::rfft(usmx::fft::fft(x)); },
                                 {"expected real numbers", "complex128"});
  expect_error<usmx::value_error>(
      [&] { usmx::fft::fftn(x, {.s = extents{2}, .axes = extents{0, 1}}); }, {"same length"});
  expect_error<usmx::value_error>([&] { usmx::fft::rfftn(x, {.axes = extents{}}); },
                                  {"at least 1 axis"});
  expect_error<usmx::value_error>([&] { usmx::fft::fft(x, {.norm = static_cast<norm>(9)}); },
                                  {"norm must be backward", "found 9"});
  expect_error<usmx::value_error>([&] { usmx::fft::fftfreq(0, 1, queue()); }, {"found 0"});
}

}  // namespace
