// usmx/runtime/queues.hpp: the queue that usmx keeps for a device of a context, and what becomes of
// its work when the process ends.
#include "usmx/runtime/queues.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::expect_contains;
using support::halves_of;
using support::message_of;

using queues_test = support::device_test;

bool is_of_a_gpu_back_end(const sycl::device& device) {
  return device.get_backend() == sycl::backend::ext_oneapi_cuda ||
         device.get_backend() == sycl::backend::ext_oneapi_level_zero;
}

TEST_F(queues_test, cached_queue_of_a_gpu_alone_is_in_order_and_each_is_of_the_pair_asked_for) {
  const sycl::device device = usmx::default_device();
  const sycl::context context(device);
  const sycl::queue queue = usmx::cached_queue(context, device);
  EXPECT_EQ(queue.is_in_order(), is_of_a_gpu_back_end(device));
  EXPECT_TRUE(queue.get_device() == device);
  EXPECT_TRUE(queue.get_context() == context);
}

TEST_F(queues_test, same_pair_has_the_same_queue) {
  const sycl::device device = usmx::default_device();
  const sycl::context context(device);
  EXPECT_TRUE(usmx::cached_queue(context, device) == usmx::cached_queue(context, device));
}

TEST_F(queues_test, contexts_have_queues_of_their_own) {
  const sycl::device device = usmx::default_device();
  EXPECT_FALSE(usmx::cached_queue(sycl::context(device), device) == usmx::cached_queue(device));
}

TEST_F(queues_test, queue_of_a_device_is_that_of_its_default_context) {
  const sycl::device device = usmx::default_device();
  EXPECT_TRUE(usmx::cached_queue(device) ==
              usmx::cached_queue(usmx::default_context(device), device));
}

TEST_F(queues_test, default_queue_is_that_of_the_default_device) {
  EXPECT_TRUE(usmx::default_queue() == usmx::cached_queue(usmx::default_device()));
}

TEST_F(queues_test, sub_device_has_a_queue_in_a_context_of_its_own) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.empty()) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  const sycl::context own(halves.front());
  EXPECT_TRUE(usmx::cached_queue(own, halves.front()).get_device() == halves.front());
}

TEST_F(queues_test, opencl_refuses_a_sub_device_in_its_parents_context) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.empty() || halves.front().get_backend() != sycl::backend::opencl) {
    GTEST_SKIP() << "no OpenCL device that can be divided";
  }
  const sycl::context parents = usmx::default_context(usmx::default_device());
  const std::string message =
      message_of<usmx::value_error>([&] { usmx::cached_queue(parents, halves.front()); });
  expect_contains(message, usmx::describe(parents));
  expect_contains(message, usmx::describe(halves.front()));
}

TEST_F(queues_test, sub_device_has_a_queue_in_its_parents_context) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.size() < 2 || halves.front().get_backend() == sycl::backend::opencl) {
    GTEST_SKIP() << "no device that can be divided within its context";
  }
  const sycl::context parents = usmx::default_context(usmx::default_device());
  const sycl::queue queue = usmx::cached_queue(parents, halves.front());
  EXPECT_TRUE(queue.get_device() == halves.front());
  EXPECT_FALSE(queue == usmx::cached_queue(parents, halves.back()));
}

TEST_F(queues_test, device_of_another_context_is_rejected_naming_both) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.size() < 2) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  const sycl::context of_one(halves.front());
  for (const sycl::device& other : {halves.back(), usmx::default_device()}) {
    const std::string message =
        message_of<usmx::value_error>([&] { usmx::cached_queue(of_one, other); });
    expect_contains(message, usmx::describe(of_one));
    expect_contains(message, usmx::describe(other));
  }
}

TEST_F(queues_test, threads_get_the_same_queue) {
  const sycl::context context(usmx::default_device());
  const sycl::queue expected = usmx::cached_queue(context, usmx::default_device());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int id = 0; id < 16; ++id) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        wrong += !(usmx::cached_queue(context, usmx::default_device()) == expected);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(queues_test, exit_waits_for_work_in_flight) {
  for (int round = 0; round < support::starts(6); ++round) {
    const auto child = support::run_child("", "exit-at-work");
    ASSERT_EQ(child.exit_code, 0) << child.output;
    ASSERT_TRUE(child.output.starts_with("leaving main\nfinished\n")) << child.output;
  }
}

TEST_F(queues_test, exit_waits_for_usmxs_work_on_queues_of_others) {
  for (int round = 0; round < support::starts(3); ++round) {
    for (const char* queue : {"in-order", "out-of-order"}) {
      const auto child = support::run_child("", std::string("exit-at-own-work ") + queue);
      ASSERT_EQ(child.exit_code, 0) << child.output;
      ASSERT_EQ(child.output, "leaving main\nfinished\n") << queue;
    }
  }
}

TEST_F(queues_test, others_work_is_expected_on_a_cached_queue_that_was_handed_out) {
  for (const char* by : {"default", "device", "context"}) {
    EXPECT_EQ(support::run_child("", std::string("exposed ") + by).output, "01") << by;
  }
  EXPECT_EQ(support::run_child("", "exposed").output, "00");
}

TEST_F(queues_test, process_ends_cleanly_with_threads_at_work) {
  for (int round = 0; round < support::starts(6); ++round) {
    const auto child = support::run_child("", "exit-with-threads");
    ASSERT_EQ(child.exit_code, 0) << child.output;
    ASSERT_EQ(child.output, "");
  }
}

}  // namespace
