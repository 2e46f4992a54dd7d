// src/runtime/waits.hpp: one thread at a time submits to an out-of-order queue, and threads on
// different queues do not meet; waits are counted.
#include "runtime/waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "runtime/drivers/usm_driver.hpp"
#include "support/device_test.hpp"
#include "support/gate.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using namespace std::chrono_literals;
using usmx::wait_for_queue;
using usmx::detail::lock_queue;
using usmx::detail::queue_moment;
using usmx::detail::traits_of;
using usmx::detail::used_queues;

class queue_lock_test : public support::device_test {
 protected:
  static sycl::queue out_of_order_queue() { return sycl::queue(context(), device()); }
  static bool is_locked(const std::future<void>& other) {
    return other.wait_for(50ms) == std::future_status::timeout;
  }
};

/// Another thread takes the lock, and gives it back, while the caller holds one. Would not come
/// back if the two were one: no time is long enough for a busy machine.
void take_on_another_thread(const sycl::queue& queue) {
  std::thread([&] { lock_queue(queue); }).join();
}

bool is_used(const sycl::queue& queue) {
  const std::vector<sycl::queue> used = used_queues();
  return std::ranges::find(used, queue) != used.end();
}

TEST_F(queue_lock_test, out_of_order_queue_is_locked_for_other_threads) {
  const sycl::queue queue = out_of_order_queue();
  std::future<void> other;
  {
    const auto lock = lock_queue(queue);
    other = std::async(std::launch::async, [&] { lock_queue(queue); });
    EXPECT_TRUE(is_locked(other));
  }
  other.get();
}

TEST_F(queue_lock_test, copies_of_a_queue_have_one_lock) {
  const sycl::queue queue = out_of_order_queue();
  const sycl::queue copy = queue;
  std::future<void> other;
  {
    const auto lock = lock_queue(queue);
    other = std::async(std::launch::async, [&] { lock_queue(copy); });
    EXPECT_TRUE(is_locked(other));
  }
  other.get();
}

TEST_F(queue_lock_test, other_queues_are_free_meanwhile) {
  const sycl::queue held = out_of_order_queue();
  const auto lock = lock_queue(held);
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    take_on_another_thread(out_of_order_queue());
  }
}

TEST_F(queue_lock_test, in_order_queue_needs_no_lock) {
  const sycl::queue in_order = new_queue();
  const auto lock = lock_queue(in_order);
  take_on_another_thread(in_order);
}

TEST_F(queue_lock_test, queue_is_remembered_as_used_while_somebody_has_it) {
  const std::size_t before = used_queues().size();
  {
    const sycl::queue queue = out_of_order_queue();
    EXPECT_FALSE(is_used(queue));
    lock_queue(queue);
    EXPECT_TRUE(is_used(queue));
  }
  EXPECT_EQ(used_queues().size(), before);
}

TEST_F(queue_lock_test, moment_is_past_once_the_queue_was_waited_for_or_is_idle) {
  for (sycl::queue queue : {out_of_order_queue(), new_queue()}) {
    support::gate work(context());
    queue.ext_oneapi_submit_barrier({work.event()});
    const queue_moment moment(queue);
    EXPECT_FALSE(moment.is_past());
    work.open();
    wait_for_queue(queue);
    support::gate later_work(context());
    queue.ext_oneapi_submit_barrier({later_work.event()});
    EXPECT_TRUE(moment.is_past());
    const queue_moment later(queue);
    EXPECT_FALSE(later.is_past());
    later_work.open();
    queue.wait();  // nobody told usmx
    const bool can_be_asked =
        !queue.is_in_order() || traits_of(queue.get_backend()).in_order_queues_tell_if_empty;
    // A host task that held the work up may leave the runtime a moment later.
    while (can_be_asked && !later.is_past()) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(later.is_past(), can_be_asked);
  }
}

// The SYCL runtime's own wait takes what is not with the driver yet out of the queue: who asks or
// waits meanwhile does not see it.
TEST_F(queue_lock_test, command_behind_the_runtime_is_seen_while_another_thread_waits) {
  sycl::queue queue = out_of_order_queue();
  support::gate gate(context());
  usmx::detail::submit_to(
      queue, [&](sycl::queue& to) { return to.ext_oneapi_submit_barrier({gate.event()}); });
  const queue_moment moment(queue);
  std::thread first([&] { wait_for_queue(queue); });
  std::this_thread::sleep_for(20ms);  // it most likely waits by now
  EXPECT_FALSE(moment.is_past());
  std::future<void> second = std::async(std::launch::async, [&] { wait_for_queue(queue); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  gate.open();
  first.join();
  second.get();
}

// What barriers forget: src/copy/copy_async.cpp.
TEST_F(queue_lock_test, moment_is_not_past_before_host_tasks_that_follow_a_barrier) {
  sycl::queue queue = out_of_order_queue();
  queue.ext_oneapi_submit_barrier().wait();
  const auto host_task = [&](auto work) {
    return queue.submit([&](sycl::handler& handler) { handler.host_task(work); });
  };
  std::atomic<bool> go = false;
  sycl::event short_one = host_task([] { std::this_thread::sleep_for(1ms); });
  host_task([&] {
    while (!go) {
      std::this_thread::sleep_for(1ms);
    }
  });
  const queue_moment moment(queue);
  short_one.wait();
  std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(moment.is_past());
  go = true;
  queue.wait();
  EXPECT_TRUE(moment.is_past());
}

TEST_F(queue_lock_test, moment_is_not_past_while_another_thread_holds_the_queue) {
  const sycl::queue queue = out_of_order_queue();
  const queue_moment moment(queue);
  {
    const auto lock = lock_queue(queue);
    auto asked = std::async(std::launch::async, [&] { return moment.is_past(); });
    EXPECT_FALSE(asked.get());
  }
  EXPECT_TRUE(moment.is_past());
}

}  // namespace
