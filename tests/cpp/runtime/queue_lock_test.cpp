// src/runtime/queue_lock.hpp: one thread at a time submits to an out-of-order queue.
#include "runtime/queue_lock.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/device_test.hpp"

namespace {

using usmx::detail::lock_queue;
using usmx::detail::try_lock_queue;
using queue_lock_test = support::device_test;

/// Whether another thread can have the lock now.
bool is_free(const sycl::queue& queue) {
  bool found = false;
  std::thread([&] { found = try_lock_queue(queue).has_value(); }).join();
  return found;
}

TEST_F(queue_lock_test, out_of_order_queue_is_locked_for_other_threads) {
  const sycl::queue out_of_order(context(), device());
  {
    const auto lock = lock_queue(out_of_order);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(is_free(out_of_order));
  }
  EXPECT_TRUE(is_free(out_of_order));
}

TEST_F(queue_lock_test, lock_that_was_tried_for_is_held_until_it_is_gone) {
  const sycl::queue out_of_order(context(), device());
  {
    const auto lock = try_lock_queue(out_of_order);
    ASSERT_TRUE(lock.has_value());
    EXPECT_FALSE(is_free(out_of_order));
  }
  EXPECT_TRUE(is_free(out_of_order));
}

TEST_F(queue_lock_test, copies_of_a_queue_have_one_lock) {
  const sycl::queue out_of_order(context(), device());
  const sycl::queue copy = out_of_order;
  const auto lock = lock_queue(out_of_order);
  EXPECT_FALSE(is_free(copy));
}

TEST_F(queue_lock_test, in_order_queue_needs_no_lock) {
  const sycl::queue in_order = new_queue();
  const auto lock = lock_queue(in_order);
  EXPECT_FALSE(lock.owns_lock());
  EXPECT_TRUE(is_free(in_order));
}

}  // namespace
