// usmx/memory/resources.hpp.
#include "usmx/memory/resources.hpp"

#include <gtest/gtest.h>

#include "support/device_test.hpp"
#include "usmx/base/error.hpp"

namespace {

using usmx::tracking_resource;
using usmx::usm_kind;

class tracking_resource_test : public support::device_test {
 protected:
  std::string place_ = "first.cpp:1";
  tracking_resource resource_{std::make_shared<usmx::usm_resource>(usm_kind::shared),
                              [this] { return place_; }};
};

TEST_F(tracking_resource_test, live_blocks_are_known_with_their_call_sites) {
  std::byte* first = resource_.allocate(100, 0, queue());
  place_ = "second.cpp:2";
  std::byte* second = resource_.allocate(50, 0, queue());
  resource_.deallocate(first, 100, 0, queue());
  const auto live = resource_.live_blocks();
  ASSERT_EQ(live.size(), 1U);
  EXPECT_EQ(live[0].first, second);
  EXPECT_EQ(live[0].nbytes, 50U);
  EXPECT_EQ(live[0].call_site, "second.cpp:2");
  resource_.deallocate(second, 50, 0, queue());
  EXPECT_TRUE(resource_.live_blocks().empty());
}

TEST_F(tracking_resource_test, call_site_is_what_the_function_of_the_process_says) {
  EXPECT_EQ(usmx::current_call_site(), "native code");
  usmx::set_call_site_function([] { return std::string("here"); });
  EXPECT_EQ(usmx::current_call_site(), "here");
  usmx::set_call_site_function(nullptr);
}

TEST_F(tracking_resource_test, failed_allocation_leaves_no_block) {
  EXPECT_THROW(resource_.allocate(SIZE_MAX / 2, 0, queue()), usmx::allocation_error);
  EXPECT_TRUE(resource_.live_blocks().empty());
}

}  // namespace
