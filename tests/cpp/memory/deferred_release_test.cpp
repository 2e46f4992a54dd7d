// src/memory/reclaim.hpp: memory that is let go of while work on it may still be
// running, or by a thread that may be the runtime's own, is freed once, and later.
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "memory/reclaim.hpp"
#include "support/device_test.hpp"
#include "support/gate.hpp"
#include "support/release_counter.hpp"
#include "support/sizes.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/resources.hpp"
#include "usmx/memory/usm.hpp"

namespace {

using support::kib;
using support::mib;
using support::release_counter;
using support::runtime_block;
using usmx::buffer;
using usmx::usm_kind;

/// Knows which threads have freed memory.
class watched_resource {
 public:
  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue) {
    return below_.allocate(nbytes, alignment, queue);
  }
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept {
    {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    below_.deallocate(block, nbytes, alignment, queue);
  }
  usm_kind kind() const noexcept { return usm_kind::host; }
  bool was_called_on(std::thread::id thread) {
    const std::lock_guard lock(mutex_);
    return threads_.contains(thread);
  }

 private:
  usmx::usm_resource below_{usm_kind::host};
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

class deferred_release_test : public support::device_test {
 protected:
  // usmx looks at what was let go, with work unfinished at that time, when it allocates.
  static void allocate_something() { buffer::allocate(1, usm_kind::host, queue()); }
};

// It may be one of the runtime's own, which must not call the runtime.
TEST_F(deferred_release_test, thread_that_never_called_usmx_leaves_the_freeing_to_others) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter deleted;
  auto shared =
      std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), deleted.deleter()));
  std::thread([last = std::move(shared)]() mutable { last.reset(); }).join();
  EXPECT_EQ(deleted.value(), 0);
  usmx::synchronize();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(deferred_release_test, memory_dropped_in_a_host_task_is_freed_later) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter deleted;
  auto shared =
      std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), deleted.deleter()));
  sycl::queue other = new_queue();
  other.submit([&](sycl::handler& handler) { handler.host_task([&] { shared.reset(); }); }).wait();
  EXPECT_EQ(deleted.value(), 0);
  allocate_something();
  EXPECT_EQ(deleted.value(), 1);
}

// Its deallocation is the call of the runtime that must not be made there.
TEST_F(deferred_release_test, no_resource_is_called_on_the_runtimes_thread_that_drops_a_block) {
  const auto below = std::make_shared<watched_resource>();
  const auto pool = std::make_shared<usmx::pool_resource>(below, queue(), mib);
  for (const usmx::any_resource& resource : {usmx::any_resource(below), usmx::any_resource(pool)}) {
    const auto before = usmx::set_current_resource(queue(), resource);
    for (const auto& [nbytes, alignment] :
         {std::pair(kib, kib), std::pair(mib, kib), std::pair(9 * mib, kib),
          std::pair(kib, 64 * kib)}) {  // the largest alignment that every runtime keeps
      auto block =
          std::make_shared<buffer>(buffer::allocate(nbytes, usm_kind::host, queue(), alignment));
      std::thread::id dropping;
      new_queue()
          .submit([&](sycl::handler& handler) {
            handler.host_task([&] {
              dropping = std::this_thread::get_id();
              block.reset();
            });
          })
          .wait();
      EXPECT_FALSE(below->was_called_on(dropping)) << nbytes;
    }
    usmx::set_current_resource(queue(), before);
    usmx::synchronize();
  }
  pool->free_all_blocks();
  EXPECT_TRUE(below->was_called_on(std::this_thread::get_id()));
}

TEST_F(deferred_release_test, many_threads_that_let_go_at_once_free_once) {
  const runtime_block block(64, usm_kind::device, queue());
  for (int round = 0; round < 50; ++round) {
    const release_counter deleted;
    auto shared =
        std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), deleted.deleter()));
    std::atomic<int> waiting = 16;
    std::vector<std::thread> threads;
    for (int id = 0; id < 16; ++id) {
      threads.emplace_back([&waiting, mine = shared]() mutable {
        --waiting;
        while (waiting > 0) {
          std::this_thread::yield();
        }
        mine.reset();
      });
    }
    shared.reset();
    for (std::thread& thread : threads) {
      thread.join();
    }
    usmx::synchronize();
    ASSERT_EQ(deleted.value(), 1);
  }
}

// ---- Pending work that is over when the test says so

class pending_work_release_test : public deferred_release_test {};

TEST_F(pending_work_release_test, bytes_on_another_queue_are_let_go_after_unrecorded_work_on_it) {
  const runtime_block block(64, usm_kind::device, queue());
  support::gate gate(context());
  sycl::queue other = new_queue();
  const release_counter deleted;
  {
    const buffer there = buffer::on_queue(
        std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), deleted.deleter())),
        other);
    other.memset(there.data(), 1, 64, gate.event());
  }
  EXPECT_EQ(deleted.value(), 0);
  gate.open();
  other.wait();
  usmx::synchronize();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(pending_work_release_test, memory_let_go_with_unfinished_work_is_freed_after_it) {
  const runtime_block block(64, usm_kind::device, queue());
  support::gate gate(context());
  const release_counter deleted;
  {
    buffer adopted = buffer::adopt(block.data(), 64, queue(), deleted.deleter());
    adopted.record(gate.event());
  }  // would not come back if letting go waited
  EXPECT_EQ(deleted.value(), 0);
  allocate_something();
  EXPECT_EQ(deleted.value(), 0);
  gate.open();
  allocate_something();
  EXPECT_EQ(deleted.value(), 1);
  allocate_something();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(pending_work_release_test, memory_let_go_is_freed_after_the_last_of_its_work) {
  const runtime_block block(64, usm_kind::device, queue());
  support::gate first(context());
  support::gate second(context());
  const release_counter deleted;
  {
    buffer adopted = buffer::adopt(block.data(), 64, queue(), deleted.deleter());
    adopted.record(first.event());
    adopted.record(second.event());
  }
  first.open();
  allocate_something();
  EXPECT_EQ(deleted.value(), 0);
  second.open();
  allocate_something();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(pending_work_release_test, own_memory_let_go_with_unfinished_work_is_nobodys_at_once) {
  support::gate gate(context());
  sycl::queue work = new_queue();
  const std::byte* pointer = nullptr;
  {
    buffer made = buffer::allocate(64, usm_kind::device, queue());
    pointer = made.data();
    made.record(work.memset(made.data(), 1, 64, gate.event()));
  }
  EXPECT_EQ(usmx::pointer_kind(pointer, context()), usm_kind::unknown);
  gate.open();
  work.wait();
  allocate_something();
  EXPECT_EQ(usmx::pointer_kind(pointer, context()), usm_kind::unknown);
}

TEST_F(pending_work_release_test, memory_whose_work_is_held_up_does_not_hold_up_others) {
  const runtime_block block(128, usm_kind::device, queue());
  support::gate closed(context());
  support::gate open(context());
  const release_counter held;
  const release_counter free;
  {
    buffer a = buffer::adopt(block.data(), 64, queue(), held.deleter());
    buffer b = buffer::adopt(block.data() + 64, 64, queue(), free.deleter());
    a.record(closed.event());
    b.record(open.event());
  }
  open.open();
  allocate_something();
  EXPECT_EQ(held.value(), 0);
  EXPECT_EQ(free.value(), 1);
  closed.open();
  allocate_something();
  EXPECT_EQ(held.value(), 1);
}

TEST_F(pending_work_release_test, whole_waits_for_work_that_was_recorded_on_a_part_now_gone) {
  const runtime_block block(64, usm_kind::device, queue());
  support::gate gate(context());
  const release_counter deleted;
  {
    auto whole =
        std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), deleted.deleter()));
    buffer::part_of(whole, block.data(), 8, false, {}).record(gate.event());
  }
  allocate_something();
  EXPECT_EQ(deleted.value(), 0);
  gate.open();
  allocate_something();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(pending_work_release_test, memory_replaced_by_assignment_is_freed_after_its_work) {
  const runtime_block block(64, usm_kind::device, queue());
  support::gate gate(context());
  const release_counter deleted;
  buffer made = buffer::adopt(block.data(), 64, queue(), deleted.deleter());
  made.record(gate.event());
  made = buffer::allocate(8, usm_kind::device, queue());
  EXPECT_EQ(deleted.value(), 0);
  EXPECT_FALSE(made.may_be_busy());
  gate.open();
  allocate_something();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(pending_work_release_test, deleter_of_deferred_memory_may_let_go_of_other_memory) {
  const runtime_block block(64, usm_kind::device, queue());
  support::gate gate(context());
  const release_counter deleted;
  {
    auto inner =
        std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), deleted.deleter()));
    inner->record(gate.event());
    buffer outer = buffer::adopt(block.data(), 8, queue(),
                                 [inner = std::move(inner)](void*) { allocate_something(); });
    outer.record(gate.event());
  }
  gate.open();
  allocate_something();  // runs the deleter of outer, which lets go of inner
  allocate_something();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(pending_work_release_test, threads_that_let_go_of_busy_memory_free_each_once) {
  const runtime_block block(64, usm_kind::device, queue());
  support::gate gate(context());
  const release_counter deleted;
  std::vector<std::thread> threads;
  for (int id = 0; id < 16; ++id) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        buffer adopted = buffer::adopt(block.data(), 64, queue(), deleted.deleter());
        adopted.record(gate.event());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(deleted.value(), 0);
  gate.open();
  threads.clear();
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back(allocate_something);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  allocate_something();
  EXPECT_EQ(deleted.value(), 160);
}

/// One that the runtime can tell of, or not.
struct asked_batch {
  int number;
  bool fails;
  bool is_finished() const {
    if (fails) {
      throw std::runtime_error(std::to_string(number));
    }
    return true;
  }
};

TEST(take_finished_test, batch_of_which_nobody_can_tell_stays_and_keeps_no_other) {
  std::list<asked_batch> all{{1, false}, {2, true}, {3, false}};
  std::list<asked_batch> finished;
  auto next = all.begin();
  const std::exception_ptr failure = usmx::detail::take_finished(all, next, 100, finished);
  EXPECT_TRUE(failure);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().number, 2);
  EXPECT_EQ(finished.size(), 2U);
  all.front().fails = false;
  EXPECT_FALSE(usmx::detail::take_finished(all, next, 100, finished));
  EXPECT_TRUE(all.empty());
}

}  // namespace
