// src/runtime/devices.hpp: which devices are CUDA's, and what is said where one is not there.
#include "runtime/devices.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/errors.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::expect_contains;
using usmx::detail::cuda_number;
using usmx::detail::describe_missing_cuda_device;
using usmx::detail::find_cuda_device;
using usmx::detail::first_cuda_device;

TEST(cuda_devices, exactly_cudas_devices_have_a_number_by_which_they_are_found) {
  for (const sycl::device& device : usmx::get_devices()) {
    const auto number = cuda_number(device);
    EXPECT_EQ(number.has_value(), device.get_backend() == sycl::backend::ext_oneapi_cuda);
    if (number) {
      ASSERT_NE(find_cuda_device(*number), nullptr);
      EXPECT_EQ(*find_cuda_device(*number), device);
    }
  }
}

TEST(cuda_devices, numbers_of_no_device_find_none) {
  EXPECT_EQ(find_cuda_device(-1), nullptr);
  EXPECT_EQ(find_cuda_device(INT32_MAX), nullptr);
}

TEST(cuda_devices, missing_device_is_described_by_its_number_and_by_what_is_there) {
  const std::string text = describe_missing_cuda_device(99);
  expect_contains(text, "CUDA memory of device 99");
  expect_contains(text, first_cuda_device() == nullptr ? "no CUDA device" : "no such CUDA device");
  for (const sycl::device& device : usmx::get_devices()) {
    expect_contains(text, std::string(usmx::backend_name(device.get_backend())));
  }
}

TEST(cuda_devices, missing_device_of_no_known_number_is_described_without_one) {
  expect_contains(describe_missing_cuda_device(std::nullopt), "CUDA memory: the SYCL runtime");
}

}  // namespace
