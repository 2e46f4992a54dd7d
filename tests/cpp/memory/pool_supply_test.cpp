// memory/pool.hpp: what a pool has from the resource below.
#include "memory/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/resources.hpp"

namespace {

using support::expect_error;
using usmx::allocation_error;
using usmx::usm_kind;
using usmx::detail::pool_supply;
namespace pooled_ranges = usmx::detail::pooled_ranges;

class pool_supply_test : public support::device_test {
 protected:
  pool_supply supply_{std::make_shared<usmx::usm_resource>(usm_kind::shared), queue()};
};

TEST_F(pool_supply_test, memory_is_a_pools_until_it_is_given_back) {
  std::byte* block = supply_.acquire(1000, 64);
  EXPECT_TRUE(pooled_ranges::contains(block));
  EXPECT_TRUE(pooled_ranges::contains(block + 999));
  EXPECT_FALSE(pooled_ranges::contains(block + 1000));
  EXPECT_FALSE(pooled_ranges::contains(block - 1));
  supply_.give_back(block, 1000, 64);
  EXPECT_FALSE(pooled_ranges::contains(block));
}

TEST_F(pool_supply_test, limit_is_of_all_bytes_and_can_be_moved) {
  supply_.set_limit(1500);
  std::byte* block = supply_.acquire(1000, 64);
  expect_error<allocation_error>([&] { supply_.acquire(501, 64); },
                                 {"501 bytes", "1000 bytes", "1500 bytes"});
  supply_.set_limit(500);
  expect_error<allocation_error>([&] { supply_.acquire(1, 64); }, {"500 bytes"});
  EXPECT_EQ(supply_.nbytes(), 1000U);
  supply_.give_back(block, 1000, 64);
  EXPECT_EQ(supply_.nbytes(), 0U);
  EXPECT_EQ(supply_.peak_nbytes(), 1000U);
}

TEST_F(pool_supply_test, refusal_below_counts_no_bytes) {
  EXPECT_THROW(supply_.acquire(SIZE_MAX / 2, 64), allocation_error);
  EXPECT_EQ(supply_.nbytes(), 0U);
  EXPECT_EQ(supply_.peak_nbytes(), 0U);
}

// The addresses are of nobody's memory: they are never read through.
std::byte* address(std::uintptr_t number) { return reinterpret_cast<std::byte*>(number); }

TEST(pooled_ranges_test, each_of_many_is_found_and_what_lies_between_is_not) {
  constexpr std::uintptr_t count = 1000;
  constexpr std::uintptr_t step = 7;  // prime to count: all of them, in another order
  const auto first_of = [](std::uintptr_t k) { return address(0x5100'0000'0000 + k * 8192); };
  for (std::uintptr_t k = 0; k < count; ++k) {
    pooled_ranges::add(first_of(k * step % count), 4096);
  }
  for (std::uintptr_t k = 0; k < count; k += 2) {
    pooled_ranges::remove(first_of(k));
  }
  for (std::uintptr_t k = 0; k < count; ++k) {
    EXPECT_EQ(pooled_ranges::contains(first_of(k)), k % 2 == 1) << k;
    EXPECT_EQ(pooled_ranges::contains(first_of(k) + 4095), k % 2 == 1) << k;
    EXPECT_FALSE(pooled_ranges::contains(first_of(k) + 4096)) << k;
  }
  for (std::uintptr_t k = 1; k < count; k += 2) {
    pooled_ranges::remove(first_of(k));
  }
  EXPECT_FALSE(pooled_ranges::contains(first_of(1)));
}

TEST(pooled_ranges_test, one_is_found_at_every_moment_while_others_come_and_go) {
  std::byte* const start = address(0x5200'0000'0000);
  std::byte* const kept = start + 100 * 4096;
  pooled_ranges::add(kept, 4096);
  std::atomic<bool> done = false;
  std::atomic<int> missed = 0;
  std::vector<std::thread> readers;
  for (int number = 0; number < 2; ++number) {
    readers.emplace_back([&] {
      while (!done) {
        missed += pooled_ranges::contains(kept + 4095) ? 0 : 1;
        missed += pooled_ranges::contains(start - 1) ? 1 : 0;
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    for (std::ptrdiff_t k = 0; k < 200; ++k) {
      if (k != 100) {
        pooled_ranges::add(start + k * 4096, 4096);
      }
    }
    for (std::ptrdiff_t k = 0; k < 200; ++k) {
      if (k != 100) {
        pooled_ranges::remove(start + k * 4096);
      }
    }
  }
  done = true;
  for (std::thread& each : readers) {
    each.join();
  }
  pooled_ranges::remove(kept);
  EXPECT_EQ(missed, 0);
}

}  // namespace
