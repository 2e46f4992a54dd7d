// usmx/runtime/devices.hpp.
#include "usmx/runtime/devices.hpp"

#include <gtest/gtest.h>

#include "support/device_test.hpp"

namespace {

class memory_info_test : public support::device_test {};

TEST_F(memory_info_test, part_of_all_memory_is_free) {
  const usmx::memory_info found = usmx::get_memory_info(device());
  EXPECT_EQ(found.total, device().get_info<sycl::info::device::global_mem_size>());
  EXPECT_GT(found.free, 0U);
  EXPECT_LE(found.free, found.total);
}

}  // namespace
