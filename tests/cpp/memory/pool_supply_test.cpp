// memory/pool_supply.hpp: what a pool has from the resource below.
#include "memory/pool_supply.hpp"

#include <gtest/gtest.h>

#include "memory/pooled_ranges.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/resources/usm.hpp"

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

}  // namespace
