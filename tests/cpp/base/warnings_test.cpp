// usmx/base/error.hpp: a warning goes to the handler that is set, and to stderr where none is.
#include "usmx/base/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/messages.hpp"

namespace {

using usmx::set_warning_handler;
using usmx::detail::warn;

std::vector<std::string>& seen() {
  static std::vector<std::string> all;
  return all;
}

class warnings_test : public testing::Test {
 protected:
  void SetUp() override { seen().clear(); }
  void TearDown() override { set_warning_handler(nullptr); }
};

TEST_F(warnings_test, handler_is_given_the_text) {
  set_warning_handler([](const char* text) noexcept { seen().emplace_back(text); });
  testing::internal::CaptureStderr();
  warn("first");
  warn("second\n  line");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(seen(), (std::vector<std::string>{"first", "second\n  line"}));
}

TEST_F(warnings_test, without_a_handler_warnings_are_written_to_stderr) {
  set_warning_handler([](const char* text) noexcept { seen().emplace_back(text); });
  set_warning_handler(nullptr);
  testing::internal::CaptureStderr();
  warn("the cache is damaged");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "usmx: the cache is damaged\n");
  EXPECT_TRUE(seen().empty());
}

}  // namespace
