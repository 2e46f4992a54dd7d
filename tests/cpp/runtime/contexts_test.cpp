// usmx/runtime/queues.hpp: the default context of a device, and what contexts are called.
#include "usmx/runtime/queues.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::expect_contains;

using contexts_test = support::device_test;

TEST_F(contexts_test, default_context_is_the_platforms) {
  const sycl::device device = usmx::default_device();
  EXPECT_TRUE(usmx::default_context(device) == device.get_platform().khr_get_default_context());
  EXPECT_TRUE(usmx::default_context(device) == usmx::default_context(device));
}

TEST_F(contexts_test, queue_made_by_sycl_itself_has_the_same_default_context) {
  const sycl::device device = usmx::default_device();
  EXPECT_TRUE(usmx::default_context(device) == sycl::queue(device).get_context());
}

TEST_F(contexts_test, context_is_described_by_its_identity_and_devices) {
  const sycl::context context(usmx::default_device());
  const std::string text = usmx::describe(context);
  EXPECT_TRUE(text.starts_with("context 0x")) << text;
  expect_contains(text, "of 1 device (" + usmx::describe(usmx::default_device()) + ")");
  EXPECT_NE(text, usmx::describe(sycl::context(usmx::default_device())));
}

}  // namespace
