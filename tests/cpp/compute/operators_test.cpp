#include "usmx/compute/operators.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"

namespace {

using support::expect_error;
using usmx::array;

class operators_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
  static void expect_same(const array& found, const array& expected) {
    EXPECT_EQ(found.type(), expected.type());
    EXPECT_EQ(usmx::to_vector<double>(found), usmx::to_vector<double>(expected));
  }
};

TEST_F(operators_test, arithmetic_calls_the_functions_of_its_names) {
  const array x = of<std::int32_t>({-7, 7, 3});
  const array y = of<std::int32_t>({2, -2, 4});
  expect_same(x + y, usmx::add(x, y));
  expect_same(x - y, usmx::subtract(x, y));
  expect_same(x * y, usmx::multiply(x, y));
  expect_same(x / y, usmx::divide(x, y));
  expect_same(x % y, usmx::remainder(x, y));
  expect_same(-x, usmx::negative(x));
  expect_same(+x, x);
}

TEST_F(operators_test, bits_call_the_functions_of_their_names) {
  const array x = of<std::uint8_t>({12, 10, 255});
  const array y = of<std::uint8_t>({6, 1, 3});
  expect_same(x & y, usmx::bitwise_and(x, y));
  expect_same(x | y, usmx::bitwise_or(x, y));
  expect_same(x ^ y, usmx::bitwise_xor(x, y));
  expect_same(x << y, usmx::bitwise_left_shift(x, y));
  expect_same(x >> y, usmx::bitwise_right_shift(x, y));
  expect_same(~x, usmx::bitwise_invert(x));
}

TEST_F(operators_test, comparisons_have_a_truth_value_for_each_element) {
  const array x = of<float>({1, 2, 3});
  const array y = of<float>({3, 2, 1});
  expect_same(x == y, usmx::equal(x, y));
  expect_same(x != y, usmx::not_equal(x, y));
  expect_same(x < y, usmx::less(x, y));
  expect_same(x <= y, usmx::less_equal(x, y));
  expect_same(x > y, usmx::greater(x, y));
  expect_same(x >= y, usmx::greater_equal(x, y));
}

TEST_F(operators_test, number_may_be_on_either_side) {
  const array x = of<float>({1, 2, 4});
  expect_same(1 - x, usmx::subtract(1, x));
  expect_same(x / 2, usmx::divide(x, 2));
  expect_same(2 == x, usmx::equal(2, x));
  expect_same(2.5 < x, usmx::less(2.5, x));
  EXPECT_EQ((x * std::complex<double>(0, 1)).type(), usmx::complex64);
}

TEST_F(operators_test, work_in_place_writes_the_first_operand) {
  const array x = of<float>({1, 2, 3});
  const array same = x;
  const array changed = (x += 1);
  EXPECT_EQ(changed.owner(), x.owner());
  x *= x;
  x -= 1;
  x /= 3;
  EXPECT_EQ(usmx::to_vector<float>(same), (std::vector<float>{1, 8.0F / 3, 5}));
  x.slice(0) += 9;
  x.slice(2) %= 3;
  EXPECT_EQ(usmx::to_vector<float>(x), (std::vector<float>{10, 8.0F / 3, 2}));
  const array bits = of<std::int32_t>({5, 6});
  bits &= 6;
  bits |= 1;
  bits ^= 2;
  bits <<= 2;
  bits >>= 1;
  EXPECT_EQ(usmx::to_vector<std::int32_t>(bits), (std::vector<std::int32_t>{14, 10}));
}

TEST_F(operators_test, typed_arrays_are_operands) {
  const auto x = usmx::full({2, 2}, 3.0, queue());
  expect_same(x + x.slice(0), usmx::full({2, 2}, 6.0, queue()));
  x -= x;
  expect_same(x, usmx::zeros({2, 2}, usmx::float64, queue()));
}

TEST_F(operators_test, what_does_not_suit_is_an_error) {
  const array x = of<std::int32_t>({1, 2});
  expect_error<usmx::type_error>([&] { x /= 2; }, {"divide: a result of type float64 cannot be"});
  expect_error<usmx::read_only_error>([&] { x.as_readonly() += 1; }, {"read-only"});
  expect_error<usmx::value_error>([&] { x + of<int>({1, 2, 3}); }, {"broadcast"});
  expect_error<usmx::placement_error>(
      [&] { x + usmx::zeros({2}, usmx::int32, new_queue()); },
      {"add: arguments must be on the same queue, found argument 1 on <queue on '",
       " and argument 2 on <queue on '"});
  expect_error<usmx::value_error>([&] { array() + 1; }, {"array without memory"});
}

}  // namespace
