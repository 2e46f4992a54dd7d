// usmx/layout/layout.hpp: where each axis goes, and what a missing or repeated one is called.
// Strides and values against NumPy's are compared in tests/python/test_manipulation.py.
#include "usmx/layout/layout.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/errors.hpp"
#include "support/layouts.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using support::numbers;
using support::strided;
using usmx::axis_error;
using usmx::index_error;
using usmx::layout;
using usmx::value_error;

const layout a = layout::c_order(numbers{2, 3, 4}, 5);

TEST(axes, negative_axis_counts_from_the_end) {
  EXPECT_EQ(usmx::normalized_axis(-3, 3), 0);
  EXPECT_EQ(usmx::normalized_axis(-1, 3), 2);
  EXPECT_EQ(usmx::normalized_axis(2, 3), 2);
}

TEST(axes, axis_outside_is_an_axis_error_that_names_axis_and_dimensions) {
  for (const std::ptrdiff_t axis : {3, -4, 100}) {
    expect_error<axis_error>([&] { usmx::normalized_axis(axis, 3); },
                             {support::text(axis) + " is out of bounds for array of dimension 3"});
  }
  expect_error<axis_error>([&] { usmx::normalized_axis(0, 0, "source"); }, {"source: axis 0"});
}

TEST(axes, permuted_axes_take_their_places) {
  EXPECT_EQ(usmx::permuted_axes(a, numbers{-1, 0, 1}), strided({4, 2, 3}, {1, 12, 4}, 5));
  EXPECT_EQ(usmx::permuted_axes(layout(), numbers{}), layout());
}

TEST(axes, permutation_names_each_axis_once) {
  expect_error<value_error>([&] { usmx::permuted_axes(a, numbers{0, 1}); }, {"3", "(0, 1)"});
  expect_error<value_error>([&] { usmx::permuted_axes(a, numbers{0, 1, -3}); },
                            {"repeated axis", "axes", "(0, 1, -3)"});
  expect_error<axis_error>([&] { usmx::permuted_axes(a, numbers{0, 1, 3}); }, {"axis 3"});
}

TEST(axes, moved_axes_leave_the_others_in_order) {
  EXPECT_EQ(usmx::moved_axes(a, numbers{0}, numbers{-1}), strided({3, 4, 2}, {4, 1, 12}, 5));
  EXPECT_EQ(usmx::moved_axes(a, numbers{2, 0}, numbers{0, 1}), strided({4, 2, 3}, {1, 12, 4}, 5));
  EXPECT_EQ(usmx::moved_axes(a, numbers{}, numbers{}), a);
}

TEST(axes, moving_needs_as_many_places_as_axes) {
  expect_error<value_error>([&] { usmx::moved_axes(a, numbers{0}, numbers{0, 1}); },
                            {"same number", "(0,)", "(0, 1)"});
  expect_error<value_error>([&] { usmx::moved_axes(a, numbers{0, 0}, numbers{0, 1}); },
                            {"repeated axis in `source`"});
  expect_error<value_error>([&] { usmx::moved_axes(a, numbers{0, 1}, numbers{1, -2}); },
                            {"repeated axis in `destination`"});
  expect_error<axis_error>([&] { usmx::moved_axes(a, numbers{0}, numbers{3}); },
                           {"destination: axis 3"});
}

TEST(axes, swapped_axes_trade_places) {
  EXPECT_EQ(usmx::swapped_axes(a, 0, -1), strided({4, 3, 2}, {1, 4, 12}, 5));
  EXPECT_EQ(usmx::swapped_axes(a, 1, 1), a);
  expect_error<axis_error>([&] { usmx::swapped_axes(a, 0, 3); }, {"axis2: axis 3"});
}

TEST(axes, matrix_transpose_swaps_the_last_two) {
  EXPECT_EQ(usmx::matrix_transposed(a), strided({2, 4, 3}, {12, 1, 4}, 5));
  expect_error<value_error>([] { usmx::matrix_transposed(layout::c_order(numbers{3})); },
                            {"at least 2 dimensions, found 1"});
}

TEST(axes, flipped_axis_starts_at_its_last_element) {
  EXPECT_EQ(usmx::flipped(a, numbers{0, -1}), strided({2, 3, 4}, {-12, 4, -1}, 20));
  EXPECT_EQ(usmx::flipped(a, numbers{}), a);
  expect_error<value_error>([&] { usmx::flipped(a, numbers{1, 1}); }, {"repeated axis"});
}

TEST(axes, flipped_without_axes_means_all_axes) {
  EXPECT_EQ(usmx::flipped(a), usmx::flipped(a, numbers{0, 1, 2}));
}

TEST(axes, flipping_no_elements_moves_nothing) {
  const layout empty = strided({3, 0}, {7, 2}, 4);
  EXPECT_EQ(usmx::flipped(empty, numbers{1}).offset(), 4);
}

TEST(axes, squeezing_leaves_out_axes_of_size_1) {
  const layout source = strided({1, 3, 1, 2}, {9, 2, 5, 1}, 4);
  EXPECT_EQ(usmx::squeezed(source), strided({3, 2}, {2, 1}, 4));
  EXPECT_EQ(usmx::squeezed(source, numbers{-2}), strided({1, 3, 2}, {9, 2, 1}, 4));
  EXPECT_EQ(usmx::squeezed(source, numbers{}), source);
}

TEST(axes, other_axes_cannot_be_squeezed_out) {
  expect_error<value_error>([] { usmx::squeezed(a, numbers{1}); }, {"axis 1 with size 3"});
  expect_error<value_error>([] { usmx::squeezed(strided({0}, {1}), numbers{0}); },
                            {"axis 0 with size 0"});
  expect_error<axis_error>([] { usmx::squeezed(a, numbers{3}); }, {"axis 3"});
}

TEST(axes, array_without_axes_may_be_squeezed_as_if_it_had_one) {
  EXPECT_EQ(usmx::squeezed(layout(), numbers{0}), layout());
  EXPECT_EQ(usmx::squeezed(layout(), numbers{-1}), layout());
  expect_error<axis_error>([] { usmx::squeezed(layout(), numbers{1}); }, {"axis 1"});
}

TEST(axes, new_axes_are_counted_in_the_result) {
  EXPECT_EQ(usmx::expanded(a, numbers{0, -1}), strided({1, 2, 3, 4, 1}, {0, 12, 4, 1, 0}, 5));
  EXPECT_EQ(usmx::expanded(a, numbers{2}), strided({2, 3, 1, 4}, {12, 4, 0, 1}, 5));
  EXPECT_EQ(usmx::expanded(layout(), numbers{0}), strided({1}, {0}));
}

TEST(axes, new_axes_must_be_inside_the_result) {
  expect_error<axis_error>([] { usmx::expanded(a, numbers{4}); }, {"axis 4", "dimension 4"});
  expect_error<axis_error>([] { usmx::expanded(a, numbers{-5}); }, {"axis -5"});
  expect_error<value_error>([] { usmx::expanded(a, numbers{0, -5}); }, {"repeated axis"});
}

TEST(axes, at_most_max_ndim_dimensions_are_made) {
  const layout many = layout::c_order(numbers(64, 1));
  EXPECT_EQ(usmx::expanded(layout::c_order(numbers(63, 1)), numbers{0}).ndim(), 64);
  expect_error<index_error>([&] { usmx::expanded(many, numbers{0}); }, {"64", "65"});
  EXPECT_EQ(usmx::squeezed(many), layout());
  numbers every(64);
  std::iota(every.begin(), every.end(), 0);
  EXPECT_EQ(usmx::flipped(many, every).shape().size(), 64u);
  EXPECT_EQ(usmx::permuted_axes(many, every), many);
}

}  // namespace
