// usmx/layout/layout.hpp: extents as callers have them.
#include "usmx/layout/layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <list>
#include <span>
#include <type_traits>
#include <vector>

#include "support/errors.hpp"

namespace {

using support::expect_error;
using usmx::shape_argument;
using extents = std::vector<std::ptrdiff_t>;

extents taken(const shape_argument& shape) {
  const std::span<const std::ptrdiff_t> span = shape;
  return {span.begin(), span.end()};
}

TEST(shape_argument, takes_a_list_in_braces) {
  EXPECT_EQ(taken({3, 4}), (extents{3, 4}));
  EXPECT_EQ(taken({}), extents{});
}

TEST(shape_argument, takes_ranges_of_any_integers) {
  EXPECT_EQ(taken(std::vector<int>{3, 4}), (extents{3, 4}));
  EXPECT_EQ(taken(std::array<std::size_t, 2>{3, 4}), (extents{3, 4}));
  const std::int16_t numbers[] = {5, 6, 7};
  EXPECT_EQ(taken(std::span(numbers)), (extents{5, 6, 7}));
  EXPECT_EQ(taken(numbers), (extents{5, 6, 7}));
  EXPECT_EQ(taken(std::list<int>{3, 4}), (extents{3, 4}));
}

TEST(shape_argument, takes_no_other_ranges) {
  EXPECT_FALSE((std::is_constructible_v<shape_argument, std::vector<double>>));
  EXPECT_FALSE((std::is_constructible_v<shape_argument, std::forward_list<int>>));
  EXPECT_FALSE((std::is_constructible_v<shape_argument, double>));
}

TEST(shape_argument, takes_an_integer_as_the_extent_of_one_dimension) {
  EXPECT_EQ(taken(5), (extents{5}));
  EXPECT_EQ(taken(0), (extents{0}));
  EXPECT_EQ(taken(std::uint8_t{7}), (extents{7}));
  expect_error<usmx::overflow_error>(
      [] { shape_argument argument(std::numeric_limits<std::uint64_t>::max()); },
      {"18446744073709551615"});
}

TEST(shape_argument, looks_at_extents_that_are_of_its_type) {
  const extents shape{3, 4};
  const shape_argument argument(shape);
  const std::span<const std::ptrdiff_t> span = argument;
  EXPECT_EQ(span.data(), shape.data());
}

TEST(shape_argument, refuses_an_extent_that_does_not_fit) {
  const std::vector<std::uint64_t> shape{1, std::numeric_limits<std::uint64_t>::max()};
  expect_error<usmx::overflow_error>([&] { shape_argument argument(shape); },
                                     {"18446744073709551615", "dimension 1"});
}

TEST(shape_argument, refuses_too_many_dimensions) {
  expect_error<usmx::value_error>([] { shape_argument argument(std::vector<int>(65, 1)); },
                                  {"64", "65"});
}

}  // namespace
