#include "usmx/generated_kernels/generated_kernels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/values.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::kernel_argument;
using usmx::reduction_kernel;

using doubles = std::vector<double>;
using shape = std::vector<std::ptrdiff_t>;

class reduction_kernel_test : public support::device_test {
 protected:
  /// 0, 1, 2, ...
  static array ramp(const shape& extents) {
    const usmx::elementwise_kernel count("", "T out", "out = i");
    return count.call({}, {.type = usmx::float64}, extents)[0];
  }
  static reduction_kernel total() {
    return {"T x",
            "T y",
            {.map = "x", .reduce = "a + b", .post_map = "y = a", .identity = "0"},
            {.name = "total"}};
  }
  static shape shape_of(const array& a) { return {a.shape().begin(), a.shape().end()}; }
};

TEST_F(reduction_kernel_test, all_axes_are_reduced_to_one_element) {
  const array sum = total()(ramp({30, 40}));
  EXPECT_EQ(sum.ndim(), 0);
  EXPECT_EQ(usmx::to_vector<double>(sum), (doubles{1199 * 600}));
}

TEST_F(reduction_kernel_test, chosen_axes_are_reduced) {
  const array x = ramp({2, 3});
  EXPECT_EQ(usmx::to_vector<double>(total().along({.axes = {{0}}}, x)), (doubles{3, 5, 7}));
  EXPECT_EQ(usmx::to_vector<double>(total().along({.axes = {{-1}}}, x)), (doubles{3, 12}));
  EXPECT_EQ(usmx::to_vector<double>(total().along(-1, x)), (doubles{3, 12}));
  EXPECT_EQ(usmx::to_vector<double>(total().along({0, 1}, x)), (doubles{15}));
  const array kept = total().along({.axes = {{0}}, .are_kept = true}, x);
  EXPECT_EQ(shape_of(kept), (shape{1, 3}));
}

TEST_F(reduction_kernel_test, output_that_is_given_is_written) {
  const array out = usmx::empty({2}, usmx::float64, queue());
  const std::vector<array> results =
      total().call(std::array{kernel_argument(ramp({2, 3}))}, {.axes = {{1}}}, {.outputs = {out}});
  EXPECT_EQ(results[0].owner(), out.owner());
  EXPECT_EQ(usmx::to_vector<double>(out), (doubles{3, 12}));
}

TEST_F(reduction_kernel_test, identity_is_the_result_of_no_elements) {
  EXPECT_EQ(usmx::to_vector<double>(total()(ramp({0, 3}))), (doubles{0}));
  const reduction_kernel largest("T x", "T y",
                                 {.map = "x", .reduce = "a > b ? a : b", .post_map = "y = a"},
                                 {.name = "largest"});
  expect_error<usmx::value_error>([&] { largest(ramp({0, 3})); }, {"largest has no identity"});
}

TEST_F(reduction_kernel_test, type_of_values_may_be_another_one) {
  const reduction_kernel wide(
      "T x", "T y",
      {.map = "x", .reduce = "a + b", .post_map = "y = a / 2", .identity = "0", .type = "int64"});
  const array x = usmx::empty({2}, usmx::int8, queue());
  usmx::fill(x, std::int8_t{100});
  EXPECT_EQ(usmx::to_vector<int>(wide(x)), (std::vector<int>{100}));
}

// ---- what is refused

TEST_F(reduction_kernel_test, axes_are_checked) {
  const array x = ramp({2, 3});
  expect_error<usmx::axis_error>([&] { total().along({.axes = {{2}}}, x); }, {"axis 2"});
  expect_error<usmx::value_error>([&] { total().along({.axes = {{0, -2}}}, x); },
                                  {"axis must not have an axis twice"});
}

TEST_F(reduction_kernel_test, an_input_must_be_an_array) {
  expect_error<usmx::type_error>([&] { total()(1.0); },
                                 {"total: at least one input must be an array"});
}

TEST_F(reduction_kernel_test, names_and_types_are_checked) {
  expect_error<usmx::value_error>(
      [] { reduction_kernel("T a", "T y", {.map = "a", .reduce = "a + b", .post_map = "y = a"}); },
      {"parameters must not use the name 'a'"});
  expect_error<usmx::value_error>(
      [] {
        reduction_kernel("T x", "T y",
                         {.map = "x", .reduce = "a", .post_map = "y = a", .type = "U"});
      },
      {"reduce_type must be the name of a type, the type of a parameter, or one of the preamble's, "
       "found 'U'"});
  expect_error<usmx::value_error>(
      [] { reduction_kernel("T x", "raw T y", {.map = "x", .reduce = "a", .post_map = "y = a"}); },
      {"outputs of a reduction must not be raw, found 'y'"});
}

TEST_F(reduction_kernel_test, output_may_follow_the_inputs) {
  const reduction_kernel sum("T x", "T y",
                             {.map = "x", .reduce = "a + b", .post_map = "y = a", .identity = "0"});
  const array x = usmx::empty({5}, usmx::float32, queue());
  usmx::fill(x, 2.0F);
  const array out = usmx::empty({}, usmx::float32, queue());
  EXPECT_EQ(sum(x, out).owner(), out.owner());
  EXPECT_EQ(usmx::to_vector<float>(out)[0], 10);
}

TEST_F(reduction_kernel_test, submit_gives_the_outputs_and_their_event) {
  usmx::generated_result sums =
      total().submit(std::array{kernel_argument(ramp({2, 3}))}, {.axes = {{1}}});
  usmx::generated_result sum =
      total().submit(std::array{kernel_argument(sums.outputs[0])}, {}, {.after = {sums.done}});
  sum.done.wait();
  EXPECT_EQ(usmx::to_vector<double>(sums.outputs[0]), (doubles{3, 12}));
  EXPECT_EQ(usmx::to_vector<double>(sum.outputs[0]), (doubles{15}));
}

TEST_F(reduction_kernel_test, structures_places_and_counts_are_in_the_expressions) {
  const reduction_kernel argmax(
      "T x, T by", "int64 place, T mean",
      {.map = "best{x, x, i}",
       .reduce = "joined(a, b)",
       .post_map = "place = a.place; if (n < 4) return; mean = by * a.sum / n",
       .identity = "best{0, 0, -1}",
       .type = "best"},
      {.name = "argmax",
       .preamble = "struct best { T value; T sum; long place; };\n"
                   "inline best joined(best a, best b) {\n"
                   "  best c = b.value > a.value ? b : a;\n"
                   "  c.sum = a.sum + b.sum;\n  return c;\n}"});
  const array x = ramp({5, 4});
  const std::vector<array> found =
      argmax.call(std::array{kernel_argument(x), kernel_argument(2)}, {.axes = {{1}}});
  EXPECT_EQ(usmx::to_vector<std::int64_t>(found[0]), (std::vector<std::int64_t>(5, 3)));
  EXPECT_EQ(usmx::to_vector<double>(found[1]), (doubles{3, 11, 19, 27, 35}));
}

TEST_F(reduction_kernel_test, indices_of_raw_arrays_are_checked_if_that_is_asked_for) {
  const reduction_kernel sum("int64 k, raw T table", "T y",
                             {.map = "table[k]", .reduce = "a + b", .post_map = "y = a"},
                             {.name = "sum", .debug = true});
  const usmx::elementwise_kernel count("", "int64 k", "k = i + 1");
  const array k = count.call({}, {}, {{6}})[0];
  EXPECT_EQ(usmx::to_vector<double>(sum(k, ramp({7}))), (doubles{21}));
  expect_error<usmx::index_error>(
      [&] { sum(k, ramp({6})); },
      {"argument 2 (usmx::view<const double, 1>): map_expr:1: expected indices inside shape (6,), "
       "found (6,)"});
}

TEST_F(reduction_kernel_test, outputs_that_overlap_are_written_one_after_the_other) {
  const reduction_kernel both("T x", "T least, T most",
                              {.map = "x",
                               .reduce = "a + b",
                               .post_map = "least = a; most = -a",
                               .identity = "0",
                               .type = "T"});
  constexpr std::ptrdiff_t rows = 5000;
  const array x = ramp({rows, 2});
  const array memory = usmx::empty({rows + 1}, usmx::float64, queue());
  const auto part = [&](std::ptrdiff_t first) {
    const std::ptrdiff_t extents[] = {rows};
    return memory.with_layout(usmx::layout::c_order(extents, first));
  };
  const std::array inputs{kernel_argument(x)};
  doubles expected(rows + 1);
  for (std::ptrdiff_t k = 0; k < rows; ++k) {
    expected[static_cast<std::size_t>(k)] = static_cast<double>(4 * k + 1);
  }
  for (std::ptrdiff_t k = 0; k < rows; ++k) {
    expected[static_cast<std::size_t>(k + 1)] = -static_cast<double>(4 * k + 1);
  }
  for (int round = 0; round < 20; ++round) {
    both.call(inputs, {.axes = {{1}}}, {.outputs = {part(0), part(1)}});
    ASSERT_EQ(usmx::to_vector<double>(memory), expected);
  }
}

TEST_F(reduction_kernel_test, same_output_twice_has_the_last_value) {
  const reduction_kernel both(
      "T x", "T one, T other",
      {.map = "x", .reduce = "a + b", .post_map = "one = a; other = -a", .identity = "0"});
  const array out = usmx::empty({3}, usmx::float64, queue());
  both.call(std::array{kernel_argument(ramp({2, 3}))}, {.axes = {{0}}}, {.outputs = {out, out}});
  EXPECT_EQ(usmx::to_vector<double>(out), (doubles{-3, -5, -7}));
}

TEST_F(reduction_kernel_test, kernel_that_was_moved_from_can_still_be_called) {
  reduction_kernel sum = total();
  const reduction_kernel taken = std::move(sum);
  EXPECT_EQ(sum.name(), taken.name());  // NOLINT: moved from on purpose
  usmx::elementwise_kernel twice("T x", "T y", "y = 2 * x");
  const usmx::elementwise_kernel other = std::move(twice);
  EXPECT_EQ(twice.name(), other.name());  // NOLINT: moved from on purpose
}

}  // namespace
