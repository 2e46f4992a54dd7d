#include "compute/promotion.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <variant>
#include <vector>

#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using usmx::dtype;
using usmx::type_code;
using usmx::internal::operand_kind;

constexpr operand_kind weak_int{type_code::int64, true};
constexpr operand_kind weak_float{type_code::float64, true};
constexpr operand_kind weak_complex{type_code::complex128, true};

constexpr operand_kind strong(dtype type) { return {type.code(), false}; }

dtype common(std::initializer_list<operand_kind> kinds) {
  return usmx::internal::common_type(std::vector(kinds));
}

// tests/python/compute/test_promotion.py compares all pairs and triples with NumPy's.

TEST(promotion_test, types_of_one_kind_give_the_larger_one) {
  EXPECT_EQ(usmx::internal::promoted(usmx::int8, usmx::int32), usmx::int32);
  EXPECT_EQ(usmx::internal::promoted(usmx::float64, usmx::float16), usmx::float64);
  EXPECT_EQ(usmx::internal::promoted(usmx::bool_, usmx::bool_), usmx::bool_);
}

TEST(promotion_test, types_of_two_kinds_give_one_that_has_the_values_of_both) {
  EXPECT_EQ(usmx::internal::promoted(usmx::int8, usmx::uint8), usmx::int16);
  EXPECT_EQ(usmx::internal::promoted(usmx::uint64, usmx::int8), usmx::float64);
  EXPECT_EQ(usmx::internal::promoted(usmx::int32, usmx::float32), usmx::float64);
  EXPECT_EQ(usmx::internal::promoted(usmx::int16, usmx::float16), usmx::float32);
  EXPECT_EQ(usmx::internal::promoted(usmx::complex64, usmx::float64), usmx::complex128);
  EXPECT_EQ(usmx::internal::promoted(usmx::complex64, usmx::int32), usmx::complex128);
  EXPECT_EQ(usmx::internal::promoted(usmx::bool_, usmx::float16), usmx::float16);
}

TEST(promotion_test, numbers_take_the_type_of_arrays_of_their_kind) {
  EXPECT_EQ(common({strong(usmx::int8), weak_int}), usmx::int8);
  EXPECT_EQ(common({weak_float, strong(usmx::float16)}), usmx::float16);
  EXPECT_EQ(common({strong(usmx::float32), weak_int}), usmx::float32);
  EXPECT_EQ(common({strong(usmx::float32), weak_complex}), usmx::complex64);
}

TEST(promotion_test, numbers_of_a_higher_kind_give_its_default_type) {
  EXPECT_EQ(common({strong(usmx::bool_), weak_int}), usmx::int64);
  EXPECT_EQ(common({strong(usmx::int8), weak_float}), usmx::float64);
  EXPECT_EQ(common({strong(usmx::uint8), weak_complex}), usmx::complex128);
  EXPECT_EQ(common({weak_int, weak_float}), usmx::float64);
}

TEST(promotion_test, three_types_do_not_depend_on_their_order) {
  EXPECT_EQ(common({strong(usmx::int16), strong(usmx::uint16), strong(usmx::float32)}),
            usmx::float32);
  EXPECT_EQ(common({strong(usmx::float32), strong(usmx::int16), strong(usmx::uint16)}),
            usmx::float32);
  EXPECT_EQ(common({weak_float, strong(usmx::int8), strong(usmx::float32)}), usmx::float32);
}

TEST(promotion_test, casts_of_the_same_kind_lose_no_kind) {
  EXPECT_TRUE(usmx::internal::is_same_kind(usmx::float64, usmx::float16));
  EXPECT_TRUE(usmx::internal::is_same_kind(usmx::uint64, usmx::int8));
  EXPECT_TRUE(usmx::internal::is_same_kind(usmx::int64, usmx::float16));
  EXPECT_FALSE(usmx::internal::is_same_kind(usmx::int8, usmx::uint64));
  EXPECT_FALSE(usmx::internal::is_same_kind(usmx::float16, usmx::int64));
  EXPECT_FALSE(usmx::internal::is_same_kind(usmx::uint8, usmx::bool_));
}

TEST(promotion_test, parts_of_complex_numbers_are_real) {
  EXPECT_EQ(usmx::internal::real_part_type(usmx::complex64), usmx::float32);
  EXPECT_EQ(usmx::internal::real_part_type(usmx::complex128), usmx::float64);
  EXPECT_EQ(usmx::internal::real_part_type(usmx::int8), usmx::int8);
}

template <class T, class From>
T converted(From from, dtype type) {
  return std::get<T>(usmx::internal::converted_number("add", from, type));
}

TEST(promotion_test, numbers_become_elements) {
  EXPECT_EQ(converted<bool>(1e-60, usmx::bool_), true);
  EXPECT_EQ(converted<bool>(std::complex<double>(0, 2), usmx::bool_), true);
  EXPECT_EQ(converted<std::int64_t>(std::int64_t{-128}, usmx::int8), -128);
  EXPECT_EQ(converted<double>(std::int64_t{(1LL << 53) + 1}, usmx::float64), 0x1p53);
  EXPECT_EQ(converted<std::complex<double>>(2.5, usmx::complex64), std::complex<double>(2.5, 0));
}

TEST(promotion_test, numbers_that_are_too_large_become_infinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(converted<double>(1e300, usmx::float32), infinity);
  EXPECT_EQ(converted<double>(-1e300, usmx::float32), -infinity);
  EXPECT_EQ(converted<double>(65519.0, usmx::float16), 65519);
  EXPECT_EQ(converted<double>(-65520.0, usmx::float16), -infinity);
  EXPECT_EQ(converted<double>(1e300, usmx::float64), 1e300);
  EXPECT_EQ(converted<std::complex<double>>(std::complex<double>(1, -1e300), usmx::complex64),
            std::complex<double>(1, -infinity));
}

TEST(promotion_test, integers_that_the_type_lacks_are_refused) {
  expect_error<usmx::value_error>([] { converted<std::int64_t>(std::int64_t{300}, usmx::int8); },
                                  {"add: the integer 300 is out of bounds for int8"});
  expect_error<usmx::value_error>([] { converted<std::int64_t>(std::int64_t{-1}, usmx::uint64); },
                                  {"the integer -1 is out of bounds for uint64"});
}

TEST(promotion_test, values_that_a_type_lacks_are_known) {
  using usmx::internal::has_value;
  EXPECT_TRUE(has_value(usmx::int8, std::int64_t{-128}));
  EXPECT_FALSE(has_value(usmx::int8, std::int64_t{128}));
  EXPECT_TRUE(has_value(usmx::float32, 0.1));
  EXPECT_FALSE(has_value(usmx::float32, 1e300));
  EXPECT_TRUE(has_value(usmx::float32, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(has_value(usmx::complex64, std::complex<double>(1, 1e300)));
  EXPECT_FALSE(has_value(usmx::float16, std::int64_t{100000}));
}

TEST(promotion_test, numbers_of_a_higher_kind_are_refused) {
  expect_error<usmx::type_error>([] { converted<double>(0.5, usmx::int8); },
                                 {"add: expected an integer for int8"});
  expect_error<usmx::type_error>([] { converted<double>(std::complex<double>(1), usmx::float32); },
                                 {"add: expected a real number for float32"});
}

TEST(promotion_test, operands_are_arrays_and_numbers) {
  EXPECT_EQ(usmx::internal::operand(0.5F), weak_float);
  EXPECT_EQ(usmx::internal::operand(std::uint8_t{1}), weak_int);
  EXPECT_EQ(usmx::internal::operand(true), (operand_kind{type_code::bool_, true}));
  EXPECT_FALSE(usmx::internal::operand(usmx::kernel_argument(static_cast<int*>(nullptr))));
}

}  // namespace
