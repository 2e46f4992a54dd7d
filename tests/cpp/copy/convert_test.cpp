// convert.hpp: the same numbers for every processor, step and number of elements. What the numbers
// are is compared with NumPy in tests/python/test_copies.py.
#include "copy/convert.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/seed.hpp"

namespace {

using usmx::dtype;
using usmx::type_code;
using usmx::detail::conversion;
using bytes = std::vector<std::byte>;

template <class To, class From>
To converted(From value) {
  To result;
  conversion(dtype::of<From>(), dtype::of<To>())
      .strided(reinterpret_cast<const std::byte*>(&value), 0, reinterpret_cast<std::byte*>(&result),
               0, 1);
  return result;
}

std::uint16_t to_half(double value) {
  std::uint16_t result;
  conversion(type_code::float64, type_code::float16)
      .strided(reinterpret_cast<const std::byte*>(&value), 0, reinterpret_cast<std::byte*>(&result),
               0, 1);
  return result;
}

float from_half(std::uint16_t value) {
  float result;
  conversion(type_code::float16, type_code::float32)
      .strided(reinterpret_cast<const std::byte*>(&value), 0, reinterpret_cast<std::byte*>(&result),
               0, 1);
  return result;
}

TEST(convert_test, rows_and_single_elements_become_the_same_bytes) {
  constexpr std::ptrdiff_t most = 300;
  std::mt19937 random(support::seed(9));
  for (int from_code = 0; from_code < usmx::type_count; ++from_code) {
    for (int to_code = 0; to_code < usmx::type_count; ++to_code) {
      const dtype from(static_cast<type_code>(from_code));
      const dtype to(static_cast<type_code>(to_code));
      const auto from_step = static_cast<std::ptrdiff_t>(from.itemsize());
      const auto to_step = static_cast<std::ptrdiff_t>(to.itemsize());
      const conversion convert(from, to);
      bytes source(static_cast<std::size_t>(from_step * most) + 3);
      for (std::byte& b : source) {
        b = static_cast<std::byte>(random());
      }
      for (const std::ptrdiff_t misaligned : {0, 1, 3}) {
        for (const std::ptrdiff_t count : {0, 1, 2, 7, 31, 64, 299}) {
          bytes row(static_cast<std::size_t>(to_step * most) + 3, std::byte{0x55});
          bytes one_by_one = row;
          convert.adjacent(source.data() + misaligned, row.data() + misaligned, count);
          convert.strided(source.data() + misaligned, from_step, one_by_one.data() + misaligned,
                          to_step, count);
          ASSERT_TRUE(row == one_by_one) << from << " to " << to << ", " << count;
        }
      }
    }
  }
}

TEST(convert_test, every_half_is_the_number_that_its_digits_say) {
  for (int bits = 0; bits < 0x8000; ++bits) {
    const int exponent = bits >> 10;
    const int digits = bits & 0x3ff;
    const float found = from_half(static_cast<std::uint16_t>(bits));
    const float negative = from_half(static_cast<std::uint16_t>(bits | 0x8000));
    if (exponent == 31 && digits != 0) {
      ASSERT_TRUE(std::isnan(found) && std::isnan(negative));
      continue;
    }
    const double expected = exponent == 31  ? std::numeric_limits<double>::infinity()
                            : exponent == 0 ? std::ldexp(digits, -24)
                                            : std::ldexp(1024 + digits, exponent - 25);
    ASSERT_EQ(found, expected) << bits;
    ASSERT_EQ(negative, -expected);
    ASSERT_EQ(std::signbit(negative), true);
    ASSERT_EQ(to_half(expected), bits);
  }
}

TEST(convert_test, doubles_become_the_nearest_half_and_the_even_one_in_the_middle) {
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const double below = from_half(static_cast<std::uint16_t>(bits));
    const double above = from_half(static_cast<std::uint16_t>(bits + 1));
    const double half_way = (below + above) / 2;
    ASSERT_EQ(to_half(half_way), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(to_half(std::nextafter(half_way, below)), bits);
    ASSERT_EQ(to_half(std::nextafter(half_way, above)), bits + 1);
    ASSERT_EQ(to_half(-std::nextafter(half_way, above)), (bits + 1) | 0x8000);
  }
  EXPECT_EQ(to_half(std::nextafter(65520.0, 0)), 0x7bff);
  EXPECT_EQ(to_half(65520.0), 0x7c00);
  EXPECT_EQ(to_half(1e300), 0x7c00);
}

TEST(convert_test, not_a_number_stays_one_with_its_sign) {
  for (const double nan :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(),
        std::bit_cast<double>(std::uint64_t{0x7ff0000000000001})}) {
    const std::uint16_t half = to_half(nan);
    EXPECT_TRUE(std::isnan(from_half(half)));
    EXPECT_EQ(half >> 15, std::signbit(nan) ? 1 : 0);
    EXPECT_TRUE(std::isnan(converted<float>(nan)));
    EXPECT_TRUE(converted<bool>(nan));
  }
}

TEST(convert_test, floats_are_truncated_to_integers_up_to_their_limits) {
  EXPECT_EQ((converted<std::int8_t, float>(-128.9F)), -128);
  EXPECT_EQ((converted<std::uint8_t, double>(255.99)), 255);
  EXPECT_EQ((converted<std::int32_t, double>(-2147483648.9)), INT32_MIN);
  EXPECT_EQ((converted<std::uint32_t, double>(4294967295.9)), UINT32_MAX);
  EXPECT_EQ((converted<std::int64_t, double>(-0x1p63)), INT64_MIN);
  EXPECT_EQ((converted<std::uint64_t, double>(0x1p64 - 2048)), UINT64_MAX - 2047);
  EXPECT_EQ((converted<std::uint64_t, float>(0x1p63F)), std::uint64_t{1} << 63);
}

}  // namespace
