#include "usmx/compute/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::random::generator;
using usmx::random::options;
using integers = std::vector<std::int64_t>;
using reals = std::vector<double>;

class random_test : public support::device_test {
 protected:
  static options here() { return {.queue = kept_queue()}; }
  static options of_type(usmx::dtype type) { return {.type = type, .queue = kept_queue()}; }
  static integers integers_of(const array& a) {
    return usmx::to_vector<std::int64_t>(usmx::astype(a, usmx::int64));
  }

 private:
  static const sycl::queue* kept_queue() {
    static const sycl::queue kept = queue();
    return &kept;
  }
};

TEST_F(random_test, parameters_are_numbers_or_arrays_in_their_ranges) {
  generator rng(7);
  const array scales = usmx::astype(rng.random(3, here()), usmx::float32);
  EXPECT_EQ(rng.exponential(scales, {2, 3}).shape().size(), 2U);
  const array counts =
      rng.binomial(usmx::astype(rng.integers(1, 9, 4, here()), usmx::int8), 1.0, 4, here());
  EXPECT_EQ(counts.type(), usmx::int64);
  EXPECT_GE(integers_of(counts)[0], 1);
  expect_error<usmx::value_error>([&] { (void)rng.exponential(-1.0, 3, here()); },
                                  {"exponential: scale must be 0 or more, found -1"});
  expect_error<usmx::value_error>([&] { (void)rng.beta(1, usmx::negative(scales), 3, here()); },
                                  {"beta: b must be above 0, found an element that is not"});
  expect_error<usmx::value_error>([&] { (void)rng.chisquare(-3, 3, here()); },
                                  {"chisquare: df must be above 0, found -3"});
  expect_error<usmx::value_error>([&] { (void)rng.binomial(3, 1.5, 3, here()); },
                                  {"binomial: p must be from 0 to 1, found 1.5"});
  expect_error<usmx::value_error>([&] { (void)rng.triangular(0, 3, 2, 3, here()); },
                                  {"triangular: left, mode and right must grow"});
  expect_error<usmx::value_error>([&] { (void)rng.exponential(scales, {2, 2}); }, {"broadcast"});
  const array out = usmx::empty(3, usmx::float64, queue());
  expect_error<usmx::type_error>([&] { (void)rng.poisson(3, 3, {.out = out}); },
                                 {"poisson: out must be of type int64, found float64"});
}

TEST_F(random_test, choices_are_of_the_array) {
  generator rng(7);
  const array x = usmx::astype(rng.integers(10, 20, 6, here()), usmx::int64);
  const auto sorted = [](integers all) {
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(sorted(integers_of(rng.permutation(4, here()))), (integers{0, 1, 2, 3}));
  EXPECT_EQ(sorted(integers_of(rng.permutation(x))), sorted(integers_of(x)));
  EXPECT_EQ(sorted(integers_of(rng.permuted(x, 0))), sorted(integers_of(x)));
  const integers before = integers_of(x);
  rng.shuffle(x);
  EXPECT_EQ(sorted(integers_of(x)), sorted(before));
  EXPECT_EQ(rng.choice(x.reshaped({2, 3}), {4, 5}, {.axis = 1}).shape().size(), 3U);
  EXPECT_EQ(sorted(integers_of(rng.choice(x, 6, {.replace = false}))), sorted(before));
  const integers last(3, integers_of(x)[5]);
  EXPECT_EQ(integers_of(rng.choice(x, 3, {.p = reals{0, 0, 0, 0, 0, 1}})), last);
  expect_error<usmx::value_error>([&] { (void)rng.choice(x, 7, {.replace = false}); },
                                  {"choice: expected at most 6 without replacement, found 7"});
  expect_error<usmx::value_error>([&] { (void)rng.choice(x, 1, {.p = reals{1}}); },
                                  {"choice: p must have 6 numbers, found 1"});
  expect_error<usmx::read_only_error>([&] { rng.shuffle(x.as_readonly()); }, {"shuffle"});
}

// These are what usmx.random.default_rng(seed).integers(100, size=6) makes in Python
// (tests/python/test_random.py).
TEST_F(random_test, seeds_make_the_numbers_that_they_make_in_python) {
  const auto some = [](std::uint64_t seed) {
    generator rng(seed);
    return integers_of(rng.integers(0, 100, {6}, here()));
  };
  EXPECT_EQ(some(0), (integers{56, 61, 0, 63, 54, 59}));
  EXPECT_EQ(some(7), (integers{12, 60, 77, 92, 2, 28}));
  EXPECT_EQ(some(std::uint64_t{1} << 40 | 5), (integers{97, 54, 26, 79, 48, 18}));
}

TEST_F(random_test, numbers_go_on_where_the_last_call_ended) {
  generator whole(3);
  const reals all = usmx::to_vector<double>(whole.random({7}, of_type(usmx::float64)));
  generator parts(3);
  reals found = usmx::to_vector<double>(parts.random({2, 2}, of_type(usmx::float64)));
  expect_error<usmx::value_error>([&] { parts.integers(0, 0, {5}, here()); }, {"integers"});
  expect_error<usmx::type_error>([&] { parts.random({5}, of_type(usmx::int32)); }, {"int32"});
  const reals rest = usmx::to_vector<double>(parts.random(3, of_type(usmx::float64)));
  found.insert(found.end(), rest.begin(), rest.end());
  EXPECT_EQ(found, all);
}

TEST_F(random_test, numbers_lie_between_their_ends) {
  generator rng;
  const auto all = usmx::to_vector<float>(rng.uniform(-2, 3, {1000}, of_type(usmx::float32)));
  EXPECT_TRUE(std::ranges::all_of(all, [](float each) { return each >= -2 && each <= 3; }));
  options how = of_type(usmx::int8);
  how.endpoint = true;
  const integers dice = integers_of(rng.integers(-128, 127, {1000}, how));
  EXPECT_TRUE(std::ranges::all_of(dice, [](auto each) { return each >= -128 && each <= 127; }));
  const integers bits = integers_of(rng.integers(0, 2, {100}, of_type(usmx::bool_)));
  EXPECT_TRUE(std::ranges::all_of(bits, [](auto each) { return each == 0 || each == 1; }));
}

TEST_F(random_test, normal_numbers_are_moved_and_stretched) {
  generator first(5);
  generator second(5);
  const reals standard = usmx::to_vector<double>(first.standard_normal(50, here()));
  const reals moved = usmx::to_vector<double>(second.normal(10, 0.5, 50, here()));
  for (std::size_t k = 0; k < standard.size(); ++k) {
    EXPECT_NEAR(moved[k], 10 + standard[k] / 2, 1e-5);
  }
}

TEST_F(random_test, an_array_is_filled) {
  const array out = usmx::empty({2, 3}, usmx::float32, queue());
  generator rng(1);
  generator other(1);
  const array same = rng.random({2, 3}, {.out = out});
  EXPECT_EQ(same.data(), out.data());
  EXPECT_EQ(usmx::to_vector<float>(out),
            usmx::to_vector<float>(other.random({6}, of_type(usmx::float32))));
  expect_error<usmx::value_error>([&] { rng.random({3}, {.out = out}); }, {"(3,)", "(2, 3)"});
  expect_error<usmx::type_error>([&] { rng.random({2, 3}, {.type = usmx::float64, .out = out}); },
                                 {"float64", "float32"});
  expect_error<usmx::read_only_error>([&] { rng.random({2, 3}, {.out = out.as_readonly()}); },
                                      {"read-only"});
}

TEST_F(random_test, parameters_outside_of_their_range_are_an_error) {
  generator rng(1);
  const double infinity = std::numeric_limits<double>::infinity();
  expect_error<usmx::value_error>([&] { rng.uniform(1, 0, {1}, here()); }, {"less than low"});
  expect_error<usmx::overflow_error>([&] { rng.uniform(0, infinity, {1}, here()); }, {"finite"});
  expect_error<usmx::overflow_error>([&] { rng.uniform(0, 1e300, {1}, of_type(usmx::float32)); },
                                     {"finite in float32"});
  expect_error<usmx::value_error>([&] { rng.normal(0, -1, {1}, here()); }, {"0 or more", "-1"});
  expect_error<usmx::value_error>([&] { rng.normal(0, std::nan(""), {1}, here()); }, {"scale"});
  expect_error<usmx::overflow_error>([&] { rng.normal(1e300, 1, {1}, of_type(usmx::float32)); },
                                     {"range of float32"});
  expect_error<usmx::value_error>([&] { rng.integers(0, 257, {1}, of_type(usmx::uint8)); },
                                  {"from 0 to 255", "256"});
  expect_error<usmx::value_error>([&] { rng.integers(-1, 1, {1}, of_type(usmx::uint64)); },
                                  {"uint64", "-1"});
  expect_error<usmx::type_error>([&] { rng.integers(0, 2, {1}, of_type(usmx::float32)); },
                                 {"integer type", "float32"});
}

}  // namespace
