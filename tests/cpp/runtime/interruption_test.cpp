// src/runtime/waits.hpp: a thread gives a wait up, the work goes on, and what comes after it
// waits again.
#include "runtime/waits.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include "support/device_test.hpp"
#include "support/gate.hpp"
#include "support/interruptible.hpp"

namespace {

using support::interruptible;
using usmx::detail::may_be_interrupted;
using usmx::detail::wait_interruptibly_for_all;
using usmx::detail::wait_on_helper;
using usmx::internal::interrupted_wait;
using usmx::internal::wait_interruptibly;

std::atomic<int> checks = 0;

bool never() {
  ++checks;
  return false;
}
bool at_once() { return true; }

class interruption_test : public support::device_test {
 protected:
  /// A queue with a command that comes after the gate.
  static sycl::queue queue_behind(const support::gate& closed, bool in_order) {
    sycl::queue queue = in_order
                            ? sycl::queue(context(), device(), sycl::property::queue::in_order())
                            : sycl::queue(context(), device());
    usmx::detail::submit_to(
        queue, [&](sycl::queue& to) { return to.ext_oneapi_submit_barrier({closed.event()}); });
    return queue;
  }
};

TEST_F(interruption_test, thread_is_uninterruptible_until_it_has_a_check) {
  EXPECT_FALSE(may_be_interrupted());
  const interruptible scope(&never);
  EXPECT_TRUE(may_be_interrupted());
  EXPECT_FALSE(std::async(std::launch::async, may_be_interrupted).get());
}

TEST_F(interruption_test, event_wait_is_given_up_and_waited_for_again) {
  support::gate gate(context());
  {
    const interruptible scope(&at_once);
    EXPECT_THROW(wait_interruptibly_for_all({gate.event()}), interrupted_wait);
    EXPECT_THROW(wait_interruptibly_for_all({gate.event()}), interrupted_wait);
  }
  gate.open();
  wait_interruptibly_for_all({gate.event()});
}

TEST_F(interruption_test, queue_wait_is_given_up_and_waited_for_again) {
  for (const bool in_order : {false, true}) {
    support::gate gate(context());
    const sycl::queue queue = queue_behind(gate, in_order);
    {
      const interruptible scope(&at_once);
      EXPECT_THROW(wait_interruptibly(queue), interrupted_wait);
      EXPECT_THROW(wait_interruptibly(queue), interrupted_wait);  // the first wait still goes on
    }
    gate.open();
    wait_interruptibly(queue);
  }
}

TEST_F(interruption_test, check_is_asked_until_the_work_is_done) {
  support::gate gate(context());
  checks = 0;
  std::thread opener([&] {
    while (checks < 3) {
      std::this_thread::yield();
    }
    gate.open();
  });
  {
    const interruptible scope(&never);
    wait_interruptibly_for_all({gate.event()});
  }
  EXPECT_GE(checks, 3);
  opener.join();
}

TEST_F(interruption_test, finished_work_is_not_asked_about) {
  checks = 0;
  const interruptible scope(&never);
  wait_interruptibly_for_all({});
  wait_interruptibly(sycl::queue(context(), device()));
  EXPECT_EQ(checks, 0);
}

TEST_F(interruption_test, failure_of_the_wait_arrives) {
  const interruptible scope(&never);
  EXPECT_THROW(wait_on_helper([] { throw std::out_of_range("failed"); }), std::out_of_range);
}

TEST_F(interruption_test, many_waits_that_were_given_up_go_on_at_once) {
  constexpr int waits = 20;
  std::atomic<int> under_way = 0;
  std::atomic<int> done = 0;
  const interruptible scope(&at_once);
  std::promise<void> gate;
  const std::shared_future<void> is_open = gate.get_future().share();
  for (int k = 0; k < waits; ++k) {
    EXPECT_THROW(wait_on_helper([&, is_open] {
                   ++under_way;
                   is_open.wait();
                   ++done;
                 }),
                 interrupted_wait);
  }
  while (under_way < waits) {
    std::this_thread::yield();
  }
  EXPECT_EQ(done, 0);
  gate.set_value();
  while (done < waits) {
    std::this_thread::yield();
  }
}

}  // namespace
