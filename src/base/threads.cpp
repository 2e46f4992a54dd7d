#include "base/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The tasks of one call. Each free thread takes the next one.
struct job {
  std::ptrdiff_t tasks;
  task_function function;
  const void* body;
  std::atomic<std::ptrdiff_t> next = 0;

  void work() noexcept {
    for (std::ptrdiff_t task = next++; task < tasks; task = next++) {
      function(body, task);
    }
  }
};

/// Tells a processor that this thread only waits.
void let_neighbour_run() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class thread_pool {
 public:
  explicit thread_pool(int helpers) noexcept {
    const signals_blocked blocked;
    try {
      for (; helpers_ < helpers; ++helpers_) {
        std::thread([this] { help(); }).detach();
      }
    } catch (const std::system_error&) {  // the system allows no more threads: go on with these
    }
  }

  /// Runs a job by the helpers. Returns false when another call is using them.
  bool try_run(job& work) noexcept {
    if (in_use_.exchange(true, std::memory_order_acquire)) {
      return false;
    }
    {
      const std::lock_guard lock(mutex_);
      job_ = &work;
      wanted_ = static_cast<int>(std::min<std::ptrdiff_t>(helpers_, work.tasks - 1));
    }
    work_is_there_.notify_all();
    work.work();
    {
      const std::lock_guard lock(mutex_);
      wanted_ = 0;  // a helper that has not woken up yet is not waited for
    }
    look_for_helpers();
    std::unique_lock lock(mutex_);
    helpers_are_done_.wait(lock, [this] { return helping_ == 0; });
    in_use_.store(false, std::memory_order_release);
    return true;
  }

 private:
  /// Polls whether the helpers are done, for as long as it takes to fall asleep and to wake up:
  /// most last tasks of helpers end sooner.
  void look_for_helpers() const noexcept {
    constexpr std::chrono::microseconds long_enough{50};
    constexpr int looks_at_once = 16;
    const auto end = std::chrono::steady_clock::now() + long_enough;
    do {
      for (int k = 0; k < looks_at_once; ++k) {
        if (helping_ == 0) {
          return;
        }
        let_neighbour_run();
      }
    } while (std::chrono::steady_clock::now() < end);
  }

  void help() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      work_is_there_.wait(lock, [this] { return wanted_ > 0; });
      --wanted_;
      ++helping_;
      job& mine = *job_;
      lock.unlock();
      mine.work();
      lock.lock();
      if (--helping_ == 0) {
        helpers_are_done_.notify_one();
      }
    }
  }

  int helpers_ = 0;
  std::atomic<bool> in_use_ = false;
  ranked_mutex<lock_rank::worker_threads> mutex_;  // guards what follows
  ranked_condition work_is_there_;
  ranked_condition helpers_are_done_;
  job* job_ = nullptr;
  int wanted_ = 0;
  std::atomic<int> helping_ = 0;  // read without the lock, too
};

/// The pool is never destroyed: its threads sleep on it until the process ends. It has as many as
/// the first caller had processors.
thread_pool& pool() {
  static thread_pool& instance = *new thread_pool(thread_count() - 1);
  return instance;
}

}  // namespace

int thread_count() noexcept {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? std::max(CPU_COUNT(&usable), 1) : 1;
}

void run_tasks(std::ptrdiff_t tasks, task_function function, const void* body) noexcept {
  job work{tasks, function, body};
  // A forked child has none of its parent's threads.
  const bool alone = tasks <= 1 || is_forked_child() || thread_count() == 1;
  if (alone || !pool().try_run(work)) {
    work.work();
  }
}

}  // namespace usmx::inline v1::detail
