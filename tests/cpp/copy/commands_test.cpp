// How many commands a copy takes, as the SYCL runtime's own trace tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "support/seed.hpp"

namespace {

using commands_test = support::device_test;

/// The device of this process, of all that the child finds.
std::string same_device() {
  const char* const selector = std::getenv("ONEAPI_DEVICE_SELECTOR");
  return selector == nullptr ? "" : "ONEAPI_DEVICE_SELECTOR='" + std::string(selector) + "' ";
}

// A copy takes at most 3 commands, and 2 more for each 4 MiB: never one for each element or row.
TEST_F(commands_test, copies_with_a_device_of_its_own_take_few_commands) {
  const std::string seed = std::to_string(support::seed(29));
  const support::outcome child =
      support::run_child(same_device() + "SYCL_UR_TRACE=2", "copies " + seed);
  const std::size_t shown = std::min<std::size_t>(child.output.size(), 2000);
  ASSERT_EQ(child.exit_code, 0) << child.output.substr(child.output.size() - shown);
  std::istringstream lines(child.output);
  std::string line;
  std::string copy;
  int commands = 0;
  int copies = 0;
  int all_commands = 0;
  constexpr std::string_view start = "copy: ";
  while (std::getline(lines, line)) {
    if (line.starts_with(start)) {
      copy = line.substr(start.size());
      commands = 0;
      ++copies;
    } else if (line.find("---> urEnqueue") != line.npos) {
      ++all_commands;
      EXPECT_NE(++commands, std::stoi(copy) + 1) << "more than " << copy;
    }
  }
  EXPECT_EQ(copies, 150);
  EXPECT_GT(all_commands, 50);  // the trace has been understood
}

}  // namespace
