// parallel.hpp: every task is run exactly once, whoever else uses the threads.
#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using usmx::detail::for_each_task;

std::vector<int> times_run(std::ptrdiff_t tasks) {
  std::vector<std::atomic<int>> counts(static_cast<std::size_t>(tasks));
  for_each_task(tasks, [&](std::ptrdiff_t task) { ++counts[static_cast<std::size_t>(task)]; });
  return {counts.begin(), counts.end()};
}

TEST(parallel_test, every_task_is_run_once) {
  for (const std::ptrdiff_t tasks : {0, 1, 2, 3, 1000}) {
    for (int repeat = 0; repeat < 100; ++repeat) {
      EXPECT_EQ(times_run(tasks), std::vector<int>(static_cast<std::size_t>(tasks), 1));
    }
  }
}

TEST(parallel_test, what_the_tasks_have_written_is_seen_by_the_caller) {
  for (int repeat = 0; repeat < 1000; ++repeat) {
    std::vector<int> written(64, 0);  // plain memory: the thread sanitizer looks on
    for_each_task(64,
                  [&](std::ptrdiff_t task) { written[static_cast<std::size_t>(task)] = repeat; });
    ASSERT_EQ(written, std::vector<int>(64, repeat));
  }
}

TEST(parallel_test, several_threads_may_call_at_once) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int k = 0; k < 4; ++k) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        wrong += times_run(50) != std::vector<int>(50, 1);
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(parallel_test, tasks_may_have_tasks_of_their_own) {
  std::atomic<int> inner = 0;
  for_each_task(8, [&](std::ptrdiff_t) { for_each_task(8, [&](std::ptrdiff_t) { ++inner; }); });
  EXPECT_EQ(inner, 64);
}

TEST(parallel_test, more_than_one_thread_works_where_there_are_processors) {
  std::atomic<bool> other_thread_has_come = usmx::detail::thread_count() == 1;
  const std::thread::id mine = std::this_thread::get_id();
  for_each_task(2, [&](std::ptrdiff_t) {
    if (std::this_thread::get_id() != mine) {
      other_thread_has_come = true;
      other_thread_has_come.notify_all();
    }
    other_thread_has_come.wait(false);
  });
  EXPECT_TRUE(other_thread_has_come);
}

}  // namespace
