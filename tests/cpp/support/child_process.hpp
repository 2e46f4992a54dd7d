// Runs tests/cpp/support/child.cpp, which lies beside the test's program, in an environment where
// nothing is configured but what the test says; or a test of the program once more.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/errors.hpp"

namespace support {

struct outcome {
  int exit_code;
  std::string output;
};

/// What a command of the shell says.
inline outcome run_command(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    return {-1, "popen failed"};
  }
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output += static_cast<char>(c);
  }
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

/// `settings` as in a shell: "NAME='value'".
inline outcome run_child(const std::string& settings, const std::string& command) {
  const auto child = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "usmx_child";
  return run_command("env -u OCL_ICD_FILENAMES -u OCL_ICD_VENDORS -u ONEAPI_DEVICE_SELECTOR " +
                     settings + " '" + child.string() + "' " + command);
}

/// One test of this program in a process of its own.
inline outcome run_test(const std::string& settings, const std::string& test) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
  return run_command("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u GTEST_OUTPUT " + settings +
                     " '" + program + "' --gtest_brief=1 --gtest_filter=" + test);
}

/// How often to start a process to see how it ends with work in flight. A simulated GPU
/// (tools/level_zero) has done all work when it is submitted, so that every process ends alike.
inline int starts(int wanted) {
  return std::getenv("SetCommandStreamReceiver") == nullptr ? wanted : 1;
}

/// The child comes to its end and says all of `parts`.
inline void expect_output(const std::string& settings, const std::string& command,
                          const std::vector<std::string>& parts) {
  const outcome child = run_child(settings, command);
  EXPECT_EQ(child.exit_code, 0) << child.output;
  for (const std::string& part : parts) {
    expect_contains(child.output, part);
  }
}

}  // namespace support
