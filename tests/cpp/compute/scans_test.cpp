#include "usmx/compute/scans.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
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
using doubles = std::vector<double>;
using integers = std::vector<std::int64_t>;

class scans_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
};

TEST_F(scans_test, sums_and_products_go_along_an_axis) {
  const array x = of<std::int32_t>({1, 2, 3, 4, 5, 6}).reshaped({2, 3});
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::cumulative_sum(x, {.axis = 1})),
            (integers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::cumulative_sum(x, {.axis = -2})),
            (integers{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(usmx::to_vector<std::int64_t>(usmx::cumulative_prod(x, {.axis = 0})),
            (integers{1, 2, 3, 4, 10, 18}));
}

TEST_F(scans_test, rows_of_every_length_and_layout_are_those_of_a_loop) {
  std::mt19937_64 random(support::seed(1));
  std::uniform_int_distribution<std::int64_t> any;  // sums wrap around
  for (const std::ptrdiff_t columns : {1, 7, 8, 9, 511, 513, 5000, 40000}) {
    integers values(static_cast<std::size_t>(2 * columns));
    for (std::int64_t& each : values) {
      each = any(random);
    }
    const array rows = of(values).reshaped({2, columns});
    for (const bool has_initial : {false, true}) {
      integers expected;
      for (std::ptrdiff_t row = 0; row < 2; ++row) {
        std::uint64_t sum = 0;
        if (has_initial) {
          expected.push_back(0);
        }
        for (std::ptrdiff_t k = columns; k-- > 0;) {
          sum += static_cast<std::uint64_t>(values[static_cast<std::size_t>(row * columns + k)]);
          expected.push_back(static_cast<std::int64_t>(sum));
        }
      }
      const array reversed = rows.slice(
          usmx::ellipsis, usmx::range(usmx::index_item::none, usmx::index_item::none, -1));
      EXPECT_EQ(usmx::to_vector<std::int64_t>(
                    usmx::cumulative_sum(reversed, {.axis = 1, .include_initial = has_initial})),
                expected)
          << columns;
    }
  }
}

TEST_F(scans_test, types_are_those_of_sums) {
  EXPECT_EQ(usmx::cumulative_sum(of<std::int8_t>({100, 100})).type(), usmx::int64);
  EXPECT_EQ(usmx::cumulative_sum(of<std::uint8_t>({1})).type(), usmx::uint64);
  EXPECT_EQ(usmx::cumulative_prod(of<float>({1})).type(), usmx::float32);
  EXPECT_EQ(usmx::cumulative_sum(of<float>({1}), {.type = usmx::float64}).type(), usmx::float64);
  const array z = of<std::complex<float>>({{0, 1}, {2, 3}});
  EXPECT_EQ(usmx::to_vector<std::complex<float>>(usmx::cumulative_prod(z))[1],
            std::complex<float>(-3, 2));
}

TEST_F(scans_test, an_output_makes_the_type_wider_and_takes_integers_that_wrap) {
  const array x = of<std::int32_t>({200, 100});
  const array real = usmx::empty({2}, usmx::float64, queue());
  EXPECT_EQ(usmx::cumulative_sum(x, {.out = real}).data(), real.data());
  EXPECT_EQ(usmx::to_vector<double>(real), (doubles{200, 300}));
  const array narrow = usmx::empty({2}, usmx::uint8, queue());
  usmx::cumulative_sum(x, {.out = narrow});
  EXPECT_EQ(usmx::to_vector<std::uint8_t>(narrow), (std::vector<std::uint8_t>{200, 44}));
}

TEST_F(scans_test, no_elements_have_the_result_of_nothing_alone) {
  const array none = usmx::empty({3, 0}, usmx::float32, queue());
  EXPECT_EQ(usmx::cumulative_sum(none, {.axis = 1}).size(), 0);
  EXPECT_EQ(
      usmx::to_vector<float>(usmx::cumulative_prod(none, {.axis = 1, .include_initial = true})),
      (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(usmx::cumulative_sum(none, {.axis = 0, .include_initial = true}).size(), 0);
}

TEST_F(scans_test, what_does_not_fit_is_an_error) {
  const array x = of<double>({1, 2, 3, 4}).reshaped({2, 2});
  expect_error<usmx::value_error>([&] { usmx::cumulative_sum(x); }, {"axis is needed"});
  expect_error<usmx::axis_error>([&] { usmx::cumulative_sum(x, {.axis = 2}); }, {"out of bounds"});
  expect_error<usmx::type_error>([&] { usmx::cumulative_sum(x, {.axis = 0, .type = usmx::int32}); },
                                 {"sum of elements of type float64 cannot be of type int32"});
  const array out = usmx::empty({2, 2}, usmx::int64, queue());
  expect_error<usmx::type_error>([&] { usmx::cumulative_sum(x, {.axis = 0, .out = out}); },
                                 {"cannot be written to an array of type int64"});
  const array longer = usmx::empty({2, 3}, usmx::float64, queue());
  expect_error<usmx::value_error>([&] { usmx::cumulative_sum(x, {.axis = 0, .out = longer}); },
                                  {"out must have shape (2, 2), found (2, 3)"});
  expect_error<usmx::read_only_error>(
      [&] { usmx::cumulative_sum(x, {.axis = 0, .out = x.as_readonly()}); }, {"read-only"});
}

}  // namespace
