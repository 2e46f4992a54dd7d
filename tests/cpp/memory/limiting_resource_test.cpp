// usmx/memory/resources.hpp.
#include "usmx/memory/resources.hpp"

#include <gtest/gtest.h>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using usmx::allocation_error;
using usmx::limiting_resource;
using usmx::usm_kind;

class limiting_resource_test : public support::device_test {
 protected:
  limiting_resource resource_{std::make_shared<usmx::usm_resource>(usm_kind::device), 1000};
};

TEST_F(limiting_resource_test, all_bytes_of_the_limit_can_be_had) {
  std::byte* block = resource_.allocate(1000, 0, queue());
  EXPECT_EQ(resource_.used(), 1000U);
  resource_.deallocate(block, 1000, 0, queue());
  EXPECT_EQ(resource_.used(), 0U);
}

TEST_F(limiting_resource_test, more_than_the_limit_is_an_error_with_the_figures) {
  std::byte* block = resource_.allocate(600, 0, queue());
  expect_error<allocation_error>([&] { resource_.allocate(401, 0, queue()); },
                                 {"401 bytes", "1000 bytes", "600"});
  expect_error<allocation_error>([&] { resource_.allocate(SIZE_MAX, 0, queue()); }, {"1000"});
  EXPECT_EQ(resource_.used(), 600U);
  resource_.deallocate(block, 600, 0, queue());
}

TEST_F(limiting_resource_test, what_was_let_go_can_be_had_again) {
  for (int round = 0; round < 3; ++round) {
    std::byte* block = resource_.allocate(900, 0, queue());
    resource_.deallocate(block, 900, 0, queue());
  }
  EXPECT_EQ(resource_.used(), 0U);
}

TEST_F(limiting_resource_test, failure_below_is_not_counted) {
  limiting_resource unlimited(std::make_shared<usmx::usm_resource>(usm_kind::device), SIZE_MAX);
  EXPECT_THROW(unlimited.allocate(SIZE_MAX / 2, 0, queue()), allocation_error);
  EXPECT_EQ(unlimited.used(), 0U);
}

}  // namespace
