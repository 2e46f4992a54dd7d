// usmx/layout/for_each.hpp: every index once, in C order, and what moves along is always there.
#include "usmx/layout/for_each.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using usmx::detail::advance_index;
using usmx::detail::for_each_index;
using usmx::detail::place_index;
using numbers = std::vector<std::ptrdiff_t>;

/// An index whose place in C order moves along.
class walk {
 private:
  auto extent_of() const {
    return [this](std::size_t k) { return shape_[k]; };
  }
  auto move() {
    return [this](std::size_t k, std::ptrdiff_t steps) { place_ += strides_[k] * steps; };
  }

 public:
  explicit walk(numbers shape) : shape_(std::move(shape)), index_(shape_.size()) {
    std::ptrdiff_t stride = 1;
    strides_.resize(shape_.size());
    for (std::size_t k = shape_.size(); k-- > 0;) {
      strides_[k] = stride;
      stride *= shape_[k];
    }
  }

  bool advance(std::ptrdiff_t steps = 1) {
    return advance_index(index_, extent_of(), move(), steps);
  }
  void place_at(std::ptrdiff_t position) { place_index(index_, extent_of(), move(), position); }
  std::vector<numbers> all() {
    std::vector<numbers> seen;
    std::ptrdiff_t count = 0;
    for_each_index(shape_.size(), extent_of(), move(), [&](std::span<const std::ptrdiff_t> index) {
      seen.emplace_back(index.begin(), index.end());
      EXPECT_EQ(place_, count++);
    });
    return seen;
  }

  const numbers& index() const { return index_; }
  std::ptrdiff_t place() const { return place_; }

 private:
  numbers shape_;
  numbers strides_;
  numbers index_;
  std::ptrdiff_t place_ = 0;
};

TEST(index_walk_test, every_index_comes_once_the_last_dimension_fastest) {
  EXPECT_EQ(
      walk({2, 1, 3}).all(),
      (std::vector<numbers>{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 0}, {1, 0, 1}, {1, 0, 2}}));
}

TEST(index_walk_test, without_dimensions_there_is_one_index) {
  EXPECT_EQ(walk({}).all(), std::vector<numbers>{{}});
}

TEST(index_walk_test, several_steps_along_the_last_dimension_are_one_move) {
  walk w({3, 5});
  EXPECT_TRUE(w.advance(4));
  EXPECT_EQ(w.index(), (numbers{0, 4}));
  EXPECT_TRUE(w.advance());
  EXPECT_EQ(w.index(), (numbers{1, 0}));
  EXPECT_TRUE(w.advance(5));
  EXPECT_EQ(w.index(), (numbers{2, 0}));
  EXPECT_EQ(w.place(), 10);
}

TEST(index_walk_test, after_the_last_index_everything_is_back_at_the_start) {
  walk w({2, 3});
  w.place_at(5);
  EXPECT_FALSE(w.advance());
  EXPECT_EQ(w.index(), (numbers{0, 0}));
  EXPECT_EQ(w.place(), 0);
}

TEST(index_walk_test, placing_is_as_many_steps_from_the_start) {
  walk stepped({2, 3, 4});
  for (std::ptrdiff_t position = 0; position < 24; ++position) {
    walk placed({2, 3, 4});
    placed.place_at(position);
    ASSERT_EQ(placed.index(), stepped.index());
    ASSERT_EQ(placed.place(), position);
    stepped.advance();
  }
}

}  // namespace
