// src/layout/layout.hpp: the bytes that elements lie in, and when two ranges meet.
#include "layout/layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

using usmx::layout;
using usmx::detail::byte_range;
using usmx::detail::bytes_of;
using usmx::detail::overlap;
using extents = std::vector<std::ptrdiff_t>;

std::array<std::byte, 256> memory;
std::byte* const origin = memory.data() + 128;

std::pair<std::ptrdiff_t, std::ptrdiff_t> offsets_of(const layout& where, std::size_t itemsize) {
  const byte_range found = bytes_of(origin, where, itemsize);
  const auto at = reinterpret_cast<std::uintptr_t>(origin);
  return {static_cast<std::ptrdiff_t>(found.begin - at),
          static_cast<std::ptrdiff_t>(found.end - at)};
}

TEST(byte_range_test, compact_elements_fill_their_range) {
  EXPECT_EQ(offsets_of(layout::c_order(extents{2, 3}, 1), 4), std::pair(4L, 28L));
}

TEST(byte_range_test, range_goes_from_the_lowest_to_the_highest_element) {
  EXPECT_EQ(offsets_of(layout::strided(extents{3, 2}, extents{-4, 1}, 2), 2), std::pair(-12L, 8L));
}

TEST(byte_range_test, repeated_element_is_one_element) {
  EXPECT_EQ(offsets_of(layout::strided(extents{1000}, extents{0}), 8), std::pair(0L, 8L));
}

TEST(byte_range_test, ranges_with_a_byte_in_common_overlap) {
  EXPECT_TRUE(overlap({10, 20}, {19, 30}));
  EXPECT_TRUE(overlap({19, 30}, {10, 20}));
  EXPECT_TRUE(overlap({10, 20}, {12, 13}));
}

TEST(byte_range_test, neighbours_do_not_overlap) {
  EXPECT_FALSE(overlap({10, 20}, {20, 30}));
  EXPECT_FALSE(overlap({20, 30}, {10, 20}));
}

}  // namespace
