#include "base/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
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

  /// False when another call is using the helpers.
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
    std::unique_lock lock(mutex_);
    wanted_ = 0;  // a helper that has not woken up yet is not waited for
    helpers_are_done_.wait(lock, [this] { return helping_ == 0; });
    in_use_.store(false, std::memory_order_release);
    return true;
  }

 private:
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
  int helping_ = 0;
};

/// Never destroyed: its threads sleep on it until the process ends. Sized for the processors of the
/// first caller.
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
