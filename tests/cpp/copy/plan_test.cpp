// src/copy/plan.hpp: the simplest form of a copy, as text, and when two sides have bytes in common.
#include "copy/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "support/seed.hpp"

namespace {

using usmx::dtype;
using usmx::type_code;
using usmx::detail::copy_dimension;
using usmx::detail::copy_end;
using usmx::detail::copy_plan;
using usmx::detail::make_plan;
using numbers = std::vector<std::ptrdiff_t>;

std::array<std::byte, 4096> memory;
std::byte* const middle = memory.data() + 2048;

copy_plan plan_of(const numbers& shape, const numbers& source_strides,
                  const numbers& destination_strides, dtype from = type_code::int8,
                  dtype to = type_code::int8, std::byte* source = middle,
                  std::byte* destination = middle) {
  return make_plan(
      shape, copy_end{source, from, source_strides, static_cast<std::ptrdiff_t>(from.itemsize())},
      copy_end{destination, to, destination_strides, static_cast<std::ptrdiff_t>(to.itemsize())});
}

std::string text(const copy_plan& plan) {
  std::ostringstream out;
  out << plan;
  return out.str();
}

TEST(copy_plan_test, compact_arrays_are_one_run) {
  EXPECT_EQ(text(plan_of({2, 3, 4}, {12, 4, 1}, {12, 4, 1})), "int8 -> int8: 24 x (1 -> 1)");
  EXPECT_EQ(text(plan_of({2, 3, 4}, {1, 2, 6}, {1, 2, 6})), "int8 -> int8: 24 x (1 -> 1)");
  EXPECT_TRUE(plan_of({2, 3, 4}, {12, 4, 1}, {12, 4, 1}).is_whole());
}

TEST(copy_plan_test, strides_are_bytes) {
  EXPECT_EQ(text(plan_of({4}, {2}, {1}, type_code::float32, type_code::float64)),
            "float32 -> float64: 4 x (8 -> 8)");
}

TEST(copy_plan_test, dimensions_of_one_are_dropped) {
  EXPECT_EQ(text(plan_of({1, 4, 1}, {77, 1, -5}, {9, 1, 3})), "int8 -> int8: 4 x (1 -> 1)");
  EXPECT_EQ(text(plan_of({1, 1}, {7, 7}, {9, 9})), "int8 -> int8:");
  EXPECT_TRUE(plan_of({}, {}, {}).is_whole());
}

TEST(copy_plan_test, longest_stride_of_the_destination_is_outermost) {
  EXPECT_EQ(text(plan_of({2, 3, 4}, {1, 2, 6}, {20, 1, 5})),
            "int8 -> int8: 2 x (1 -> 20) 4 x (6 -> 5) 3 x (2 -> 1)");
}

TEST(copy_plan_test, destination_is_walked_upwards) {
  const copy_plan plan = plan_of({4}, {1}, {-1});
  EXPECT_EQ(text(plan), "int8 -> int8: 4 x (-1 -> 1)");
  EXPECT_EQ(plan.source, middle + 3);
  EXPECT_EQ(plan.destination, middle - 3);
}

TEST(copy_plan_test, reversed_on_both_sides_is_not_reversed_at_all) {
  const copy_plan plan = plan_of({3, 4}, {-4, -1}, {-4, -1});
  EXPECT_EQ(text(plan), "int8 -> int8: 12 x (1 -> 1)");
  EXPECT_EQ(plan.source, middle - 11);
}

TEST(copy_plan_test, repeated_sources_are_joined) {
  EXPECT_EQ(text(plan_of({3, 4}, {0, 0}, {4, 1})), "int8 -> int8: 12 x (0 -> 1)");
  EXPECT_EQ(text(plan_of({3, 4}, {0, 1}, {4, 1})), "int8 -> int8: 3 x (0 -> 4) 4 x (1 -> 1)");
}

TEST(copy_plan_test, last_element_stays_where_the_destination_repeats) {
  const copy_plan plan = plan_of({3, 4}, {4, 1}, {0, 1});
  EXPECT_EQ(text(plan), "int8 -> int8: 4 x (1 -> 1)");
  EXPECT_EQ(plan.source, middle + 8);
}

TEST(copy_plan_test, as_many_dimensions_as_there_can_be) {
  const numbers shape(usmx::max_ndim, 2);
  numbers strides(usmx::max_ndim, 0);  // a real destination of that many is beyond all memory
  EXPECT_EQ(plan_of(shape, strides, strides).ndim, 0U);
}

TEST(copy_plan_test, rows_are_runs_of_adjacent_items_of_one_type) {
  EXPECT_TRUE(plan_of({3, 4}, {5, 1}, {4, 1}).has_rows());
  EXPECT_EQ(plan_of({3, 4}, {5, 1}, {4, 1}, type_code::int16, type_code::int16).row_nbytes(), 8U);
  EXPECT_FALSE(plan_of({3, 4}, {8, 2}, {4, 1}).has_rows());
  EXPECT_FALSE(plan_of({4}, {1}, {1}, type_code::int8, type_code::uint8).has_rows());
}

// ---- Overlap

TEST(copy_plan_test, views_between_each_other_do_not_overlap) {
  const auto overlap = [](const copy_plan& plan) { return may_overlap(plan); };
  EXPECT_FALSE(
      overlap(plan_of({8}, {2}, {2}, type_code::int8, type_code::int8, middle, middle + 1)))
      << "even and odd items";
  EXPECT_FALSE(overlap(
      plan_of({4, 3}, {6, 1}, {6, 1}, type_code::int8, type_code::int8, middle, middle + 3)))
      << "left and right half of a matrix";
  EXPECT_FALSE(
      overlap(plan_of({4}, {-4}, {4}, type_code::int16, type_code::int16, middle + 24, middle + 2)))
      << "two fields in opposite directions";
  EXPECT_TRUE(
      overlap(plan_of({8}, {1}, {1}, type_code::int8, type_code::int8, middle, middle + 1)));
  EXPECT_TRUE(overlap(plan_of({3, 3}, {3, 1}, {1, 3})));
}

TEST(copy_plan_test, overlap_that_is_there_is_always_seen) {
  std::mt19937 random(support::seed(3));
  const auto number = [&](int from, int to) {
    return std::uniform_int_distribution<std::ptrdiff_t>(from, to)(random);
  };
  int apart = 0;
  int surely_apart = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto ndim = static_cast<std::size_t>(number(0, 3));
    numbers shape(ndim), from(ndim), to(ndim);
    for (std::size_t k = 0; k < ndim; ++k) {
      shape[k] = number(1, 4);
      from[k] = number(-12, 12);
      to[k] = number(-12, 12);
    }
    const dtype source_type = number(0, 1) == 0 ? type_code::int8 : type_code::int32;
    const dtype destination_type = number(0, 1) == 0 ? source_type : dtype(type_code::int16);
    std::byte* const destination = middle + number(-40, 40);
    const copy_plan plan =
        plan_of(shape, from, to, source_type, destination_type, middle, destination);
    std::set<const std::byte*> touched;
    usmx::detail::for_each_index(plan.dimensions(), plan.source, plan.destination,
                                 [&](const std::byte* source, std::byte*) {
                                   for (std::size_t i = 0; i < source_type.itemsize(); ++i)
                                     touched.insert(source + i);
                                 });
    bool overlap = false;
    usmx::detail::for_each_index(plan.dimensions(), plan.source, plan.destination,
                                 [&](const std::byte*, std::byte* place) {
                                   for (std::size_t i = 0; i < destination_type.itemsize(); ++i) {
                                     overlap = overlap || touched.contains(place + i);
                                   }
                                 });
    ASSERT_TRUE(!overlap || may_overlap(plan)) << plan << ", " << destination - middle;
    apart += !overlap;
    surely_apart += !may_overlap(plan);
  }
  EXPECT_GT(surely_apart, apart / 2);
}

TEST(copy_plan_test, copy_onto_itself_is_in_place) {
  EXPECT_TRUE(is_in_place(plan_of({3, 4}, {4, 1}, {4, 1})));
  EXPECT_TRUE(is_in_place(plan_of({3, 4}, {-4, 1}, {-4, 1})));
  EXPECT_FALSE(is_in_place(plan_of({3, 4}, {1, 3}, {4, 1})));
  EXPECT_FALSE(is_in_place(plan_of({4}, {1}, {1}, type_code::int8, type_code::uint8)));
  EXPECT_FALSE(
      is_in_place(plan_of({4}, {1}, {1}, type_code::int8, type_code::int8, middle, middle + 100)));
}

}  // namespace
