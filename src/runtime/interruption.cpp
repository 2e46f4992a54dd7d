#include "runtime/interruption.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/ranked_mutex.hpp"
#include "base/signals_blocked.hpp"
#include "runtime/completion.hpp"
#include "runtime/drivers/back_ends.hpp"
#include "runtime/exit.hpp"
#include "runtime/queue_lock.hpp"
#include "runtime/waiting.hpp"
#include "usmx/base/process.hpp"

namespace usmx::inline v1::detail {
namespace {

using namespace std::chrono_literals;

thread_local internal::interrupt_check check_of_thread = nullptr;

/// One wait. The helper and the thread that waits for it share it, until that thread gives up.
class helped_wait {
 public:
  explicit helped_wait(std::function<void()> wait) : wait_(std::move(wait)) {}

  /// Runs on the helper. What the wait owns is destroyed here, too.
  void run() noexcept {
    try {
      wait_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    wait_ = nullptr;
  }

  void finish() noexcept {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    done_.notify_one();
  }

  /// Runs on the thread that waits.
  void await() {
    while (!is_finished_soon()) {
      if (check_of_thread()) {
        throw internal::interrupted_wait("a signal interrupted the wait; the work goes on");
      }
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  bool is_finished_soon() {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, check_interval, [this] { return finished_; });
  }

  std::function<void()> wait_;
  std::exception_ptr failure_;
  ranked_mutex<lock_rank::helped_wait> mutex_;  // guards what follows
  ranked_condition done_;
  bool finished_ = false;
};

/// Threads that wait for other threads, as many as there are such waits at once. Between waits they
/// sleep, until the process ends. A forked child does not have them, and waits for nothing.
class helper_threads {
 public:
  /// False if no thread can be started.
  bool start(const std::shared_ptr<helped_wait>& wait) {
    helper* free = take_free();
    if (free == nullptr) {
      return start_on_new_thread(wait);
    }
    const std::lock_guard lock(mutex_);
    free->next = wait;
    free->wake_up.notify_one();
    return true;
  }

  /// For exit: waits for the helpers, since work whose wait was given up must be finished, too.
  void wait_until_free() {
    std::unique_lock lock(mutex_);
    all_free_.wait(lock, [this] { return free_.size() == count_; });
  }

 private:
  struct helper {
    ranked_condition wake_up;
    std::shared_ptr<helped_wait> next;
  };

  helper* take_free() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return nullptr;
    }
    helper* taken = free_.back();
    free_.pop_back();
    return taken;
  }

  bool start_on_new_thread(const std::shared_ptr<helped_wait>& wait) {
    auto made = std::make_unique<helper>();
    made->next = wait;
    {
      const std::lock_guard lock(mutex_);
      free_.reserve(count_ + 1);  // so that a helper needs no memory to become free
      ++count_;
    }
    try {
      const signals_blocked blocked;
      std::thread([this, self = made.get()] { work(*self); }).detach();
    } catch (const std::system_error&) {
      const std::lock_guard lock(mutex_);
      --count_;
      return false;
    }
    made.release();  // it lives as long as its thread
    return true;
  }

  void work(helper& self) noexcept {
    for (;;) {
      std::unique_lock lock(mutex_);
      self.wake_up.wait(lock, [&] { return self.next != nullptr; });
      const std::shared_ptr<helped_wait> wait = std::move(self.next);
      lock.unlock();
      wait->run();
      lock.lock();
      free_.push_back(&self);  // before the wait is finished: the next one may use this helper
      all_free_.notify_one();
      lock.unlock();
      wait->finish();
    }
  }

  ranked_mutex<lock_rank::helper_threads> mutex_;  // no call of the runtime under it
  ranked_condition all_free_;
  std::vector<helper*> free_;
  std::size_t count_ = 0;
};

/// Never destroyed: its threads use it until the process ends.
helper_threads& helpers() {
  static helper_threads& all = *[] {
    auto* made = new helper_threads;
    wait_at_exit();
    add_exit_wait([] { helpers().wait_until_free(); });
    return made;
  }();
  return all;
}

/// Asked once, so that an idle queue needs no helper. Where an in-order queue cannot be asked
/// whether it is empty (docs/decisions.md, 18), a barrier tells.
bool is_idle(const sycl::queue& queue) {
  if (queue.is_in_order() && !traits_of(queue.get_backend()).in_order_queues_tell_if_empty) {
    return is_complete(submit_barrier(queue));
  }
  return queue_moment(queue).is_past();
}

/// How long to ask all of them, which is as long as one of them has to be waited for.
std::chrono::microseconds time_to_ask(const std::vector<sycl::event>& events) {
  auto time = std::chrono::microseconds::max();
  for (const sycl::event& event : events) {
    const auto backend = internal::backend_of(event);
    time = std::min(time, backend ? traits_of(*backend).asked_before_wait : 0us);
  }
  return time;
}

/// Whether they are complete, asked for a while where that is quicker than to wait.
bool are_complete_soon(const std::vector<sycl::event>& events) {
  if (std::ranges::all_of(events, is_complete)) {
    return true;
  }
  about_to_wait();
  const auto end = std::chrono::steady_clock::now() + time_to_ask(events);
  while (std::chrono::steady_clock::now() < end) {
    if (std::ranges::all_of(events, is_complete)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool should_give_up() { return check_of_thread != nullptr && check_of_thread(); }

bool may_be_interrupted() noexcept { return check_of_thread != nullptr; }

void wait_on_helper(std::function<void()> wait) {
  const auto helped = std::make_shared<helped_wait>(std::move(wait));
  if (!helpers().start(helped)) {
    helped->run();  // there are no more threads: this wait cannot be given up
    helped->finish();
  }
  helped->await();
}

void wait_interruptibly_for_all(std::vector<sycl::event> events) {
  if (!may_be_interrupted() || are_complete_soon(events)) {
    return wait_for_all(events);
  }
  wait_on_helper([events = std::move(events)] { wait_for_all(events); });
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {

internal::interrupt_check internal::set_interrupt_check(interrupt_check check) noexcept {
  return std::exchange(detail::check_of_thread, check);
}

void internal::wait_interruptibly(const sycl::queue& queue) {
  const detail::runtime_call call;
  if (!detail::may_be_interrupted()) {
    return detail::lock_queue(queue).wait(queue);
  }
  if (detail::is_idle(queue)) {
    return;
  }
  detail::wait_on_helper([queue] { detail::lock_queue(queue).wait(queue); });
}

}  // namespace usmx::inline v1
