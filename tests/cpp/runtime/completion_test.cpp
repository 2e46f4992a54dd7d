// src/runtime/waits.cpp: every event may be asked for its back end.
#include "runtime/waits.hpp"

#include <gtest/gtest.h>

#include <future>

#include <sycl/handler.hpp>

#include "support/device_test.hpp"

namespace {

using usmx::internal::backend_of;

class completion_test : public support::device_test {
 protected:
  static sycl::event host_task(sycl::queue queue, std::shared_future<void> until) {
    return queue.submit(
        [&](sycl::handler& handler) { handler.host_task([until] { until.wait(); }); });
  }
};

TEST_F(completion_test, command_has_the_back_end_of_its_queue) {
  const support::runtime_block block(64, usmx::usm_kind::device, queue());
  sycl::event event = new_queue().memset(block.data(), 1, 64);
  event.wait();
  EXPECT_EQ(backend_of(event), device().get_backend());
}

TEST_F(completion_test, event_that_was_always_complete_has_none) {
  EXPECT_EQ(backend_of(sycl::event()), std::nullopt);
}

TEST_F(completion_test, host_task_has_none_whether_it_runs_or_is_complete) {
  std::promise<void> go;
  sycl::event event = host_task(sycl::queue(context(), device()), go.get_future().share());
  EXPECT_EQ(backend_of(event), std::nullopt);
  go.set_value();
  usmx::detail::wait_for(event);
  EXPECT_EQ(backend_of(event), std::nullopt);
}

TEST_F(completion_test, command_that_waits_for_a_host_task_has_none_until_it_starts) {
  const support::runtime_block block(64, usmx::usm_kind::device, queue());
  sycl::queue queue(context(), device());
  std::promise<void> go;
  const sycl::event task = host_task(queue, go.get_future().share());
  sycl::event event = queue.memset(block.data(), 1, 64, task);
  EXPECT_EQ(backend_of(event), std::nullopt);
  go.set_value();
  usmx::detail::wait_for(event);
  EXPECT_EQ(backend_of(event), device().get_backend());
}

}  // namespace
