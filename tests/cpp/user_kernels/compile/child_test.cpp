#include "user_kernels/compile/child.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace {

using std::chrono::seconds;
using usmx::detail::run_child;

TEST(child_test, child_that_takes_longer_than_it_may_is_stopped) {
  const std::string forever[] = {"1000000"};
  EXPECT_FALSE(run_child("/bin/sleep", forever, "", seconds(0), {}).has_value());
  seconds told(0);
  const auto progress = [&](seconds passed) { told = passed; };
  EXPECT_FALSE(run_child("/bin/sleep", forever, "", seconds(3), progress).has_value());
  EXPECT_GE(told, seconds(2));
}

TEST(child_test, child_that_ends_in_time_has_ended_as_it_says) {
  const std::string answer[] = {"-c", "cat >&3; echo said; exit 7"};
  const auto ended = run_child("/bin/sh", answer, "request", seconds(600), {});
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->answer, "request");
  EXPECT_EQ(ended->said, "said\n");
  EXPECT_EQ(ended->status, 7 << 8);
}

}  // namespace
