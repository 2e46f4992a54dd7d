#include "base/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "memory/registry.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

#ifdef __SANITIZE_ADDRESS__
/// The leak sanitizer asks at the end of a process. In a forked child only one thread is left, and
/// what the parent's other threads own counts as leaked.
extern "C" [[gnu::visibility("default")]] int __lsan_is_turned_off() {
  return usmx::detail::is_forked_child() ? 1 : 0;
}
#endif

namespace usmx::inline v1 {
namespace {

/// What a forked child returns from `work`, or 100 + signal.
int in_forked_child(int (*work)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

template <class Call>
bool refused(Call call) {
  try {
    call();
  } catch (const fork_error& error) {
    return std::string(error.what()).find("fork") != std::string::npos;
  }
  return false;
}

thread_local void* state_of_driver = nullptr;

int get_state(void** state) {
  *state = state_of_driver;
  return 0;
}

int set_state(void* state) {
  state_of_driver = state;
  return 0;
}

/// 0 if calls leave the thread's state as it was, and the number of what is wrong else.
int look_for_changed_states() {
  int before = 0;
  int inside = 0;
  const auto change = [&] { state_of_driver = &inside; };
  state_of_driver = &before;
  {
    const internal::kept_thread_state first;  // begun before anybody knew of the state
    detail::keep_thread_state({get_state, set_state}, &before);
    change();
  }
  if (state_of_driver != &before) return 1;
  {
    const internal::kept_thread_state outermost;
    {
      const detail::runtime_call call;
      change();
    }
    if (state_of_driver != &inside) return 2;  // that is for the outermost one
  }
  if (state_of_driver != &before) return 3;
  const void* of_other_thread = &before;
  std::thread([&] {
    const detail::runtime_call call;
    of_other_thread = state_of_driver;
  }).join();
  return of_other_thread == nullptr ? 0 : 4;
}

TEST(process_state, calls_leave_what_a_driver_keeps_for_the_thread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // anew: the first such state of a process stays
  EXPECT_EXIT(_exit(look_for_changed_states()), testing::ExitedWithCode(0), "");
}

constexpr std::ptrdiff_t shape[] = {4};

TEST(process_state, forked_child_is_refused_with_an_error_that_says_so) {
  default_queue();
  EXPECT_EQ(in_forked_child([] {
              const bool all = refused([] { get_devices(); }) &&
                               refused([] { default_device(); }) &&
                               refused([] { synchronize(); }) &&
                               refused([] { cached_queue(default_queue().get_device()); });
              return all ? 0 : 1;
            }),
            0);
}

TEST(process_state, forked_child_cannot_allocate) {
  static const sycl::queue queue = default_queue();
  EXPECT_EQ(in_forked_child(
                [] { return refused([] { empty(shape, type_code::float64, queue); }) ? 0 : 1; }),
            0);
}

TEST(process_state, forked_child_leaks_what_it_lets_go) {
  static auto* owned = new array(empty(shape, type_code::float64, default_queue()));
  static const std::size_t live = registry::size();
  EXPECT_EQ(in_forked_child([] {
              delete owned;
              return registry::size() == live ? 0 : 1;
            }),
            0);
  delete owned;
  EXPECT_EQ(registry::size(), live - 1);
}

TEST(process_state, forked_child_ends_without_waiting_for_the_parents_work) {
  default_queue();
  EXPECT_EQ(in_forked_child([]() -> int { std::exit(0); }), 0);
}

TEST(process_state, parent_goes_on_after_a_fork) {
  default_queue();
  EXPECT_EQ(in_forked_child([] { return 7; }), 7);
  EXPECT_NO_THROW(zeros(shape, type_code::float64, default_queue()));
}

TEST(process_state, thread_is_known_once_it_has_called_usmx) {
  // The driver gives the thread that loads it a signal stack of its own, which the address
  // sanitizer cannot take away at that thread's end: not the thread below.
  default_queue();
  bool before = true;
  bool after = false;
  std::thread([&] {
    before = is_user_thread();
    empty(shape, type_code::float64, default_queue());
    after = is_user_thread();
  }).join();
  EXPECT_FALSE(before);
  EXPECT_TRUE(after);
}

}  // namespace
}  // namespace usmx::inline v1
