// src/memory/pending_work.hpp: work is found by address, by whoever asks, until it has completed.
#include "memory/pending_work.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

#include <sycl/handler.hpp>

#include "support/device_test.hpp"
#include "support/gate.hpp"
#include "support/interruptible.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using support::gate;
using usmx::detail::access;
using usmx::detail::add_pending_work;
using usmx::detail::byte_range;
using usmx::detail::earlier_work;
using usmx::detail::forget_pending_work;
using usmx::detail::may_have_pending_work;
using usmx::detail::pending_event;
using usmx::detail::pending_work_before;
using usmx::detail::range_of;
using usmx::detail::stream_number;
using usmx::detail::wait_for_pending_work;
using usmx::internal::interrupted_wait;

class pending_work_test : public support::device_test {
 protected:
  void TearDown() override { forget_pending_work(bytes(0, sizeof memory_)); }

  byte_range bytes(std::size_t first, std::size_t count) const {
    return range_of(memory_.data() + first, count);
  }
  bool is_busy(std::size_t first, std::size_t count) const {
    return may_have_pending_work(memory_.data() + first, count);
  }

  std::array<std::byte, 64> memory_;
};

TEST_F(pending_work_test, unfinished_work_is_found_on_its_bytes_alone) {
  gate work(context());
  add_pending_work(bytes(8, 8), access::write, work.event(), {}, queue());
  EXPECT_TRUE(is_busy(15, 1));
  EXPECT_FALSE(is_busy(0, 8));
  EXPECT_FALSE(is_busy(16, 48));
  EXPECT_EQ(pending_work_before(bytes(0, 64), access::read).events.size(), 1U);
  work.open();
}

TEST_F(pending_work_test, work_on_an_in_order_queue_is_left_out_for_later_work_there_alone) {
  gate work(context());
  const sycl::queue there = new_queue();
  add_pending_work(bytes(8, 8), access::write, pending_event(work.event(), there), {}, there);
  const auto found = [&](const sycl::queue& by) {
    return pending_work_before(bytes(0, 64), access::read, stream_number(by)).events.size();
  };
  EXPECT_EQ(found(there), 0U);
  EXPECT_EQ(found(new_queue()), 1U);
  EXPECT_EQ(found(sycl::queue(context(), device())), 1U);
  EXPECT_TRUE(is_busy(8, 8));
  work.open();
}

TEST_F(pending_work_test, work_whose_queue_is_not_known_is_found_for_every_queue) {
  gate work(context());
  const sycl::queue there = new_queue();
  add_pending_work(bytes(8, 8), access::write, work.event(), {}, there);
  EXPECT_EQ(pending_work_before(bytes(0, 64), access::read, stream_number(there)).events.size(),
            1U);
  work.open();
}

TEST_F(pending_work_test, work_is_complete_without_a_question_once_its_queue_was_waited_for) {
  gate not_asked(context());
  for (const sycl::queue& there : {new_queue(), sycl::queue(context(), device())}) {
    const pending_event done(not_asked.event(), there);
    EXPECT_FALSE(done.is_complete());
    usmx::wait_for_queue(there);
    EXPECT_TRUE(done.is_complete());
  }
  not_asked.open();
}

TEST_F(pending_work_test, work_without_an_event_gets_one_that_comes_after_it) {
  if (!support::has_user_events(context())) {
    GTEST_SKIP() << "gates are host tasks here, which no barrier may wait for";
  }
  gate work(context());
  sycl::queue there = new_queue();
  const support::runtime_block x(8, usmx::usm_kind::device, there);
  there.memset(x.data(), 1, 8, work.event());
  const pending_event last(there);
  EXPECT_FALSE(last.is_complete());
  const sycl::event its_event = last.event();
  EXPECT_EQ(last.event(), its_event);
  EXPECT_FALSE(usmx::detail::is_complete(its_event));
  work.open();
  last.wait();
  EXPECT_TRUE(last.is_complete());
}

TEST_F(pending_work_test, finished_work_is_forgotten_when_it_is_looked_for) {
  gate work(context());
  add_pending_work(bytes(0, 8), access::write, work.event(), {}, queue());
  work.open();
  wait_for_pending_work(bytes(0, 8), access::write);
  EXPECT_FALSE(is_busy(0, 64));
}

TEST_F(pending_work_test, finished_work_that_nobody_asks_for_is_forgotten_in_the_end) {
  for (std::size_t k = 0; k < 32; ++k) {
    add_pending_work(bytes(k, 1), access::write, sycl::event(), {}, queue());
  }
  for (int k = 0; k < 64; ++k) {
    pending_work_before(bytes(63, 1), access::read);
  }
  EXPECT_FALSE(is_busy(0, 64));
}

TEST_F(pending_work_test, no_bytes_have_no_work) {
  gate work(context());
  add_pending_work(bytes(0, 8), access::write, work.event(), {}, queue());
  EXPECT_FALSE(may_have_pending_work(memory_.data(), 0));
  work.open();
}

TEST_F(pending_work_test, chain_of_writes_is_one_event_however_long_it_is) {
  const support::runtime_block block(8, usmx::usm_kind::device, queue());
  gate work(context());
  sycl::event latest = work.event();
  add_pending_work(bytes(0, 8), access::write, latest, {}, queue());
  for (int k = 0; k < 500; ++k) {
    const earlier_work earlier = pending_work_before(bytes(0, 8), access::write);
    ASSERT_EQ(earlier.events.size(), 1U);
    latest = queue().memset(block.data(), 1, 8, earlier.events);
    add_pending_work(bytes(0, 8), access::write, latest, earlier, queue());
  }
  work.open();
  latest.wait();
}

/// On each sort of queue: one event takes the place of many.
TEST_F(pending_work_test, hundreds_of_reads_are_few_events_that_wait_for_all_of_them) {
  if (!support::has_user_events(context())) {
    GTEST_SKIP() << "gates are host tasks here, which no barrier may wait for";
  }
  for (sycl::queue on : {queue(), new_queue()}) {
    gate work(context());
    gate last(context());
    for (int k = 0; k < 300; ++k) {
      add_pending_work(bytes(0, 8), access::read, k == 5 ? last.event() : work.event(), {}, on);
    }
    EXPECT_LT(pending_work_before(bytes(0, 8), access::write).events.size(), 70U);
    std::atomic<bool> waited = false;
    std::thread waiter([&] {
      wait_for_pending_work(bytes(0, 8), access::write);
      waited = true;
    });
    work.open();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(waited);
    last.open();
    waiter.join();
    EXPECT_FALSE(is_busy(0, 8));
  }
}

/// dpctl's events that keep operands alive are such ones.
TEST_F(pending_work_test, hundreds_of_host_tasks_are_waited_for) {
  std::promise<void> go;
  const auto until = go.get_future().share();
  sycl::queue tasks(context(), device());
  for (int k = 0; k < 300; ++k) {
    add_pending_work(bytes(0, 8), access::read, tasks.submit([&](sycl::handler& handler) {
      handler.host_task([until] { until.wait(); });
    }),
                     {}, queue());
  }
  EXPECT_TRUE(is_busy(0, 8));
  go.set_value();
  wait_for_pending_work(bytes(0, 8), access::write);
  EXPECT_FALSE(is_busy(0, 8));
}

TEST_F(pending_work_test, work_on_memory_that_ends_is_forgotten_on_its_bytes_alone) {
  gate work(context());
  add_pending_work(bytes(0, 16), access::write, work.event(), {}, queue());
  forget_pending_work(bytes(0, 8));
  EXPECT_FALSE(is_busy(0, 8));
  EXPECT_TRUE(is_busy(8, 8));
  work.open();
}

TEST_F(pending_work_test, threads_may_add_find_and_forget_at_once) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t k = 0; k < 2000; ++k) {
        const byte_range mine = bytes((k + t) % 56, 1 + k % 8);
        const earlier_work earlier = pending_work_before(mine, access::write);
        add_pending_work(mine, k % 3 == 0 ? access::write : access::read, sycl::event(), earlier,
                         queue());
        if (k % 50 == 0) {
          forget_pending_work(mine);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  wait_for_pending_work(bytes(0, 64), access::write);
  EXPECT_FALSE(is_busy(0, 64));
}

/// A check that says at once that a signal arrived.
bool at_once() { return true; }

TEST_F(pending_work_test, work_whose_wait_was_given_up_stays_known) {
  gate work(context());
  add_pending_work(bytes(0, 64), access::write, work.event(), {}, queue());
  {
    const support::interruptible scope(&at_once);
    EXPECT_THROW(wait_for_pending_work(bytes(0, 64), access::read), interrupted_wait);
    EXPECT_THROW(wait_for_pending_work(bytes(0, 64), access::read), interrupted_wait);
  }
  EXPECT_TRUE(is_busy(0, 64));
  work.open();
  wait_for_pending_work(bytes(0, 64), access::read);
  EXPECT_FALSE(is_busy(0, 64));
}

TEST_F(pending_work_test, synchronize_that_was_given_up_has_released_nothing_that_is_in_use) {
  gate work(context());
  std::atomic<bool> released = false;
  const auto given = usmx::buffer::allocate(64, usmx::usm_kind::shared, queue());
  {
    auto adopted = usmx::buffer::adopt(given.data(), 64, queue(),
                                       usmx::detail::release_action::of(&released, [](void* flag) {
                                         static_cast<std::atomic<bool>*>(flag)->store(true);
                                       }));
    adopted.record(work.event());
  }
  {
    const support::interruptible scope(&at_once);
    EXPECT_THROW(usmx::synchronize(), interrupted_wait);
  }
  EXPECT_FALSE(released);
  work.open();
  usmx::synchronize();
  EXPECT_TRUE(released);
}

}  // namespace
