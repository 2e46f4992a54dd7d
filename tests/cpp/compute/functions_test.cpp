#include "usmx/compute/functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::kernel_argument;

using doubles = std::vector<double>;

class functions_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
  static doubles values(const array& a) { return usmx::to_vector<double>(a); }
};

TEST_F(functions_test, arrays_and_numbers_are_operands) {
  const array x = of<float>({1, 2, 3});
  EXPECT_EQ(values(usmx::add(x, x)), (doubles{2, 4, 6}));
  EXPECT_EQ(values(usmx::subtract(1, x)), (doubles{0, -1, -2}));
  EXPECT_EQ(usmx::add(x, 0.5).type(), usmx::float32);
  EXPECT_EQ(values(usmx::where(usmx::greater(x, 1), x, 0)), (doubles{0, 2, 3}));
  EXPECT_EQ(values(usmx::clip(x, 2, 2.5)), (doubles{2, 2, 2.5}));
}

TEST_F(functions_test, integers_wrap_and_division_by_zero_is_zero) {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  const array x = of<std::int32_t>({most, -7, 5});
  EXPECT_EQ(values(usmx::add(x, 1))[0], std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(values(usmx::floor_divide(x, 2))[1], -4);
  EXPECT_EQ(values(usmx::floor_divide(x, 0)), (doubles{0, 0, 0}));
  EXPECT_EQ(values(usmx::equal(x, 5)), (doubles{0, 0, 1}));
}

TEST_F(functions_test, each_class_of_types_has_its_expression) {
  EXPECT_EQ(values(usmx::add(of<std::uint8_t>({255}), 1)), doubles{0});
  EXPECT_EQ(values(usmx::bitwise_invert(of<std::uint8_t>({1}))), doubles{254});
  const array z = of<std::complex<float>>({{3, 4}});
  EXPECT_EQ(usmx::to_vector<std::complex<float>>(usmx::conj(z))[0], std::complex<float>(3, -4));
  EXPECT_NEAR(values(usmx::exp(of<double>({1})))[0], std::exp(1.0), 1e-15);
}

TEST_F(functions_test, reductions_go_along_axes) {
  const array x = of<float>({4, 1, 3});
  EXPECT_EQ(values(usmx::sum(x)), doubles{8});
  EXPECT_EQ(values(usmx::argmax(x)), doubles{0});
  EXPECT_EQ(usmx::argmax(x).type(), usmx::int64);
  EXPECT_EQ(usmx::sum(of<std::int8_t>({100, 100})).type(), usmx::int64);
  EXPECT_EQ(values(usmx::sum(of<std::int8_t>({100, 100}))), doubles{200});
  const array rows = usmx::sum(x.reshaped({1, 3}), {.axes = 1, .are_kept = true});
  EXPECT_EQ(rows.ndim(), 2);
  EXPECT_FLOAT_EQ(static_cast<float>(values(usmx::mean(x))[0]), 8.0F / 3);
}

TEST_F(functions_test, means_of_integers_are_real_numbers) {
  for (const array& x : {of<std::int32_t>({1, 2, 4, -3}), of<std::uint8_t>({0, 1, 3, 0})}) {
    const array mean = usmx::mean(x);
    EXPECT_TRUE(mean.type() == usmx::float64 || mean.type() == usmx::float32);
    EXPECT_EQ(values(mean), doubles{1});
  }
  const array y = of<std::int64_t>({1, 2, 3, 5}).reshaped({2, 2});
  EXPECT_EQ(values(usmx::mean(y, 1)), (doubles{1.5, 4}));
}

TEST_F(functions_test, axes_are_a_number_or_a_list) {
  const array x = of<double>({1, 2, 3, 4, 5, 6}).reshaped({1, 2, 3});
  const array sums = usmx::sum(x, {.axes = {1}});
  EXPECT_EQ(values(sums), (doubles{5, 7, 9}));
  for (const array& same : {usmx::sum(x, 1), usmx::sum(x, {1}), usmx::sum(x, -2),
                            usmx::sum(x, {.axes = 1}), usmx::sum(x, {.axes = {{1}}}),
                            usmx::sum(x, std::vector<int>{1}), usmx::reduce("sum", x, 1)}) {
    EXPECT_EQ(same.layout(), sums.layout());
    EXPECT_EQ(values(same), values(sums));
  }
  EXPECT_EQ(values(usmx::sum(x, {0, 1})), (doubles{5, 7, 9}));
  EXPECT_EQ(values(usmx::max(x, {.axes = {{1, 2}}})), (doubles{6}));
  EXPECT_EQ(values(usmx::sum(x, {})), (doubles{21}));
  EXPECT_EQ(values(usmx::sum(x, {.axes = std::nullopt})), (doubles{21}));
  EXPECT_EQ(values(usmx::sum(x, std::vector<std::ptrdiff_t>())), values(x));
  expect_error<usmx::axis_error>([&] { usmx::sum(x, 3); }, {"axis 3 is out of bounds"});
  expect_error<usmx::value_error>([&] { usmx::sum(x, {1, -2}); }, {"axis twice"});
  expect_error<usmx::overflow_error>([&] { usmx::sum(x, std::uint64_t{1} << 63); },
                                     {"axis 9223372036854775808 does not fit"});
}

TEST_F(functions_test, sums_of_numbers_of_one_sign_keep_their_digits) {
  constexpr std::size_t count = 1 << 20;
  const auto units_off = [](double found, double exact, double unit) {
    return std::abs(found / exact - 1) / unit;
  };
  const array single = of(std::vector<float>(count, 0.1F));
  EXPECT_LE(units_off(values(usmx::sum(single))[0], count * double{0.1F}, 0x1p-24), 2);
  EXPECT_EQ(values(usmx::mean(single)), doubles{double{0.1F}});
  const array wide = of(doubles(count, 0.1));
  EXPECT_LE(units_off(values(usmx::sum(wide))[0], count * 0.1, 0x1p-53), 2);
  EXPECT_EQ(values(usmx::mean(wide)), doubles{0.1});
  const array numbers = of(std::vector<std::complex<float>>(count, {0.1F, 0.3F}));
  EXPECT_EQ(usmx::to_vector<std::complex<float>>(usmx::mean(numbers))[0],
            std::complex<float>(0.1F, 0.3F));
}

TEST_F(functions_test, reductions_compute_in_the_type_that_is_asked_for) {
  const array x = of<int>({1, 2, 4}).reshaped({1, 3});
  const array sum = usmx::sum(x, {.axes = 1}, {.type = usmx::float32});
  EXPECT_EQ(sum.type(), usmx::float32);
  EXPECT_EQ(usmx::to_vector<float>(sum), std::vector<float>{7});
  EXPECT_EQ(usmx::mean(x, {}, {.type = usmx::float32}).item<float>(), 7 / 3.0F);
  EXPECT_EQ(usmx::prod(x, {}, {.type = usmx::int8}).item<std::int8_t>(), 8);
  EXPECT_EQ(usmx::max(x, {}, {.type = usmx::int32}).item<int>(), 4);
  const array truths = usmx::astype(x, usmx::bool_);
  EXPECT_TRUE(usmx::sum(truths, {}, {.type = usmx::bool_}).item<bool>());
  EXPECT_EQ(usmx::sum(truths, {}, {.type = usmx::uint8}).item<std::uint8_t>(), 3);
  expect_error<usmx::type_error>([&] { usmx::max(x, {}, {.type = usmx::float32}); },
                                 {"max", "int32", "float32"});
  const array fractions = of<float>({1.5F, 2});
  EXPECT_EQ(usmx::sum(fractions, {}, {.type = usmx::float64}).type(), usmx::float64);
  expect_error<usmx::type_error>([&] { usmx::sum(fractions, {}, {.type = usmx::int32}); },
                                 {"sum", "float32", "int32"});
}

TEST_F(functions_test, deviations_are_from_the_mean) {
  const array x = of<double>({1, 2, 3, 4, 5, 9}).reshaped({2, 3});
  EXPECT_EQ(values(usmx::var(x)), doubles{40.0 / 6});
  EXPECT_EQ(values(usmx::var(x, 1)), (doubles{2.0 / 3, 14.0 / 3}));
  EXPECT_EQ(values(usmx::var(x, 1, {.correction = 1})), (doubles{1, 7}));
  EXPECT_EQ(values(usmx::std(x, {0, 1})), doubles{std::sqrt(40.0 / 6)});
  const array kept = usmx::std(x, {.axes = 0, .are_kept = true});
  EXPECT_EQ(kept.ndim(), 2);
  EXPECT_EQ(values(kept), (doubles{1.5, 1.5, 3}));
  EXPECT_EQ(values(usmx::reduce("std", x, 0)), (doubles{1.5, 1.5, 3}));
  EXPECT_TRUE(std::isnan(values(usmx::var(x.slice(usmx::range(1)), 0, {.correction = 1}))[0]));
  EXPECT_TRUE(std::isnan(values(usmx::std(x.slice(usmx::range(0, 0)), 0))[0]));
  expect_error<usmx::axis_error>([&] { usmx::var(x, 2); }, {"axis 2 is out of bounds"});
}

TEST_F(functions_test, deviations_are_real_numbers) {
  EXPECT_EQ(usmx::var(of<float>({1, 2})).type(), usmx::float32);
  EXPECT_EQ(usmx::std(of<std::int8_t>({1, 3})).item<double>(), 1);
  const array z = of<std::complex<float>>({{3, 4}, {-3, -4}});
  EXPECT_EQ(usmx::var(z).type(), usmx::float32);
  EXPECT_EQ(usmx::var(z).item<float>(), 25);
  const array half = usmx::astype(of<float>({1, 3}), usmx::float16);
  EXPECT_EQ(usmx::std(half).type(), usmx::float16);
  EXPECT_EQ(values(usmx::std(half)), doubles{1});
  const array x = of<float>({1, 2, 4});
  EXPECT_EQ(usmx::var(x, {}, {.call = {.type = usmx::float64}}).type(), usmx::float64);
  expect_error<usmx::type_error>([&] { usmx::var(x, {}, {.call = {.type = usmx::complex64}}); },
                                 {"var of elements of type float32 cannot be of type complex64"});
  expect_error<usmx::type_error>([&] { usmx::var(x, {}, {.call = {.type = usmx::int32}}); },
                                 {"var", "float32", "int32"});
}

TEST_F(functions_test, deviations_are_as_wide_as_their_output) {
  const array x = of<float>({0.1F, 0.2F, 0.4F});
  const array exact = usmx::var(x, {}, {.call = {.type = usmx::float64}});
  const array wide = usmx::zeros({}, usmx::complex128, queue());
  usmx::var(x, {}, {.call = {.outputs = {wide}}});
  EXPECT_EQ(usmx::to_vector<std::complex<double>>(wide)[0].real(), exact.item<double>());
  const array narrow = usmx::zeros({}, usmx::float16, queue());
  EXPECT_EQ(usmx::var(x, {}, {.call = {.outputs = {narrow}}}).owner(), narrow.owner());
  const array whole = usmx::zeros({}, usmx::int32, queue());
  expect_error<usmx::type_error>([&] { usmx::var(x, {}, {.call = {.outputs = {whole}}}); },
                                 {"var: a result of type float32 cannot be written"});
  expect_error<usmx::value_error>([&] { usmx::var(x, {}, {.call = {.outputs = {x}}}); },
                                  {"var: out must have shape (), found (3,)"});
}

/// Reductions of a type by kernels, and by the host where it has loops for them.
template <class T>
void expect_bits_of_kernels(std::string_view name, const array& x,
                            const usmx::reduction_axes& axes) {
  const sycl::queue queue = x.queue();
  const array here = usmx::reduce(name, x, axes);
  const array there = usmx::reduce(name, x, axes, {.queue = &queue});
  ASSERT_EQ(here.layout(), there.layout());
  EXPECT_EQ(usmx::to_vector<T>(here), usmx::to_vector<T>(there)) << name;
}

TEST_F(functions_test, the_host_reduces_to_the_bits_of_kernels) {
  std::vector<float> numbers(3 * 70);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = static_cast<float>(std::sin(static_cast<double>(k) * 1.7) * 1e3);
  }
  const array x = of(numbers).reshaped({3, 70});
  for (const std::string_view name : {"sum", "max", "mean", "var", "std"}) {
    expect_bits_of_kernels<float>(name, x, {.axes = 1});
    expect_bits_of_kernels<float>(name, x.transposed(), {.axes = 1, .are_kept = true});
  }
  expect_bits_of_kernels<double>("std", usmx::astype(x, usmx::int16), {});
}

TEST_F(functions_test, integers_have_no_negative_integer_powers) {
  const array x = of<int>({1, 2});
  expect_error<usmx::value_error>([&] { usmx::pow(x, -1); }, {"negative integer powers", "int32"});
  EXPECT_EQ(usmx::to_vector<double>(usmx::pow(x, -1.0)), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(usmx::to_vector<int>(usmx::pow(x, 2)), (std::vector<int>{1, 4}));
}

TEST_F(functions_test, outputs_of_the_options_are_written) {
  const array x = of<float>({1, 2});
  const array out = usmx::empty({2}, usmx::float32, queue());
  EXPECT_EQ(usmx::add(x, 1, {.outputs = {out}}).owner(), out.owner());
  EXPECT_EQ(values(out), (doubles{2, 3}));
}

TEST_F(functions_test, types_are_promoted_as_in_python) {
  const array x = of<std::int32_t>({1, 4});
  EXPECT_EQ(usmx::sqrt(x).type(), usmx::float64);
  EXPECT_EQ(values(usmx::sqrt(x)), (doubles{1, 2}));
  const array mixed = usmx::add(x, of<float>({0.5F, 1.5F}));
  EXPECT_EQ(mixed.type(), usmx::float64);
  EXPECT_EQ(values(mixed), (doubles{1.5, 5.5}));
  EXPECT_EQ(usmx::add(x, 0.5).type(), usmx::float64);
  EXPECT_EQ(values(usmx::add(x, 0.5)), (doubles{1.5, 4.5}));
  EXPECT_EQ(usmx::add(of<std::int8_t>({1}), of<std::uint8_t>({255})).type(), usmx::int16);
  EXPECT_EQ(usmx::multiply(usmx::greater(x, 1), 2).type(), usmx::int64);
  EXPECT_EQ(usmx::abs(of<std::complex<float>>({{3, 4}})).type(), usmx::float32);
  EXPECT_EQ(values(usmx::abs(of<std::complex<float>>({{3, 4}}))), doubles{5});
}

TEST_F(functions_test, only_the_truth_of_numbers_counts_for_logic) {
  const array x = of<std::int8_t>({0, 2});
  EXPECT_EQ(values(usmx::logical_and(x, 1e-60)), (doubles{0, 1}));
  EXPECT_EQ(values(usmx::logical_or(300, x)), (doubles{1, 1}));
  EXPECT_EQ(usmx::logical_xor(of<float>({1}), 1e300).type(), usmx::bool_);
}

TEST_F(functions_test, integers_are_compared_exactly) {
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(values(usmx::equal(of<std::int64_t>({large}), of<std::uint64_t>({large - 1}))),
            doubles{0});
  EXPECT_EQ(values(usmx::less(of<std::int8_t>({-1, 127}), 300)), (doubles{1, 1}));
  EXPECT_EQ(values(usmx::greater(std::uint64_t{1} << 63, of<std::int64_t>({-1}))), doubles{1});
}

TEST_F(functions_test, numbers_that_are_too_large_are_infinite) {
  const array x = of<float>({1});
  EXPECT_EQ(values(usmx::add(x, 1e300)), doubles{std::numeric_limits<double>::infinity()});
  EXPECT_EQ(values(usmx::less(x, 1e300)), doubles{1});
}

TEST_F(functions_test, results_are_converted_to_outputs) {
  const array x = of<float>({1.5F, 2});
  const array wide = usmx::empty({2}, usmx::complex128, queue());
  usmx::add(x, 1, {.outputs = {wide}});
  EXPECT_EQ(usmx::to_vector<std::complex<double>>(wide)[0], std::complex<double>(2.5, 0));
  const array whole = usmx::empty({2}, usmx::int32, queue());
  expect_error<usmx::type_error>(
      [&] { usmx::add(x, 1, {.outputs = {whole}}); },
      {"add: a result of type float32 cannot be written to an array of type int32"});
}

TEST_F(functions_test, what_is_not_defined_is_an_error) {
  const array x = of<std::int32_t>({1});
  expect_error<usmx::type_error>([&] { usmx::floor(of<std::complex<float>>({{1, 2}})); },
                                 {"floor is not defined for elements of type complex64"});
  expect_error<usmx::type_error>([&] { usmx::add(1, 2); }, {"add: expected an array among"});
  expect_error<usmx::type_error>([&] { usmx::compute("add", {x}); }, {"add takes 2 operands"});
  expect_error<usmx::type_error>([&] { usmx::compute("add", {x, static_cast<int*>(nullptr)}); },
                                 {"add: expected arrays and numbers"});
  expect_error<usmx::value_error>([&] { usmx::add(of<std::int8_t>({1}), 300); },
                                  {"add: the integer 300 is out of bounds for int8"});
  const kernel_argument operands[] = {x};
  expect_error<usmx::value_error>([&] { usmx::compute("median", operands); },
                                  {"usmx has no function 'median'"});
  expect_error<usmx::value_error>([&] { usmx::reduce("median", x); }, {"no function 'median'"});
}

}  // namespace
