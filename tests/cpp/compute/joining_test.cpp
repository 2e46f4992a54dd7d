#include "usmx/compute/joining.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/layout.hpp"

namespace {

using support::expect_error;
using usmx::array;
using doubles = std::vector<double>;
using extents = std::vector<std::ptrdiff_t>;

class joining_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
  static doubles values(const array& a) {
    return usmx::to_vector<double>(usmx::astype(a, usmx::float64));
  }
  static extents shape_of(const array& a) { return {a.shape().begin(), a.shape().end()}; }
};

TEST_F(joining_test, joined_arrays_have_the_promoted_type) {
  const array x = of<std::int32_t>({1, 2, 3, 4}).reshaped({2, 2});
  const array y = of<double>({0.5, 1.5}).reshaped({1, 2});
  const array rows = usmx::concat({x, y}, 0);
  EXPECT_EQ(shape_of(rows), (extents{3, 2}));
  EXPECT_EQ(rows.type(), usmx::float64);
  EXPECT_EQ(values(rows), (doubles{1, 2, 3, 4, 0.5, 1.5}));
  EXPECT_EQ(values(usmx::concat({x, x.transposed()}, -1)), (doubles{1, 2, 1, 3, 3, 4, 2, 4}));
  EXPECT_EQ(values(usmx::concat({x.transposed(), y}, std::nullopt)),
            (doubles{1, 3, 2, 4, 0.5, 1.5}));
  EXPECT_EQ(values(usmx::stack({y, y}, 2)), (doubles{0.5, 0.5, 1.5, 1.5}));
  EXPECT_EQ(shape_of(usmx::stack({y, y}, -1)), (extents{1, 2, 2}));
}

TEST_F(joining_test, what_does_not_fit_is_an_error) {
  const array x = of<double>({1, 2});
  expect_error<usmx::value_error>([&] { (void)usmx::concat(std::span<const array>{}); },
                                  {"concat: expected one array at least, found none"});
  expect_error<usmx::value_error>([&] { (void)usmx::concat({x, x.reshaped({1, 2})}); },
                                  {"concat: shapes must differ in axis 0 only"});
  expect_error<usmx::value_error>([&] { (void)usmx::concat({x.slice(0)}); },
                                  {"arrays without dimensions cannot be joined"});
  expect_error<usmx::axis_error>([&] { (void)usmx::concat({x, x}, 1); }, {"axis 1"});
  expect_error<usmx::value_error>([&] { (void)usmx::stack({x, x.slice(usmx::range(1))}); },
                                  {"stack: expected one shape, found (2,) and (1,)"});
  expect_error<usmx::value_error>([&] { (void)usmx::repeat(x, -1); }, {"negative, found -1"});
  expect_error<usmx::value_error>([&] { (void)usmx::tile(x, {2, -3}); }, {"negative, found -3"});
  expect_error<usmx::value_error>([&] { (void)usmx::roll(x, extents{1, 2}, extents{0}); },
                                  {"roll: expected a shift for each of 1 axes, found 2"});
  constexpr std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max();
  expect_error<usmx::overflow_error>([&] { (void)usmx::repeat(x, most); }, {"repeat"});
  expect_error<usmx::overflow_error>([&] { (void)usmx::tile(x, {most}); }, {"tile"});
}

TEST_F(joining_test, elements_are_repeated_along_axes) {
  const array x = of<std::int16_t>({1, 2, 3, 4}).reshaped({2, 2}).transposed();
  EXPECT_EQ(values(usmx::repeat(x, 2)), (doubles{1, 1, 3, 3, 2, 2, 4, 4}));
  EXPECT_EQ(values(usmx::repeat(x, 2, 0)), (doubles{1, 3, 1, 3, 2, 4, 2, 4}));
  EXPECT_EQ(shape_of(usmx::repeat(x, 0, 1)), (extents{2, 0}));
  EXPECT_EQ(values(usmx::tile(x, {2})), (doubles{1, 3, 1, 3, 2, 4, 2, 4}));
  EXPECT_EQ(shape_of(usmx::tile(x, {3, 1, 2})), (extents{3, 2, 4}));
  EXPECT_EQ(values(usmx::tile(x, {})), (doubles{1, 3, 2, 4}));
}

TEST_F(joining_test, arrays_of_many_dimensions_are_repeated) {
  const array x = of<double>({1, 2});
  EXPECT_EQ(values(usmx::tile(x, extents(40, 1))), (doubles{1, 2}));
  extents shape(usmx::max_ndim, 1);
  shape.back() = 2;
  const array deep = x.reshaped(shape);
  EXPECT_EQ(values(usmx::repeat(deep, 2, 0)), (doubles{1, 2, 1, 2}));
  EXPECT_EQ(values(usmx::repeat(deep, 2, -1)), (doubles{1, 1, 2, 2}));
  EXPECT_EQ(values(usmx::tile(deep, {2})), (doubles{1, 2, 1, 2}));
  expect_error<usmx::value_error>([&] { (void)usmx::tile(x, extents(65, 1)); },
                                  {"at most 64 dimensions, found 65"});
}

TEST_F(joining_test, elements_are_moved_along_axes) {
  const array x = of<std::int64_t>({1, 2, 3, 4, 5, 6}).reshaped({2, 3});
  EXPECT_EQ(values(usmx::roll(x, 1)), (doubles{6, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values(usmx::roll(x, -1, 1)), (doubles{2, 3, 1, 5, 6, 4}));
  EXPECT_EQ(values(usmx::roll(x, {1, 4, -2}, {0, 1, 1})), (doubles{5, 6, 4, 2, 3, 1}));
  constexpr std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::min();
  EXPECT_EQ(values(usmx::roll(x, least, 0)), values(x));
  EXPECT_EQ(shape_of(usmx::roll(x.slice(usmx::range(0, 0)), 3, 0)), (extents{0, 3}));
  // Many axes, each of which has two parts.
  std::vector<double> many(1024);
  std::iota(many.begin(), many.end(), 0);
  const array cube = of(many).reshaped(extents(10, 2));
  extents all(10);
  std::iota(all.begin(), all.end(), 0);
  const doubles found = values(usmx::roll(cube, extents(10, 1), all));
  EXPECT_EQ(found.front(), 1023);
  EXPECT_EQ(found.back(), 0);
}

}  // namespace
