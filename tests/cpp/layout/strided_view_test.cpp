#include "usmx/layout/strided_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <vector>

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
  static_assert(!std::ranges::range<strided_view<int, 2>>);
  EXPECT_EQ(std::vector(column.begin(), column.end()), (std::vector{4, 1}));
  EXPECT_EQ(std::accumulate(column.begin(), column.end(), 0), 5);
  std::ranges::sort(column);
  EXPECT_EQ(column[0], 1);
  EXPECT_EQ(storage[1], 4);
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
}
#endif

}  // namespace
