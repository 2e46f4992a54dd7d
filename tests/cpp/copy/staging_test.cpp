// src/copy/staging.hpp: elements without gaps in memory that the host may touch.
#include "copy/staging.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"

namespace {

using usmx::array_view;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using usmx::detail::staging_for_commands;
using usmx::internal::staging;
using extents = std::vector<std::ptrdiff_t>;
using staging_test = support::device_test;

TEST_F(staging_test, room_is_compact_and_for_the_host) {
  const staging room(extents{2, 3}, type_code::int16, queue());
  EXPECT_EQ(room.view().layout(), layout::c_order(extents{2, 3}));
  EXPECT_EQ(room.view().type(), type_code::int16);
  EXPECT_EQ(room.view().kind(), usm_kind::unknown);
  EXPECT_FALSE(room.view().readonly());
  std::ranges::fill(std::span(room.view().contiguous<std::int16_t>(), 6), std::int16_t{1});
}

TEST_F(staging_test, fetched_elements_are_those_of_the_source_in_c_order) {
  std::vector<std::int32_t> numbers(12);
  std::iota(numbers.begin(), numbers.end(), 0);
  const support::runtime_block block(48, usm_kind::device, queue());
  queue().memcpy(block.data(), numbers.data(), 48).wait();
  const array_view columns(block.data(), type_code::int32,
                           layout::strided(extents{2, 3}, extents{-1, 4}, 1), usm_kind::device,
                           queue(), true);
  const staging fetched = staging::fetched(columns);
  const auto* found = fetched.view().contiguous<std::int32_t>();
  EXPECT_EQ(std::vector(found, found + 6), (std::vector<std::int32_t>{1, 5, 9, 0, 4, 8}));
}

TEST_F(staging_test, fetched_elements_may_be_converted) {
  const std::vector<std::int32_t> numbers{3, -7};
  const support::runtime_block block(8, usm_kind::device, queue());
  queue().memcpy(block.data(), numbers.data(), 8).wait();
  const array_view source(block.data(), type_code::int32, layout::c_order(extents{2}),
                          usm_kind::device, queue(), true);
  const staging fetched = staging::fetched(source, type_code::float64);
  const auto* found = fetched.view().contiguous<double>();
  EXPECT_EQ(std::vector(found, found + 2), (std::vector<double>{3, -7}));
}

TEST_F(staging_test, fetched_elements_of_an_array_come_after_what_was_recorded) {
  const usmx::array source = usmx::empty(extents{2}, type_code::int32, queue());
  const std::vector<std::int32_t> numbers{3, -7};
  source.record(new_queue().memcpy(source.data(), numbers.data(), 8));
  const staging fetched = staging::fetched(
      source.slice(usmx::range(usmx::index_item::none, usmx::index_item::none, -1)),
      type_code::float64);
  const auto* found = fetched.view().contiguous<double>();
  EXPECT_EQ(std::vector(found, found + 2), (std::vector<double>{-7, 3}));
}

TEST_F(staging_test, moved_room_stays_where_it_is) {
  staging room(extents{4}, type_code::int8, queue());
  const void* before = room.view().data();
  const staging moved = std::move(room);
  EXPECT_EQ(moved.view().data(), before);
}

TEST_F(staging_test, more_bytes_than_can_be_counted_are_an_error) {
  const extents huge{std::ptrdiff_t{1} << 62};
  support::expect_error<usmx::overflow_error>([&] { staging(huge, type_code::float64, queue()); },
                                              {"number of bytes of the array"});
}

TEST_F(staging_test, room_for_commands_is_host_memory_of_the_queue) {
  const auto room = staging_for_commands(layout::c_order(extents{5}), type_code::int8, queue());
  if (!device().has(sycl::aspect::usm_host_allocations)) {
    EXPECT_FALSE(room);
    return;
  }
  ASSERT_TRUE(room);
  EXPECT_EQ(room->kind(), usm_kind::host);
  EXPECT_EQ(room->queue(), queue());
  EXPECT_EQ(room->size(), 5);
}

}  // namespace
