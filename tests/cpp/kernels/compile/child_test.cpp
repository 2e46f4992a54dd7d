#include "kernels/compile/child.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/compile/compiler.hpp"
#include "kernels/compile/packaged_programs.hpp"
#include "kernels/compile/program.hpp"
#include "support/device_test.hpp"
#include "usmx/base/error.hpp"

namespace {

namespace fs = std::filesystem;
using usmx::compile_error;
using usmx::detail::compile_limits;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The numbers of the running processes of usmx-compile that this process has started.
std::set<pid_t> compilers() {
  std::set<pid_t> found;
  for (const auto& thread : fs::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    for (pid_t each; children >> each;) {
      const std::string status = first_line("/proc/" + std::to_string(each) + "/stat");
      if (status.find("(usmx-compile)") != std::string::npos &&
          status.find(") Z") == std::string::npos) {
        found.insert(each);
      }
    }
  }
  return found;
}

class child_test : public support::device_test {
 protected:
  /// Compiles a program that was not compiled before, with so many statements.
  static void compile(const compile_limits& limits = {}, int statements = 1) {
    static std::atomic<int> number = 0;
    std::string source = "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(double* x) {\n";
    for (int i = 0; i < statements; ++i) {
      source += "*x = usmx::pow(*x, " + std::to_string(++number) + ".0);\n";
    }
    source += "}";
    const std::vector<std::string> names{"f"};
    const auto made = usmx::detail::compile(usmx::detail::make_program(source, names, {}),
                                            usmx::detail::target_for(device()), {}, limits);
    ASSERT_FALSE(made.executable.empty());
  }
};

TEST_F(child_test, next_program_is_compiled_by_the_same_child) {
  compile();
  const std::set<pid_t> first = compilers();
  ASSERT_EQ(first.size(), 1);
  compile();
  EXPECT_EQ(compilers(), first);
}

TEST_F(child_test, child_that_was_killed_is_replaced) {
  compile();
  const std::set<pid_t> killed = compilers();
  ASSERT_EQ(killed.size(), 1);
  ::kill(*killed.begin(), SIGKILL);
  compile();
  EXPECT_EQ(compilers().size(), 1);
  EXPECT_NE(compilers(), killed);
}

TEST_F(child_test, child_that_takes_longer_than_it_may_is_stopped) {
  EXPECT_THROW(compile({.longest = std::chrono::seconds(0)}, 100), compile_error);
  EXPECT_TRUE(compilers().empty());
  compile();
}

TEST_F(child_test,
       child_that_takes_more_memory_than_it_may_ends_and_another_compiles_what_is_next) {
  for (const bool is_new : {true, false}) {
    EXPECT_THROW(compile({.memory_nbytes = 1 << 20}), compile_error) << is_new;
    EXPECT_TRUE(compilers().empty());
    compile();
  }
}

TEST_F(child_test, request_that_cannot_be_read_ends_the_child_with_its_text) {
  compile();
  const auto ended = usmx::detail::run_child(*usmx::detail::file_beside_library("usmx-compile"),
                                             "no message", {}, {});
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->said, "a message ends early");
  EXPECT_EQ(ended->end_status, EXIT_FAILURE << 8);
}

TEST_F(child_test, threads_compile_at_once_and_one_child_stays) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] { compile(); });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(compilers().size(), 1);
}

TEST_F(child_test, child_without_requests_ends_by_itself) {
  compile();
  ASSERT_EQ(compilers().size(), 1);
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!compilers().empty() && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(compilers().empty());
  compile();
}

}  // namespace
