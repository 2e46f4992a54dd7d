// usmx/memory/resources.hpp.
#include "usmx/memory/resources.hpp"

#include <gtest/gtest.h>

#include "support/device_test.hpp"
#include "usmx/base/error.hpp"

namespace {

using usmx::statistics_resource;
using usmx::usm_kind;

class statistics_resource_test : public support::device_test {
 protected:
  statistics_resource resource_{std::make_shared<usmx::usm_resource>(usm_kind::shared)};
};

TEST_F(statistics_resource_test, bytes_and_blocks_are_counted_with_their_peak) {
  std::byte* first = resource_.allocate(100, 0, queue());
  std::byte* second = resource_.allocate(50, 0, queue());
  resource_.deallocate(first, 100, 0, queue());
  const usmx::allocation_counts counts = resource_.counts();
  EXPECT_EQ(counts.nbytes.current, 50U);
  EXPECT_EQ(counts.nbytes.peak, 150U);
  EXPECT_EQ(counts.nbytes.total, 150U);
  EXPECT_EQ(counts.blocks.current, 1U);
  EXPECT_EQ(counts.blocks.peak, 2U);
  EXPECT_EQ(counts.blocks.total, 2U);
  resource_.deallocate(second, 50, 0, queue());
}

TEST_F(statistics_resource_test, failures_are_counted_as_such_only) {
  EXPECT_THROW(resource_.allocate(SIZE_MAX / 2, 0, queue()), usmx::allocation_error);
  EXPECT_EQ(resource_.counts().failures, 1U);
  EXPECT_EQ(resource_.counts().blocks.total, 0U);
}

}  // namespace
