// src/memory/reclaim.hpp: a block of a pool that is let go with work unfinished serves
// its queue at once, everybody when the work is done, and what waits is bounded.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "memory/buffer.hpp"
#include "memory/reclaim.hpp"
#include "support/device_test.hpp"
#include "support/gate.hpp"
#include "support/release_counter.hpp"
#include "support/sizes.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/resources.hpp"

namespace {

using namespace std::chrono_literals;
using support::gate;
using support::mib;
using support::release_counter;
using support::runtime_block;
using usmx::buffer;
using usmx::usm_kind;
using usmx::detail::deferred_nbytes;
using usmx::detail::release_finished;
using usmx::internal::first_use;
using usmx::internal::new_buffer;

class reusable_blocks_test : public support::device_test {
 protected:
  void SetUp() override {
    usmx::synchronize();
    usmx::empty_cache();
    ASSERT_EQ(deferred_nbytes(), 0U);
  }
  void TearDown() override {
    usmx::set_pending_limit(limit_before_);
    usmx::synchronize();
  }

  static std::shared_ptr<buffer> in_order(std::size_t nbytes, const sycl::queue& on = queue()) {
    return new_buffer::allocate(nbytes, on, usm_kind::device, 0, first_use::in_order);
  }
  static std::shared_ptr<buffer> at_once(std::size_t nbytes, const sycl::queue& on = queue()) {
    return new_buffer::allocate(nbytes, on, usm_kind::device, 0, first_use::at_once);
  }
  /// Lets a block go with that work on it.
  static std::byte* let_go(std::size_t nbytes, const sycl::event& work) {
    const auto made = in_order(nbytes);
    made->record(work);
    return made->data();
  }

 private:
  const std::size_t limit_before_ = usmx::pending_limit();
};

TEST_F(reusable_blocks_test, block_let_go_with_work_serves_the_next_buffer_on_its_queue_at_once) {
  gate work(context());
  std::byte* const first = let_go(4 * mib, work.event());
  const auto next = in_order(4 * mib);
  EXPECT_EQ(next->data(), first);
  EXPECT_TRUE(next->may_be_busy());
  EXPECT_EQ(deferred_nbytes(), 0U);
  work.open();
  next->wait();
  EXPECT_FALSE(next->may_be_busy());
}

TEST_F(reusable_blocks_test, block_of_the_same_class_serves_another_size_and_alignment) {
  gate work(context());
  std::byte* const first = let_go(4 * mib - 1000, work.event());
  EXPECT_EQ(
      new_buffer::allocate(4 * mib - 5, queue(), usm_kind::device, 64, first_use::in_order)->data(),
      first);
  EXPECT_NE(
      new_buffer::allocate(4 * mib, queue(), usm_kind::device, mib, first_use::in_order)->data(),
      first);
}

TEST_F(reusable_blocks_test, who_does_not_order_gets_only_blocks_whose_work_is_done) {
  gate work(context());
  std::byte* const first = let_go(4 * mib, work.event());
  EXPECT_NE(at_once(4 * mib)->data(), first);
  EXPECT_NE(buffer::allocate(4 * mib, usm_kind::device, queue()).data(), first);
  usmx::empty_cache();
  work.open();
  EXPECT_EQ(at_once(4 * mib)->data(), first);
  EXPECT_FALSE(at_once(4 * mib)->may_be_busy());
}

TEST_F(reusable_blocks_test, another_queue_gets_no_block_that_waits) {
  gate work(context());
  std::byte* const first = let_go(4 * mib, work.event());
  const sycl::queue other = new_queue();
  EXPECT_NE(in_order(4 * mib, other)->data(), first);
}

TEST_F(reusable_blocks_test, idle_block_is_preferred) {
  gate work(context());
  auto idle = in_order(4 * mib);
  std::byte* const idle_first = idle->data();
  let_go(4 * mib, work.event());
  idle.reset();
  EXPECT_EQ(in_order(4 * mib)->data(), idle_first);
}

TEST_F(reusable_blocks_test, unfinished_work_on_one_block_holds_up_no_other) {
  gate closed(context());
  gate open(context());
  let_go(64, closed.event());
  const std::size_t held = deferred_nbytes();
  for (int k = 0; k < 100; ++k) {
    const auto made = at_once(4096);
    made->record(open.event());
  }
  EXPECT_GT(deferred_nbytes(), held);
  open.open();
  for (int k = 0; k < 10; ++k) {
    release_finished();
  }
  EXPECT_EQ(deferred_nbytes(), held);
}

TEST_F(reusable_blocks_test, unfinished_work_on_adopted_memory_holds_up_no_other) {
  const runtime_block block(128, usm_kind::device, queue());
  gate closed(context());
  gate open(context());
  const release_counter held;
  const release_counter freed;
  for (int k = 0; k < 20; ++k) {
    buffer::adopt(block.data(), 64, queue(), held.deleter()).record(closed.event());
  }
  for (int k = 0; k < 20; ++k) {
    buffer::adopt(block.data() + 64, 64, queue(), freed.deleter()).record(open.event());
  }
  open.open();
  for (int k = 0; k < 40; ++k) {
    release_finished();
  }
  EXPECT_EQ(held.value(), 0);
  EXPECT_EQ(freed.value(), 20);
}

// ---- What waits is bounded

TEST_F(reusable_blocks_test, allocation_beyond_the_limit_waits_for_the_oldest_work_alone) {
  usmx::set_pending_limit(6 * mib);
  gate first(context());
  gate second(context());
  let_go(4 * mib, first.event());
  let_go(5 * mib, second.event());
  std::atomic<bool> opened = false;
  std::thread opening([&] {
    std::this_thread::sleep_for(20ms);
    opened = true;
    first.open();
  });
  const auto made = at_once(8 * mib);
  EXPECT_TRUE(opened);
  EXPECT_EQ(deferred_nbytes(), 5 * mib);
  opening.join();
}

TEST_F(reusable_blocks_test, adopted_memory_counts_for_the_limit_too) {
  const runtime_block block(8 * mib, usm_kind::device, queue());
  usmx::set_pending_limit(6 * mib);
  gate work(context());
  const release_counter deleted;
  buffer::adopt(block.data(), 8 * mib, queue(), deleted.deleter()).record(work.event());
  std::thread opening([&] {
    std::this_thread::sleep_for(20ms);
    work.open();
  });
  at_once(9 * mib);
  EXPECT_EQ(deleted.value(), 1);
  opening.join();
}

TEST_F(reusable_blocks_test, block_that_can_be_used_again_is_not_waited_for) {
  usmx::set_pending_limit(mib);
  gate work(context());
  std::byte* const first = let_go(4 * mib, work.event());
  EXPECT_EQ(in_order(4 * mib)->data(), first);
}

TEST_F(reusable_blocks_test, try_form_gives_nothing_that_would_need_the_runtime) {
  usmx::set_pending_limit(0);
  gate work(context());
  const auto try_for = [](std::size_t nbytes, first_use use) {
    return new_buffer::try_to_allocate(nbytes, usm_kind::device, queue(), 0, use);
  };
  std::byte* const first = let_go(4 * mib, work.event());
  EXPECT_EQ(try_for(4 * mib, first_use::at_once), nullptr);
  EXPECT_EQ(try_for(5 * mib, first_use::in_order), nullptr);
  EXPECT_EQ(try_for(0, first_use::in_order), nullptr);
  EXPECT_EQ(try_for(SIZE_MAX, first_use::in_order), nullptr);
  EXPECT_EQ(try_for(4 * mib, first_use::in_order)->data(), first);
}

TEST_F(reusable_blocks_test, pool_outlives_its_blocks_that_wait) {
  gate work(context());
  {
    const auto pool = std::make_shared<usmx::pool_resource>(
        std::make_shared<usmx::usm_resource>(usm_kind::device), queue());
    const auto before = usmx::set_current_resource(queue(), pool);
    let_go(4 * mib, work.event());
    usmx::set_current_resource(queue(), before);
  }
  EXPECT_EQ(deferred_nbytes(), 4 * mib);
  work.open();
  release_finished();
  EXPECT_EQ(deferred_nbytes(), 0U);
}

TEST_F(reusable_blocks_test, blocks_of_another_resource_wait_for_their_work) {
  const auto before =
      usmx::set_current_resource(queue(), std::make_shared<usmx::usm_resource>(usm_kind::device));
  gate work(context());
  const std::byte* const first = let_go(4 * mib, work.event());
  EXPECT_NE(in_order(4 * mib)->data(), first);
  EXPECT_EQ(deferred_nbytes(), 4 * mib);
  work.open();
  release_finished();
  EXPECT_EQ(deferred_nbytes(), 0U);
  usmx::set_current_resource(queue(), before);
}

TEST_F(reusable_blocks_test, synchronize_gives_every_block_back) {
  gate work(context());
  for (int k = 1; k < 200; ++k) {
    let_go(static_cast<std::size_t>(k) * 1000, work.event());
  }
  work.open();
  usmx::synchronize();
  EXPECT_EQ(deferred_nbytes(), 0U);
}

}  // namespace
