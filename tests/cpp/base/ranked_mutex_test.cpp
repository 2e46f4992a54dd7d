#include "base/ranked_mutex.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <type_traits>

namespace {

using usmx::detail::lock_rank;
using usmx::detail::ranked_condition;
using usmx::detail::ranked_mutex;

using outer_mutex = ranked_mutex<lock_rank::pool_shard>;
using inner_mutex = ranked_mutex<lock_rank::pool_depot>;

TEST(ranked_mutex_test, locks_in_the_order_of_ranks_are_taken) {
  outer_mutex outer;
  inner_mutex inner;
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard first(outer);
    const std::lock_guard second(inner);
  }
}

TEST(ranked_mutex_test, second_thread_waits_for_the_first) {
  outer_mutex mutex;
  std::unique_lock held(mutex);
  int value = 0;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    ++value;
  });
  value = 10;
  held.unlock();
  other.join();
  EXPECT_EQ(value, 11);
}

TEST(ranked_mutex_test, held_mutex_cannot_be_tried) {
  outer_mutex mutex;
  const std::lock_guard lock(mutex);
  bool taken = true;
  std::thread([&] { taken = std::unique_lock(mutex, std::try_to_lock).owns_lock(); }).join();
  EXPECT_FALSE(taken);
}

TEST(ranked_mutex_test, lock_may_be_tried_out_of_order) {
  outer_mutex outer;
  inner_mutex inner;
  const std::lock_guard first(inner);
  EXPECT_TRUE(std::unique_lock(outer, std::try_to_lock).owns_lock());
}

TEST(ranked_mutex_test, condition_wakes_who_waits_with_the_mutex) {
  outer_mutex mutex;
  ranked_condition is_there;
  bool there = false;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    there = true;
    is_there.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    is_there.wait(lock, [&] { return there; });
    EXPECT_TRUE(lock.owns_lock());
  }
  other.join();
}

#ifdef USMX_CHECK_LOCKS

using usmx::detail::require_no_interpreter_lock;
using usmx::detail::require_no_lock;
using usmx::detail::require_no_lock_but;

class lock_check_test : public testing::Test {
 protected:
  // Other tests of the process leave threads behind.
  lock_check_test() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  outer_mutex outer;
  inner_mutex inner;
};

TEST_F(lock_check_test, lower_rank_under_a_higher_one_aborts_and_names_both) {
  const std::lock_guard held(inner);
  EXPECT_DEATH(outer.lock(),
               "a lock of a lower rank is taken while a higher one is held: 'pool_shard' "
               "\\([0-9]+\\) while 'pool_depot' \\([0-9]+\\)");
}

TEST_F(lock_check_test, two_locks_of_one_rank_abort) {
  outer_mutex second;
  const std::lock_guard held(outer);
  EXPECT_DEATH(second.lock(), "'pool_shard' \\([0-9]+\\) while 'pool_shard'");
}

TEST_F(lock_check_test, pools_may_stand_on_pools) {
  ranked_mutex<lock_rank::pool_growth> above;
  ranked_mutex<lock_rank::pool_growth> below;
  const std::lock_guard first(above);
  const std::lock_guard second(below);
}

TEST_F(lock_check_test, lock_under_one_that_was_tried_is_checked) {
  const std::unique_lock held(inner, std::try_to_lock);
  EXPECT_DEATH(outer.lock(), "'pool_shard' \\([0-9]+\\) while 'pool_depot'");
}

TEST_F(lock_check_test, lock_that_was_let_go_is_forgotten) {
  inner.lock();
  outer.try_lock();
  inner.unlock();  // not the last that was taken
  inner.lock();
  inner.unlock();
  outer.unlock();
  const std::lock_guard held(outer);
}

TEST_F(lock_check_test, locks_of_other_threads_do_not_count) {
  const std::lock_guard held(inner);
  std::thread([this] { const std::lock_guard lock(outer); }).join();
}

TEST_F(lock_check_test, lock_that_a_condition_takes_again_is_checked) {
  std::unique_lock waiting(outer);
  ranked_condition condition;
  EXPECT_DEATH(
      {
        inner.lock();
        condition.wait_for(waiting, std::chrono::milliseconds(1));
      },
      "'pool_shard' \\([0-9]+\\) while 'pool_depot'");
}

TEST_F(lock_check_test, action_that_needs_no_lock_aborts_under_one) {
  require_no_lock("something is called");
  const std::lock_guard held(outer);
  require_no_lock_but({lock_rank::pool_shard}, "something is called");
  EXPECT_DEATH(require_no_lock("something is called"),
               "something is called while the lock 'pool_shard' is held");
  EXPECT_DEATH(require_no_lock_but({lock_rank::queue}, "something is called"), "'pool_shard'");
}

TEST_F(lock_check_test, interpreter_lock_is_not_taken_under_a_lock) {
  usmx::internal::require_no_library_lock();
  const std::lock_guard held(inner);
  EXPECT_DEATH(usmx::internal::require_no_library_lock(),
               "the interpreter lock is taken while the lock 'pool_depot' is held");
}

TEST_F(lock_check_test, wait_with_the_interpreter_lock_aborts) {
  require_no_interpreter_lock("a thread waits");
  usmx::internal::set_interpreter_check([]() noexcept { return true; });
  EXPECT_DEATH(require_no_interpreter_lock("a thread waits"),
               "a thread waits while the lock 'interpreter' is held");
  usmx::internal::set_interpreter_check(nullptr);
}

#else

TEST(ranked_mutex_test, unchecked_mutex_is_that_of_the_standard_library) {
  static_assert(std::is_same_v<outer_mutex, std::mutex>);
  static_assert(std::is_same_v<ranked_condition, std::condition_variable>);
}

#endif

}  // namespace
