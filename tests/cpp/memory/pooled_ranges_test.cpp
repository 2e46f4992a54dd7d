// src/memory/registry.hpp: the memory that pools have, which readers find without a lock.
#include "memory/registry.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace {

namespace pooled_ranges = usmx::detail::pooled_ranges;

/// Nothing is read there: addresses that no allocation has.
const std::byte* pooled_address(std::uintptr_t offset) {
  return reinterpret_cast<const std::byte*>(std::uintptr_t{0x5100'0000'0000} + offset);
}

TEST(pooled_ranges_test, bytes_of_a_range_are_found_until_it_is_removed) {
  pooled_ranges::add(pooled_address(0), 64);
  EXPECT_TRUE(pooled_ranges::contains(pooled_address(0)));
  EXPECT_TRUE(pooled_ranges::contains(pooled_address(63)));
  EXPECT_FALSE(pooled_ranges::contains(pooled_address(64)));
  pooled_ranges::remove(pooled_address(0));
  EXPECT_FALSE(pooled_ranges::contains(pooled_address(0)));
}

// Each change before it moves it one place to and fro, and for a while it is in none.
TEST(pooled_ranges_test, range_is_found_at_all_times_while_one_before_it_comes_and_goes) {
  constexpr std::uintptr_t apart = 4096;
  constexpr std::uintptr_t ranges = 200;
  constexpr int looks_wanted = 2'000'000;
  for (std::uintptr_t k = 1; k <= ranges; ++k) {
    pooled_ranges::add(pooled_address(k * apart), 64);
  }
  std::atomic<int> looks = 0;
  std::atomic<int> lost = 0;
  std::thread reader([&] {
    for (; looks < looks_wanted; ++looks) {
      lost += !pooled_ranges::contains(pooled_address(ranges * apart + 63));
      lost += pooled_ranges::contains(pooled_address(ranges * apart + 64));
    }
  });
  while (looks < looks_wanted) {
    pooled_ranges::add(pooled_address(0), 64);
    pooled_ranges::remove(pooled_address(0));
  }
  reader.join();
  EXPECT_EQ(lost, 0);
  for (std::uintptr_t k = 1; k <= ranges; ++k) {
    pooled_ranges::remove(pooled_address(k * apart));
  }
}

}  // namespace
