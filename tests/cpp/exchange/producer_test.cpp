// src/exchange/producer.hpp where there are no two CUDA devices: nothing is made current. For two
// of them: tests/gpu/test_two_devices.py. How a device is made current:
// runtime/drivers/cuda_test.cpp.
#include "exchange/producer.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/devices.hpp"

namespace {

using usmx::internal::current_cuda_device;
using usmx::internal::has_several_cuda_devices;

TEST(producer, several_devices_are_more_than_one) {
  EXPECT_EQ(has_several_cuda_devices(), usmx::detail::count_cuda_devices() > 1);
  EXPECT_EQ(usmx::detail::count_cuda_devices() > 0, usmx::detail::first_cuda_device() != nullptr);
}

TEST(producer, device_that_is_not_there_is_not_made_current) {
  for (const std::int32_t number : {-1, INT32_MIN, INT32_MAX}) {
    EXPECT_NO_THROW(current_cuda_device{number});
  }
}

}  // namespace
