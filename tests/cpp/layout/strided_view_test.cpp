#include "usmx/layout/strided_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "support/seed.hpp"
#include "usmx/layout/layout.hpp"

namespace {

using usmx::strided_view;

// 2 x 3 in C order: 0 1 2 / 3 4 5.
class strided_view_of_six : public ::testing::Test {
 protected:
  strided_view_of_six() { std::iota(storage.begin(), storage.end(), 0); }

  std::array<int, 6> storage;
  strided_view<int, 2> view{storage.data(), {2, 3}, {3, 1}};
};

TEST(strided_view, is_trivially_copyable_and_as_small_as_its_members) {
  using view = strided_view<float, 3>;
  static_assert(std::is_trivially_copyable_v<view>);
  static_assert(std::is_trivially_destructible_v<view>);
  static_assert(sizeof(view) == sizeof(float*) + 6 * sizeof(std::ptrdiff_t));
  static_assert(view::rank() == 3);
}

TEST(strided_view, converts_to_a_view_of_const_and_never_back) {
  static_assert(std::is_nothrow_convertible_v<strided_view<int, 2>, strided_view<const int, 2>>);
  static_assert(!std::is_convertible_v<strided_view<const int, 2>, strided_view<int, 2>>);
  static_assert(!std::is_convertible_v<strided_view<int, 2>, strided_view<const float, 2>>);
  static_assert(!std::is_convertible_v<strided_view<int, 2>, strided_view<const int, 3>>);
}

TEST(strided_view, takes_as_many_indices_as_dimensions) {
  using view = strided_view<int, 2>;
  static_assert(std::is_nothrow_invocable_v<view, int, std::size_t>);
  static_assert(!std::is_invocable_v<view, int>);
  static_assert(!std::is_invocable_v<view, int, int, int>);
  static_assert(!std::is_invocable_v<view, int, const char*>);
}

TEST(strided_view, works_in_constant_expressions) {
  static constexpr int numbers[] = {1, 2, 3, 4};
  constexpr strided_view<const int, 2> view(numbers, {2, 2}, {2, 1});
  static_assert(view(1, 0) == 3 && view[1](1) == 4 && view.size() == 4);
}

TEST_F(strided_view_of_six, observers_return_what_it_was_made_of) {
  EXPECT_EQ(view.data(), storage.data());
  EXPECT_EQ(view.extent(0), 2);
  EXPECT_EQ(view.extent(1), 3);
  EXPECT_EQ(view.stride(0), 3);
  EXPECT_EQ(view.stride(1), 1);
  EXPECT_EQ(view.size(), 6);
}

TEST_F(strided_view_of_six, call_finds_the_element_and_writes_through) {
  EXPECT_EQ(view(0, 0), 0);
  EXPECT_EQ(view(1, 2), 5);
  view(1, 0) = 42;
  EXPECT_EQ(storage[3], 42);
}

TEST_F(strided_view_of_six, indices_of_every_integer_type_mean_the_same) {
  EXPECT_EQ(view(std::size_t{1}, std::int8_t{2}), 5);
  EXPECT_EQ(view(1u, std::ptrdiff_t{1}), 4);
}

TEST_F(strided_view_of_six, negative_strides_walk_backwards_from_element_zero) {
  const strided_view<int, 2> reversed(&storage[5], {2, 3}, {-3, -1});
  EXPECT_EQ(reversed(0, 0), 5);
  EXPECT_EQ(reversed(1, 2), 0);
  EXPECT_EQ(reversed(0, 2), 3);
}

TEST_F(strided_view_of_six, zero_stride_repeats_an_element) {
  const strided_view<int, 2> repeated(&storage[1], {4, 2}, {0, 1});
  EXPECT_EQ(&repeated(0, 1), &repeated(3, 1));
  EXPECT_EQ(repeated.size(), 8);
}

TEST_F(strided_view_of_six, subview_drops_the_first_dimension) {
  const strided_view<int, 1> row = view[1];
  EXPECT_EQ(row.extent(0), 3);
  EXPECT_EQ(row.stride(0), 1);
  EXPECT_EQ(&row(2), &view(1, 2));
}

TEST_F(strided_view_of_six, view_of_const_sees_the_same_elements) {
  const strided_view<const int, 2> constant = view;
  EXPECT_EQ(&constant(1, 1), &view(1, 1));
  EXPECT_EQ(constant.extents(), view.extents());
  EXPECT_EQ(constant.strides(), view.strides());
}

TEST(strided_view, without_dimensions_is_one_element) {
  int number = 7;
  const strided_view<int, 0> view(&number, {}, {});
  EXPECT_EQ(view(), 7);
  EXPECT_EQ(view.size(), 1);
}

TEST(strided_view, with_an_extent_of_zero_has_no_elements_whatever_the_others_are) {
  const std::ptrdiff_t huge = std::numeric_limits<std::ptrdiff_t>::max();
  EXPECT_EQ((strided_view<int, 3>(nullptr, {huge, huge, 0}, {1, 1, 1}).size()), 0);
}

TEST_F(strided_view_of_six, one_dimension_gives_elements_by_index) {
  const strided_view<int, 1> column(&storage[1], {2}, {3});
  EXPECT_EQ(column[0], 1);
  EXPECT_EQ(column[1], 4);
  static_assert(std::is_same_v<decltype(column[0]), int&>);
}

TEST_F(strided_view_of_six, iterators_walk_along_one_dimension) {
  const strided_view<int, 1> column(&storage[4], {2}, {-3});
  static_assert(std::ranges::random_access_range<strided_view<int, 1>>);
  EXPECT_EQ(std::vector(column.begin(), column.end()), (std::vector{4, 1}));
  EXPECT_EQ(std::accumulate(column.begin(), column.end(), 0), 5);
  std::ranges::sort(column);
  EXPECT_EQ(column[0], 1);
  EXPECT_EQ(storage[1], 4);
}

TEST(strided_view, is_a_borrowed_view_of_elements_or_rows) {
  static_assert(std::ranges::view<strided_view<int, 1>> && std::ranges::view<strided_view<int, 3>>);
  static_assert(std::ranges::borrowed_range<strided_view<int, 1>>);
  static_assert(std::ranges::borrowed_range<strided_view<int, 3>>);
  static_assert(std::ranges::random_access_range<strided_view<int, 3>>);
  static_assert(std::ranges::sized_range<strided_view<int, 3>>);
  static_assert(!std::ranges::range<strided_view<int, 0>>);
  static_assert(sizeof(usmx::strided_iterator<int>) == 3 * sizeof(std::ptrdiff_t));
}

TEST_F(strided_view_of_six, range_of_two_dimensions_is_its_rows) {
  std::vector<int> sums;
  for (const strided_view<int, 1> row : view) {
    sums.push_back(std::accumulate(row.begin(), row.end(), 0));
  }
  EXPECT_EQ(sums, (std::vector{3, 12}));
  EXPECT_EQ(std::ranges::size(view), 2u);
  EXPECT_EQ(view.end() - view.begin(), 2);
  EXPECT_EQ(view.begin()[1](2), 5);
  for (auto row : view) std::ranges::fill(row, 7);
  EXPECT_EQ(storage, (std::array{7, 7, 7, 7, 7, 7}));
}

TEST_F(strided_view_of_six, rows_without_elements_are_rows) {
  const strided_view<int, 2> none(storage.data(), {2, 0}, {3, 1});
  EXPECT_EQ(std::ranges::distance(none), 2);
  EXPECT_EQ(none.size(), 0);
}

TEST_F(strided_view_of_six, adaptors_of_the_standard_library_take_views) {
  const auto first = [](strided_view<int, 1> row) { return row[0]; };
  std::vector<int> firsts;
  for (const int x : view | std::views::reverse | std::views::transform(first)) firsts.push_back(x);
  EXPECT_EQ(firsts, (std::vector{3, 0}));
  const auto found = std::ranges::find(view[1], 4);  // no dangling, though the view is gone
  EXPECT_EQ(*found, 4);
}

TEST_F(strided_view_of_six, default_made_view_has_no_elements) {
  const strided_view<int, 2> none;
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.begin() == none.end());
}

TEST_F(strided_view_of_six, slice_has_a_dimension_less_for_each_integer) {
  const strided_view<int, 1> column = view.slice(usmx::range(), 1);
  EXPECT_EQ(std::vector(column.begin(), column.end()), (std::vector{1, 4}));
  const strided_view<int, 1> last = view.slice(-1);
  EXPECT_EQ(&last[0], &storage[3]);
  EXPECT_EQ(view.slice(1, std::size_t{2})(), 5);
  EXPECT_EQ(view.slice().extents(), view.extents());
}

TEST_F(strided_view_of_six, pair_of_integers_is_a_range_as_in_submdspan) {
  const strided_view<int, 2> part = view.slice(usmx::ellipsis, std::pair{1, 3});
  EXPECT_EQ(part.extents(), (std::array<std::ptrdiff_t, 2>{2, 2}));
  EXPECT_EQ(part(1, 1), 5);
}

TEST_F(strided_view_of_six, newaxis_adds_a_dimension) {
  const strided_view<int, 3> batch = view.slice(usmx::newaxis);
  EXPECT_EQ(batch.extents(), (std::array<std::ptrdiff_t, 3>{1, 2, 3}));
  EXPECT_EQ(batch(0, 1, 2), 5);
}

TEST_F(strided_view_of_six, slice_of_no_elements_does_not_move_the_pointer) {
  EXPECT_EQ(view.slice(usmx::range(5, 9)).data(), view.data());
  const std::ptrdiff_t huge = std::numeric_limits<std::ptrdiff_t>::max();
  const strided_view<int, 2> none(storage.data(), {0, 3}, {1, huge});
  EXPECT_EQ(none.slice(usmx::range(), 2).data(), none.data());
}

TEST_F(strided_view_of_six, transposed_reverses_the_dimensions) {
  EXPECT_EQ(view.transposed().extents(), (std::array<std::ptrdiff_t, 2>{3, 2}));
  EXPECT_EQ(&view.transposed()(2, 1), &view(1, 2));
}

/// Expects the elements that the layout of an array has under the same items.
template <std::size_t N, class... Items>
void expect_subscript(const strided_view<const int, N>& view, const usmx::layout& where,
                      const Items&... items) {
  const std::array<usmx::index_item, sizeof...(Items)> all{usmx::detail::as_index_item(items)...};
  const usmx::layout expected = usmx::subscript(where, all);
  const auto found = view.slice(items...);
  ASSERT_TRUE(std::ranges::equal(found.extents(), expected.shape())) << expected;
  if (found.size() == 0) return;
  EXPECT_EQ(found.data() - view.data(), expected.offset() - where.offset()) << expected;
  for (std::size_t k = 0; k < found.rank(); ++k) {
    if (found.extent(k) > 1) {
      EXPECT_EQ(found.stride(k), expected.strides()[k]) << expected;
    }
  }
}

TEST(strided_view, slices_are_those_of_layouts) {
  std::mt19937 random(support::seed(48));
  const auto number = [&](std::ptrdiff_t low, std::ptrdiff_t high) {
    return std::uniform_int_distribution<std::ptrdiff_t>(low, high)(random);
  };
  const auto range = [&] {
    const auto bound = [&] { return number(0, 3) == 0 ? usmx::index_item::none : number(-8, 8); };
    const std::ptrdiff_t step = number(1, 4) * (number(0, 1) == 0 ? 1 : -1);
    return usmx::range(bound(), bound(), step);
  };
  const std::vector<int> memory(5 * 5 * 5);
  for (int round = 0; round < 2000; ++round) {
    const std::array<std::ptrdiff_t, 3> extents{number(1, 5), number(0, 5), number(1, 5)};
    const std::array<std::ptrdiff_t, 3> strides{25, -5, 1};
    const strided_view<const int, 3> view(memory.data() + 20, extents, strides);
    const usmx::layout where = usmx::layout::strided(extents, strides, 20);
    const std::ptrdiff_t first = number(-extents[0], extents[0] - 1);
    const std::ptrdiff_t last = number(-extents[2], extents[2] - 1);
    expect_subscript(view, where, range(), range(), range());
    expect_subscript(view, where, first, range());
    expect_subscript(view, where, usmx::ellipsis, last);
    expect_subscript(view, where, range(), usmx::newaxis, usmx::ellipsis, range());
    expect_subscript(view, where, std::pair{number(-8, 8), number(-8, 8)}, usmx::newaxis);
  }
}

TEST_F(strided_view_of_six, iterators_of_repeated_elements_differ) {
  const strided_view<const int, 1> repeated(&storage[2], {4}, {0});
  EXPECT_EQ(std::ranges::distance(repeated), 4);
  EXPECT_EQ(std::accumulate(repeated.begin(), repeated.end(), 0), 8);
}

TEST_F(strided_view_of_six, type_and_rank_are_deduced) {
  const auto rank_of = []<class T, std::size_t N>(strided_view<T, N>) { return N; };
  EXPECT_EQ(rank_of(view), 2u);
  const strided_view deduced(storage.data(), std::array<std::ptrdiff_t, 2>{2, 3},
                             std::array<std::ptrdiff_t, 2>{3, 1});
  static_assert(std::is_same_v<decltype(deduced), const strided_view<int, 2>>);
}

#if !defined(NDEBUG)
TEST_F(strided_view_of_six, index_outside_its_dimension_ends_a_build_with_assertions) {
  EXPECT_DEATH(view(0, 3), "has\\(indices");
  EXPECT_DEATH(view(-1, 0), "has\\(indices");
  EXPECT_DEATH(view[2], "index");
  EXPECT_DEATH(view[0][3], "has\\(indices");
  EXPECT_DEATH(view.slice(2), "index");
  EXPECT_DEATH(view.slice(usmx::range(0, 1, 0)), "step");
}
#endif

}  // namespace
