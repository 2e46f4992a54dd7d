// Single facts about layouts, most of them literal. layout_property_test.cpp compares whole
// families of layouts with independent definitions.
#include "usmx/layout/layout.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/layouts.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::highest;
using support::lowest;
using support::numbers;
using support::shape_of;
using support::strided;
using usmx::element_range;
using usmx::index_item;
using usmx::layout;

using items = std::vector<index_item>;

constexpr std::ptrdiff_t none = index_item::none;
constexpr std::ptrdiff_t two_to_62 = std::ptrdiff_t{1} << 62;

layout c_order(const numbers& shape, std::ptrdiff_t offset = 0) {
  return layout::c_order(shape, offset);
}

numbers strides_of(const layout& source) {
  return {source.strides().begin(), source.strides().end()};
}

index_item at(std::ptrdiff_t index) { return index_item::integer(index); }

index_item slice(std::ptrdiff_t start, std::ptrdiff_t stop, std::ptrdiff_t step = 1) {
  return index_item::slice(start, stop, step);
}

const index_item all = index_item::slice(none, none, 1);
const index_item ellipsis = index_item::ellipsis();
const index_item newaxis = index_item::newaxis();

/// The message of the Error that `call` throws; a failure of the test when it throws nothing else.
template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// Construction.

TEST(layout, default_is_one_element_at_the_origin) {
  const layout source;
  EXPECT_EQ(source.ndim(), 0);
  EXPECT_TRUE(source.shape().empty());
  EXPECT_TRUE(source.strides().empty());
  EXPECT_EQ(source.offset(), 0);
  EXPECT_EQ(source.size(), 1);
  EXPECT_EQ(source, c_order({}));
}

TEST(layout, c_order_is_row_major) {
  const layout source = c_order({2, 3, 4}, 5);
  EXPECT_EQ(shape_of(source), (numbers{2, 3, 4}));
  EXPECT_EQ(strides_of(source), (numbers{12, 4, 1}));
  EXPECT_EQ(source.offset(), 5);
  EXPECT_EQ(source.size(), 24);
}

TEST(layout, f_order_is_column_major) {
  EXPECT_EQ(strides_of(layout::f_order(numbers{2, 3, 4})), (numbers{1, 2, 6}));
}

TEST(layout, numbers_may_be_in_braces) {
  EXPECT_EQ(layout::c_order({2, 3}, 1), layout::c_order(numbers{2, 3}, 1));
  EXPECT_EQ(layout::f_order({2, 3}), layout::f_order(numbers{2, 3}));
  EXPECT_EQ(layout::c_order({}), layout());
  EXPECT_EQ(layout::strided({2, 3}, {4, -1}, 2), layout::strided(numbers{2, 3}, numbers{4, -1}, 2));
  EXPECT_THROW(layout::strided({2, 3}, {4}), usmx::value_error);
}

// As np.ndarray(shape, buffer=b'') and reshape give them; np.empty sets all strides to 0 instead.
TEST(layout, strides_of_empty_arrays_count_zero_extents_as_one) {
  EXPECT_EQ(strides_of(c_order({2, 0, 3})), (numbers{3, 3, 1}));
  EXPECT_EQ(strides_of(c_order({2, 3, 0, 4, 5})), (numbers{60, 20, 20, 5, 1}));
  EXPECT_EQ(strides_of(layout::f_order(numbers{2, 0, 3})), (numbers{1, 2, 2}));
  EXPECT_EQ(strides_of(layout::f_order(numbers{3, 0})), (numbers{1, 3}));
}

TEST(layout, empty_never_overflows) {
  const layout source = c_order({two_to_62, 0, two_to_62, 4}, highest);
  EXPECT_EQ(source.size(), 0);
  EXPECT_EQ(strides_of(source), (numbers{0, 0, 4, 1}));
  EXPECT_EQ(strides_of(layout::f_order(numbers{4, two_to_62, 0, 2})), (numbers{1, 4, 0, 0}));
  EXPECT_EQ(strided({highest, 0}, {highest, lowest}, lowest).size(), 0);
}

TEST(layout, negative_extent_is_rejected) {
  const auto make = [] { c_order({2, -1}); };
  EXPECT_EQ(message_of<usmx::value_error>(make),
            "'shape' must not have negative entries, found (2, -1)");
  EXPECT_THROW(c_order({0, -1}), usmx::value_error);
  EXPECT_THROW(strided({-1}, {1}), usmx::value_error);
  EXPECT_THROW(layout::f_order(numbers{-1}), usmx::value_error);
}

TEST(layout, sixty_four_dimensions_are_the_most) {
  EXPECT_EQ(c_order(numbers(64, 1)).ndim(), 64);
  const auto make = [] { c_order(numbers(65, 1)); };
  EXPECT_EQ(message_of<usmx::value_error>(make),
            "'shape' must have at most 64 dimensions, found 65");
}

TEST(layout, strides_must_match_shape) {
  const auto make = [] { strided({4, 5, 6}, {30, 6}); };
  EXPECT_EQ(message_of<usmx::value_error>(make),
            "'strides' must have 3 entries to match shape (4, 5, 6), found 2: (30, 6)");
}

TEST(layout, size_that_cannot_be_counted_overflows) {
  const auto make = [] { c_order({two_to_62, 4}); };
  EXPECT_EQ(message_of<usmx::overflow_error>(make),
            "the number of elements must be at most 9223372036854775807, found shape "
            "(4611686018427387904, 4)");
  const std::ptrdiff_t million_squared = std::ptrdiff_t{1} << 40;
  EXPECT_THROW(c_order({million_squared, million_squared}), usmx::overflow_error);
  EXPECT_THROW(strided({two_to_62, 2}, {0, 0}), usmx::overflow_error);
}

TEST(layout, offset_that_cannot_be_represented_overflows) {
  const auto make = [] { strided({3}, {two_to_62}, 7); };
  EXPECT_EQ(message_of<usmx::overflow_error>(make),
            "the offset of every element, and how many offsets lie between them, must fit "
            "ptrdiff_t, found shape (3,), strides (4611686018427387904,), offset 7");
  EXPECT_THROW(c_order({2}, highest), usmx::overflow_error);
  EXPECT_THROW(strided({2}, {-1}, lowest), usmx::overflow_error);
  EXPECT_THROW(strided({2, 2}, {two_to_62, two_to_62}), usmx::overflow_error);
}

TEST(layout, extremes_that_fit_are_accepted) {
  EXPECT_EQ(c_order({highest}).span(), (element_range{0, highest - 1}));
  EXPECT_EQ(c_order({1}, highest).span(), (element_range{highest, highest}));
  EXPECT_EQ(strided({2}, {-(highest - 1)}, -2).span(), (element_range{lowest, -2}));
}

TEST(layout, strides_of_single_elements_may_be_anything) {
  EXPECT_EQ(strided({1, 1}, {lowest, highest}, highest).size(), 1);
}

TEST(layout, number_of_offsets_spanned_must_fit) {
  EXPECT_NO_THROW(strided({2, 2}, {two_to_62 - 1, -two_to_62 + 1}));
  EXPECT_THROW(strided({2, 2}, {two_to_62, -two_to_62}), usmx::overflow_error);
}

// Observers.

TEST(layout, negative_stride_span_starts_below_origin) {
  EXPECT_EQ(strided({2, 2}, {2, -1}).span(), (element_range{-1, 2}));
  EXPECT_EQ(strided({4, 2}, {-5, -2}, 17).span(), (element_range{0, 17}));
}

TEST(layout, span_of_an_empty_layout_does_not_exist) {
  EXPECT_EQ(strided({2, 0}, {1, 1}, 5).span(), std::nullopt);
}

TEST(layout, contiguity_flags_are_those_of_numpy) {
  struct numpy_flags {
    numbers shape;
    numbers strides;
    bool c_contiguous;
    bool f_contiguous;
  };
  // From np.lib.stride_tricks.as_strided(int8_array, shape, strides).flags, NumPy 2.4.
  const std::vector<numpy_flags> cases = {
      {{}, {}, true, true},
      {{1}, {1}, true, true},
      {{1}, {7}, true, true},
      {{1}, {-3}, true, true},
      {{3}, {1}, true, true},
      {{3}, {2}, false, false},
      {{3}, {-1}, false, false},
      {{3}, {0}, false, false},
      {{2, 3}, {3, 1}, true, false},
      {{2, 3}, {1, 2}, false, true},
      {{2, 3}, {4, 1}, false, false},
      {{2, 3}, {3, 2}, false, false},
      {{2, 3}, {0, 1}, false, false},
      {{1, 3}, {99, 1}, true, true},
      {{1, 3}, {1, 1}, true, true},
      {{3, 1}, {1, 99}, true, true},
      {{3, 1}, {3, 1}, false, false},
      {{3, 1}, {2, 1}, false, false},
      {{1, 1}, {5, -5}, true, true},
      {{2, 1, 3}, {3, 0, 1}, true, false},
      {{2, 1, 3}, {1, 0, 2}, false, true},
      {{2, 3, 4}, {12, 4, 1}, true, false},
      {{2, 3, 4}, {1, 2, 6}, false, true},
      {{2, 3, 4}, {12, 1, 3}, false, false},
      {{2, 3, 4}, {24, 4, 1}, false, false},
      {{0}, {5}, true, true},
      {{2, 0, 3}, {7, -7, 9}, true, true},
      {{0, 4}, {1, 1}, true, true},
      {{2, 2}, {-2, -1}, false, false},
      {{1, 4, 1, 1}, {0, 1, 0, 0}, true, true},
      {{4, 1, 2, 1}, {2, 5, 1, 5}, true, false},
      {{4, 1, 2, 1}, {1, 5, 4, 5}, false, true},
  };
  for (const numpy_flags& expected : cases) {
    const layout source = strided(expected.shape, expected.strides, 100);
    EXPECT_EQ(source.is_c_contiguous(), expected.c_contiguous) << source;
    EXPECT_EQ(source.is_f_contiguous(), expected.f_contiguous) << source;
  }
}

TEST(layout, equality_compares_shape_strides_and_offset) {
  const layout source = strided({2, 3}, {3, 1}, 1);
  EXPECT_EQ(source, strided({2, 3}, {3, 1}, 1));
  EXPECT_NE(source, strided({3, 2}, {3, 1}, 1));
  EXPECT_NE(source, strided({2, 3}, {4, 1}, 1));
  EXPECT_NE(source, strided({2, 3}, {3, 1}, 2));
  EXPECT_NE(source, strided({2, 3, 1}, {3, 1, 1}, 1));
  EXPECT_NE(strided({1}, {1}), strided({1}, {2}));
}

TEST(layout, streams_shape_strides_and_offset) {
  std::ostringstream out;
  out << strided({2, 3}, {3, 1}, 4) << "; " << layout();
  EXPECT_EQ(out.str(), "shape (2, 3), strides (3, 1), offset 4; shape (), strides (), offset 0");
}

// Value semantics, with and without the heap.

TEST(layout, moves_and_observers_do_not_throw) {
  static_assert(std::is_nothrow_default_constructible_v<layout>);
  static_assert(std::is_nothrow_move_constructible_v<layout>);
  static_assert(std::is_nothrow_move_assignable_v<layout>);
  static_assert(std::is_nothrow_destructible_v<layout>);
  static_assert(noexcept(std::declval<const layout&>().span()));
  static_assert(noexcept(std::declval<const layout&>() == std::declval<const layout&>()));
}

TEST(layout, copies_are_equal_and_independent) {
  for (const std::size_t ndim : {0u, 1u, 6u, 7u, 64u}) {
    const layout source = c_order(numbers(ndim, 1), 3);
    layout copy(source);
    EXPECT_EQ(copy, source);
    copy = c_order({5});
    EXPECT_EQ(source, c_order(numbers(ndim, 1), 3));
    copy = source;
    EXPECT_EQ(copy, source);
    EXPECT_EQ(copy.size(), source.size());
  }
}

TEST(layout, moves_take_all_and_leave_the_default) {
  for (const std::size_t ndim : {0u, 1u, 6u, 7u, 64u}) {
    for (const std::size_t other_ndim : {0u, 3u, 9u}) {
      const layout expected = c_order(numbers(ndim, 2 - (ndim > 7)), 3);
      layout source = expected;
      layout target = c_order(numbers(other_ndim, 1));
      target = std::move(source);
      EXPECT_EQ(target, expected);
      EXPECT_EQ(target.size(), expected.size());
      EXPECT_EQ(source, layout());
      EXPECT_EQ(source.size(), 1);
      source = c_order({4});
      EXPECT_EQ(source, c_order({4}));
    }
  }
}

TEST(layout, self_assignment_changes_nothing) {
  layout source = c_order(numbers(8, 1), 2);
  layout& alias = source;
  source = alias;
  EXPECT_EQ(source, c_order(numbers(8, 1), 2));
  source = std::move(alias);
  EXPECT_EQ(source, c_order(numbers(8, 1), 2));
}

// with_offset and scaled.

TEST(layout, with_offset_moves_the_origin_and_checks_it) {
  const layout source = strided({3}, {-2}, 4);
  EXPECT_EQ(source.with_offset(9), strided({3}, {-2}, 9));
  EXPECT_EQ(source.with_offset(lowest + 4).offset(), lowest + 4);
  EXPECT_THROW(source.with_offset(lowest + 3), usmx::overflow_error);
  EXPECT_NO_THROW(c_order({0}).with_offset(highest));
}

TEST(layout, scaled_multiplies_strides_and_offset) {
  EXPECT_EQ(strided({2, 3}, {-3, 1}, 3).scaled(2), strided({2, 3}, {-6, 2}, 6));
}

TEST(layout, scaled_overflows_only_where_elements_are) {
  EXPECT_THROW(strided({2}, {two_to_62}).scaled(2), usmx::overflow_error);
  EXPECT_THROW(strided({2, 2}, {two_to_62 / 2, two_to_62 / 2}).scaled(2), usmx::overflow_error);
  EXPECT_THROW(strided({1}, {1}, two_to_62).scaled(2), usmx::overflow_error);
  EXPECT_EQ(strided({1, 2}, {two_to_62, 1}).scaled(2), strided({1, 2}, {0, 2}));
  EXPECT_EQ(strided({0, 2}, {1, two_to_62}).scaled(2), strided({0, 2}, {2, 0}));
}

TEST(layout, scaled_rejects_factors_below_one) {
  EXPECT_THROW(c_order({2}).scaled(0), usmx::value_error);
  EXPECT_THROW(c_order({2}).scaled(-1), usmx::value_error);
}

// Subscripts; the expected values are those of np.arange(20).reshape(4, 5).

class subscript : public ::testing::Test {
 protected:
  layout of(const items& index) const { return usmx::subscript(source, index); }
  std::string index_error(const items& index) const {
    return message_of<usmx::index_error>([&] { of(index); });
  }

  layout source = c_order({4, 5});
};

TEST_F(subscript, without_items_is_the_layout_itself) {
  EXPECT_EQ(of({}), source);
  EXPECT_EQ(of({ellipsis}), source);
  EXPECT_EQ(of({all}), source);
}

TEST_F(subscript, integers_drop_their_axis) {
  EXPECT_EQ(of({at(1)}), strided({5}, {1}, 5));
  EXPECT_EQ(of({at(1), at(2)}), strided({}, {}, 7));
  EXPECT_EQ(of({all, at(2)}), strided({4}, {5}, 2));
}

TEST_F(subscript, negative_integers_count_from_the_end) {
  EXPECT_EQ(of({at(-1), at(-5)}), strided({}, {}, 15));
}

TEST_F(subscript, slices_keep_their_axis) {
  EXPECT_EQ(of({slice(1, 3), slice(none, none, 2)}), strided({2, 3}, {5, 2}, 5));
  EXPECT_EQ(of({slice(none, none, -1)}), strided({4, 5}, {-5, 1}, 15));
  EXPECT_EQ(of({slice(-3, -1, 1), slice(-2, none, -3)}), strided({2, 2}, {5, -3}, 8));
}

TEST_F(subscript, slice_of_one_element_shows_the_stride_that_numpy_shows) {
  EXPECT_EQ(of({slice(2, 3, 7)}), strided({1, 5}, {35, 1}, 10));
}

TEST_F(subscript, empty_slices_move_nothing_and_keep_the_stride) {
  EXPECT_EQ(of({slice(3, 3)}), strided({0, 5}, {5, 1}, 0));
  EXPECT_EQ(of({slice(9, none), slice(2, none)}), strided({0, 3}, {5, 1}, 2));
  EXPECT_EQ(of({slice(-10, none, -1)}), strided({0, 5}, {5, 1}, 0));
  EXPECT_EQ(of({slice(2, 2, 3), at(1)}), strided({0}, {5}, 1));
  EXPECT_EQ(of({all, slice(3, 1)}), strided({4, 0}, {5, 1}, 0));
}

TEST_F(subscript, huge_bounds_and_steps_are_clamped) {
  EXPECT_EQ(of({slice(lowest + 1, highest, highest)}), strided({1, 5}, {0, 1}, 0));
  EXPECT_EQ(of({slice(highest, lowest + 1, -1)}), strided({4, 5}, {-5, 1}, 15));
  EXPECT_EQ(of({slice(none, none, lowest)}), strided({1, 5}, {0, 1}, 15));
  EXPECT_EQ(of({all, slice(none, none, lowest)}), strided({4, 1}, {5, 0}, 4));
}

TEST_F(subscript, new_axes_have_stride_zero) {
  EXPECT_EQ(of({newaxis, at(1), ellipsis, newaxis}), strided({1, 5, 1}, {0, 1, 0}, 5));
}

TEST_F(subscript, ellipsis_stands_for_the_axes_not_named) {
  EXPECT_EQ(of({ellipsis, at(1)}), strided({4}, {5}, 1));
  EXPECT_EQ(of({at(1), ellipsis}), strided({5}, {1}, 5));
  EXPECT_EQ(of({at(1), ellipsis, at(1)}), strided({}, {}, 6));
}

TEST_F(subscript, index_outside_its_axis_is_rejected) {
  EXPECT_EQ(index_error({all, at(7)}), "index 7 is out of bounds for axis 1 with size 5");
  EXPECT_EQ(index_error({at(-5)}), "index -5 is out of bounds for axis 0 with size 4");
  EXPECT_EQ(index_error({ellipsis, at(5)}), "index 5 is out of bounds for axis 1 with size 5");
  EXPECT_EQ(index_error({newaxis, at(lowest)}),
            "index -9223372036854775808 is out of bounds for axis 0 with size 4");
  EXPECT_THROW(usmx::subscript(c_order({0}), items{at(0)}), usmx::index_error);
}

TEST_F(subscript, too_many_items_are_rejected) {
  EXPECT_EQ(index_error({at(0), at(0), all}),
            "too many indices for array: array is 2-dimensional, but 3 were indexed");
  EXPECT_EQ(index_error({at(0), at(0), ellipsis, at(9)}),
            "too many indices for array: array is 2-dimensional, but 3 were indexed");
}

TEST_F(subscript, second_ellipsis_is_rejected) {
  EXPECT_EQ(index_error({ellipsis, ellipsis}), "an index can only have a single ellipsis ('...')");
}

TEST_F(subscript, step_of_zero_is_rejected) {
  const auto call = [&] { of({slice(none, none, 0)}); };
  EXPECT_EQ(message_of<usmx::value_error>(call), "slice step cannot be zero");
}

TEST_F(subscript, more_than_64_dimensions_are_rejected) {
  EXPECT_EQ(of(items(62, newaxis)).ndim(), 64);
  EXPECT_EQ(index_error(items(63, newaxis)),
            "number of dimensions must be within [0, 64], indexing result would have 65");
}

TEST_F(subscript, strides_of_empty_layouts_cannot_make_the_offset_wrap) {
  source = strided({0, highest}, {1, highest}, 3);
  EXPECT_EQ(of({all, at(highest - 1)}), strided({0}, {1}, 3));
  EXPECT_EQ(of({all, slice(none, none, 4)}), strided({0, highest / 4 + 1}, {1, 0}, 3));
}

TEST_F(subscript, reversing_the_widest_layout_stays_in_range) {
  source = strided({2, 2}, {two_to_62 - 1, -two_to_62 + 1});
  const layout reversed = of({slice(none, none, -1), slice(none, none, -1)});
  EXPECT_EQ(reversed.span(), source.span());
  EXPECT_EQ(of({all, slice(none, none, -1)}).span(), source.span());
}

TEST_F(subscript, works_on_64_dimensions) {
  source = c_order(numbers(64, 1), 4);
  EXPECT_EQ(of({at(0), ellipsis, at(-1)}), c_order(numbers(62, 1), 4));
}

// Permutation, broadcasting, reshaping.

TEST(permuted, dimension_k_of_the_result_is_dimension_axes_k) {
  const layout source = strided({2, 3, 4}, {12, 4, 1}, 7);
  EXPECT_EQ(usmx::permuted(source, std::vector{2, 0, 1}), strided({4, 2, 3}, {1, 12, 4}, 7));
  EXPECT_EQ(usmx::permuted(layout(), std::vector<int>{}), layout());
}

TEST(permuted, what_is_no_permutation_is_rejected) {
  const layout source = c_order({2, 3});
  const auto call = [&] { usmx::permuted(source, std::vector{0, 0}); };
  EXPECT_EQ(message_of<usmx::value_error>(call),
            "'axes' must name each of the 2 dimensions once, found (0, 0)");
  for (const std::vector<int>& axes : {std::vector{0}, {0, 1, 2}, {0, 2}, {-1, 0}, {}}) {
    EXPECT_THROW(usmx::permuted(source, axes), usmx::value_error);
  }
}

TEST(compact_like, contiguous_layouts_keep_their_order) {
  EXPECT_EQ(usmx::compact_like(c_order({2, 3, 4}, 5)), c_order({2, 3, 4}));
  EXPECT_EQ(usmx::compact_like(usmx::transposed(c_order({2, 3, 4}))),
            strided({4, 3, 2}, {1, 4, 12}));
  EXPECT_EQ(usmx::compact_like(layout()), layout());
  EXPECT_EQ(usmx::compact_like(strided({3, 0, 2}, {9, -5, 7})), c_order({3, 0, 2}));
}

TEST(compact_like, axes_lie_as_the_absolute_values_of_the_strides_say) {
  EXPECT_EQ(usmx::compact_like(strided({2, 3, 4}, {4, 100, -20}, 80)),
            strided({2, 3, 4}, {1, 8, 2}));
  EXPECT_EQ(usmx::compact_like(strided({3, 4}, {0, 1})), strided({3, 4}, {1, 3}));
}

TEST(compact_like, axes_with_equal_strides_lie_as_in_c_order) {
  EXPECT_EQ(usmx::compact_like(strided({2, 3, 4}, {5, 5, 5})), c_order({2, 3, 4}));
  EXPECT_EQ(usmx::compact_like(strided({2, 3}, {0, 0})), c_order({2, 3}));
}

TEST(transposed, reverses_the_dimensions) {
  EXPECT_EQ(usmx::transposed(c_order({2, 3, 4}, 1)), strided({4, 3, 2}, {1, 4, 12}, 1));
  EXPECT_EQ(usmx::transposed(layout()), layout());
}

TEST(broadcast, repeats_new_dimensions_and_those_of_one) {
  EXPECT_EQ(usmx::broadcast(c_order({3, 1}, 2), numbers{4, 3, 5}),
            strided({4, 3, 5}, {0, 1, 0}, 2));
  EXPECT_EQ(usmx::broadcast(layout(), numbers{2, 2}), strided({2, 2}, {0, 0}));
}

TEST(broadcast, dimensions_of_one_get_stride_zero_even_if_not_repeated) {
  EXPECT_EQ(usmx::broadcast(c_order({1, 3}), numbers{1, 3}), strided({1, 3}, {0, 1}));
}

TEST(broadcast, to_and_from_no_elements) {
  EXPECT_EQ(usmx::broadcast(c_order({1, 3}), numbers{0, 3}), strided({0, 3}, {0, 1}));
  EXPECT_EQ(usmx::broadcast(c_order({0, 3}), numbers{2, 0, 3}), strided({2, 0, 3}, {0, 3, 1}));
}

TEST(broadcast, incompatible_shapes_are_rejected) {
  const layout source = c_order({4, 5});
  const auto call = [&] { usmx::broadcast(source, numbers{3, 5}); };
  EXPECT_EQ(message_of<usmx::value_error>(call), "cannot broadcast shape (4, 5) to (3, 5)");
  EXPECT_THROW(usmx::broadcast(source, numbers{5}), usmx::value_error);
  EXPECT_THROW(usmx::broadcast(source, numbers{4, 1}), usmx::value_error);
  EXPECT_THROW(usmx::broadcast(source, numbers{0, 5}), usmx::value_error);
  EXPECT_THROW(usmx::broadcast(source, numbers{-1, 4, 5}), usmx::value_error);
  EXPECT_THROW(usmx::broadcast(layout(), numbers(65, 1)), usmx::value_error);
}

TEST(broadcast, size_that_cannot_be_counted_overflows) {
  EXPECT_THROW(usmx::broadcast(layout(), numbers{two_to_62, 2}), usmx::overflow_error);
}

TEST(broadcast_assigned, leading_dimensions_of_one_that_are_too_many_are_dropped) {
  EXPECT_EQ(usmx::broadcast_assigned(c_order({1, 1, 3}, 2), numbers{2, 3}),
            strided({2, 3}, {0, 1}, 2));
  EXPECT_EQ(usmx::broadcast_assigned(c_order({1, 1}), numbers{}), layout());
  EXPECT_EQ(usmx::broadcast_assigned(c_order({3}), numbers{2, 3}), strided({2, 3}, {0, 1}));
}

TEST(broadcast_assigned, incompatible_shapes_are_rejected_in_numpys_words) {
  const auto call = [] { usmx::broadcast_assigned(c_order({2, 1, 3}), numbers{2, 3}); };
  EXPECT_EQ(message_of<usmx::value_error>(call),
            "could not broadcast input array from shape (2, 1, 3) into shape (2, 3)");
}

TEST(reshaped, contiguous_layouts_take_every_shape_of_their_size) {
  const layout source = c_order({4, 6}, 3);
  EXPECT_EQ(usmx::reshaped(source, numbers{2, 3, 4}), c_order({2, 3, 4}, 3));
  EXPECT_EQ(usmx::reshaped(source, numbers{24}), c_order({24}, 3));
  EXPECT_EQ(usmx::reshaped(layout(), numbers{1, 1}), c_order({1, 1}));
  EXPECT_EQ(usmx::reshaped(c_order({1, 1}), numbers{}), layout());
}

TEST(reshaped, dimensions_split_without_a_copy) {
  EXPECT_EQ(usmx::reshaped(strided({6}, {-2}, 10), numbers{2, 3}), strided({2, 3}, {-6, -2}, 10));
}

// np.arange(6).reshape(2, 1, 3)[:, :, ::2].reshape(2, 2, 1, 1).strides
TEST(reshaped, trailing_ones_get_the_stride_that_numpy_gives) {
  EXPECT_EQ(usmx::reshaped(strided({2, 1, 2}, {3, 3, 2}), numbers{2, 2, 1, 1}),
            strided({2, 2, 1, 1}, {3, 2, 2, 2}));
}

TEST(reshaped, dimensions_with_gaps_cannot_merge) {
  EXPECT_EQ(usmx::reshaped(strided({2, 3}, {4, 1}), numbers{6}), std::nullopt);
  EXPECT_EQ(usmx::reshaped(usmx::transposed(c_order({2, 3})), numbers{6}), std::nullopt);
}

TEST(reshaped, same_shape_keeps_every_stride) {
  const layout source = strided({1, 3}, {99, 1});
  EXPECT_EQ(usmx::reshaped(source, numbers{1, 3}), source);
}

TEST(reshaped, empty_layouts_take_every_empty_shape) {
  const layout source = strided({2, 0}, {-7, 9}, 5);
  EXPECT_EQ(usmx::reshaped(source, numbers{0, 3}), strided({0, 3}, {3, 1}, 5));
}

TEST(reshaped, other_sizes_are_rejected) {
  const layout source = c_order({4, 5});
  const auto call = [&] { usmx::reshaped(source, numbers{7, 3}); };
  EXPECT_EQ(message_of<usmx::value_error>(call),
            "cannot reshape 20 elements of shape (4, 5) to shape (7, 3)");
  EXPECT_THROW(usmx::reshaped(source, numbers{-1, 5}), usmx::value_error);
  EXPECT_THROW(usmx::reshaped(source, numbers{two_to_62, 4}), usmx::value_error);
  EXPECT_THROW(usmx::reshaped(source, numbers{0}), usmx::value_error);
}

TEST(reshaped, strides_of_ones_that_do_not_fit_are_zero) {
  EXPECT_EQ(usmx::reshaped(strided({2}, {two_to_62}), numbers{1, 2}),
            strided({1, 2}, {0, two_to_62}));
}

// Arithmetic and text.

TEST(checked_arithmetic, results_that_fit_are_returned) {
  EXPECT_EQ(usmx::checked_add(highest - 1, 1, "sum"), highest);
  EXPECT_EQ(usmx::checked_add(lowest, highest, "sum"), -1);
  EXPECT_EQ(usmx::checked_multiply(-two_to_62, 2, "product"), lowest);
}

TEST(checked_arithmetic, overflow_says_what_and_both_values) {
  EXPECT_EQ(message_of<usmx::overflow_error>([] { usmx::checked_add(highest, 1, "last byte"); }),
            "last byte: 9223372036854775807 + 1 does not fit ptrdiff_t");
  EXPECT_EQ(message_of<usmx::overflow_error>([] { usmx::checked_multiply(lowest, -1, "nbytes"); }),
            "nbytes: -9223372036854775808 * -1 does not fit ptrdiff_t");
}

TEST(tuple_text, is_as_python_prints_a_tuple) {
  EXPECT_EQ(usmx::tuple_text(numbers{}), "()");
  EXPECT_EQ(usmx::tuple_text(numbers{4}), "(4,)");
  EXPECT_EQ(usmx::tuple_text(numbers{2, -3}), "(2, -3)");
}

// Shapes with one entry left to compute.

numbers resolved(numbers shape, std::ptrdiff_t size) {
  usmx::resolve_extent(shape, size);
  return shape;
}

TEST(layout, strides_in_bytes_are_counted_in_elements) {
  const auto found = layout::strided_in_bytes(numbers{2, 3}, numbers{-24, 8}, 8);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, strided({2, 3}, {-3, 1}));
}

TEST(layout, strides_in_bytes_that_are_no_whole_elements_make_no_layout) {
  EXPECT_FALSE(layout::strided_in_bytes(numbers{2, 3}, numbers{25, 8}, 8));
}

TEST(layout, element_in_c_order_counts_the_last_axis_fastest) {
  const layout a = strided({2, 3}, {-1, 10}, 4);
  const numbers offsets{4, 14, 24, 3, 13, 23};
  for (std::ptrdiff_t k = 0; k < 6; ++k) {
    const layout element = usmx::layout().with_offset(offsets[static_cast<std::size_t>(k)]);
    EXPECT_EQ(usmx::element_in_c_order(a, k), element);
    EXPECT_EQ(usmx::element_in_c_order(a, k - 6), element);
  }
}

TEST(layout, element_in_c_order_outside_is_an_index_error_that_names_index_and_size) {
  for (const std::ptrdiff_t index : {6, -7}) {
    const std::string message =
        message_of<usmx::index_error>([&] { usmx::element_in_c_order(c_order({2, 3}), index); });
    EXPECT_NE(message.find("index " + std::to_string(index)), message.npos) << message;
    EXPECT_NE(message.find("size 6"), message.npos) << message;
  }
}

TEST(layout, minus_one_becomes_the_extent_that_is_missing) {
  EXPECT_EQ(resolved({4, -1}, 24), (numbers{4, 6}));
  EXPECT_EQ(resolved({-1}, 1), numbers{1});
  EXPECT_EQ(resolved({3, -1}, 0), (numbers{3, 0}));
  EXPECT_EQ(resolved({5, 5}, 24), (numbers{5, 5}));
}

TEST(layout, minus_one_is_an_error_where_no_extent_fits) {
  for (const numbers& shape : {numbers{5, -1}, numbers{0, -1}, numbers{two_to_62, 4, -1}}) {
    EXPECT_NE(message_of<usmx::value_error>([&] {
                resolved(shape, 24);
              }).find("24 elements to shape " + usmx::tuple_text(shape)),
              std::string::npos);
  }
  message_of<usmx::value_error>([] { resolved({0, -1}, 0); });
}

TEST(layout, only_one_entry_can_be_computed) {
  for (const numbers& shape : {numbers{-1, -1}, numbers{-1, -2}}) {
    EXPECT_NE(message_of<usmx::value_error>([&] {
                resolved(shape, 24);
              }).find("found " + usmx::tuple_text(shape)),
              std::string::npos);
  }
}

TEST(layout, reshaped_in_fortran_order_takes_the_first_index_fastest) {
  const layout f = layout::f_order(numbers{2, 3, 4}, 7);
  EXPECT_EQ(usmx::reshaped_f_order(f, numbers{6, 4}), strided({6, 4}, {1, 6}, 7));
  EXPECT_EQ(usmx::reshaped_f_order(f, numbers{24}), strided({24}, {1}, 7));
  EXPECT_EQ(usmx::reshaped_f_order(c_order({2, 3}), numbers{6}), std::nullopt);
  EXPECT_EQ(usmx::reshaped_f_order(c_order({2, 3}), numbers{2, 3}), c_order({2, 3}));
}

}  // namespace
