// Memory that the program lets go after main, with work on it that is not finished by then.
#include <gtest/gtest.h>

#include <string>

#include "support/child_process.hpp"
#include "support/errors.hpp"

namespace {

/// With the pool and without: no process may abort, and none may end before the work.
void expect_clean_exits(const std::string& of) {
  for (const char* settings : {"", "USMX_POOL=off"}) {
    for (int i = 0; i < support::starts(3); ++i) {
      const auto child = support::run_child(settings, "exit-with-array " + of);
      ASSERT_EQ(child.exit_code, 0) << settings << ' ' << child.output;
      support::expect_contains(child.output, "leaving main\nfinished\n");
    }
  }
}

TEST(exit_test, static_array_made_after_the_first_queue_may_have_work) {
  expect_clean_exits("late-static");
}

TEST(exit_test, static_array_made_before_the_first_queue_may_have_work) {
  expect_clean_exits("early-static");
}

TEST(exit_test, exit_handler_added_after_the_first_queue_may_let_an_array_with_work_go) {
  expect_clean_exits("late-handler");
}

TEST(exit_test, exit_handler_added_before_the_first_queue_may_let_an_array_with_work_go) {
  expect_clean_exits("early-handler");
}

TEST(exit_test, static_arrays_that_others_may_work_on_may_have_work) {
  expect_clean_exits("foreign-queue");
}

}  // namespace
