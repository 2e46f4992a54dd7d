// usmx/memory/buffer.hpp: all work of usmx has been waited for.
#include "usmx/memory/buffer.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include <sycl/usm.hpp>

#include "support/device_test.hpp"

namespace {

using synchronize_test = support::device_test;

TEST_F(synchronize_test, synchronize_waits_for_work_on_cached_queues) {
  sycl::queue queue = usmx::default_queue();
  constexpr std::size_t nbytes = 16 << 20;
  auto* memory = sycl::malloc_shared<unsigned char>(nbytes, queue);
  ASSERT_NE(memory, nullptr);
  const sycl::event filled = queue.memset(memory, 7, nbytes);
  usmx::synchronize();
  EXPECT_EQ(filled.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  EXPECT_EQ(memory[nbytes - 1], 7);
  sycl::free(memory, queue);
}

}  // namespace
