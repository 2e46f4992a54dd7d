// usmx/runtime/devices.hpp: which devices there are, and what they are called.
#include "usmx/runtime/devices.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <sycl/platform.hpp>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_contains;
using support::halves_of;
using support::message_of;

using devices_test = support::device_test;

TEST_F(devices_test, devices_come_platform_by_platform) {
  std::vector<sycl::device> expected;
  for (const sycl::platform& platform : sycl::platform::get_platforms()) {
    for (const sycl::device& device : platform.get_devices()) {
      expected.push_back(device);
    }
  }
  EXPECT_EQ(usmx::get_devices(), expected);
}

TEST_F(devices_test, default_device_is_the_default_selectors) {
  EXPECT_TRUE(usmx::default_device() == sycl::device(sycl::default_selector_v));
}

TEST_F(devices_test, default_device_has_the_highest_score) {
  const int highest = usmx::default_selector_score(usmx::default_device());
  for (const sycl::device& device : usmx::get_devices()) {
    EXPECT_LE(usmx::default_selector_score(device), highest);
  }
}

TEST_F(devices_test, sub_device_has_a_score_of_its_own_and_a_parent) {
  const sycl::device whole = usmx::default_device();
  EXPECT_FALSE(usmx::parent_device(whole));
  const auto halves = halves_of(whole);
  if (halves.empty()) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  EXPECT_EQ(usmx::parent_device(halves.front()), whole);
  EXPECT_EQ(usmx::default_selector_score(halves.front()), sycl::default_selector_v(halves.front()));
}

TEST_F(devices_test, device_is_no_peer_of_itself) {
  const sycl::device device = usmx::default_device();
  EXPECT_FALSE(usmx::can_access_peer(device, device));
  EXPECT_FALSE(
      usmx::can_access_peer(device, device, sycl::ext::oneapi::peer_access::atomics_supported));
  expect_contains(message_of<usmx::value_error>([&] { usmx::enable_peer_access(device, device); }),
                  "enable_peer_access: expected two devices of one back end");
  expect_contains(message_of<usmx::value_error>([&] { usmx::disable_peer_access(device, device); }),
                  "disable_peer_access: expected two devices of one back end");
}

TEST_F(devices_test, peer_access_of_two_devices_goes_on_and_off_where_the_runtime_offers_it) {
  const std::vector<sycl::device> devices = usmx::get_devices();
  if (devices.size() < 2) {
    GTEST_SKIP() << "there is one device";
  }
  if (usmx::can_access_peer(devices[0], devices[1])) {
    usmx::enable_peer_access(devices[0], devices[1]);
    usmx::disable_peer_access(devices[0], devices[1]);
    usmx::enable_peer_access(devices[0], devices[1]);  // tests after this one use it
  }
}

TEST_F(devices_test, filter_string_selects_its_device) {
  for (const sycl::device& device : usmx::get_devices()) {
    EXPECT_TRUE(usmx::select_device(usmx::filter_string(device)) == device);
  }
}

TEST_F(devices_test, filter_string_names_backend_type_and_place_among_equals) {
  const sycl::device first = usmx::get_devices().front();
  EXPECT_EQ(usmx::filter_string(first), std::string(usmx::backend_name(first.get_backend())) + ":" +
                                            std::string(usmx::device_type_name(first)) + ":0");
}

TEST_F(devices_test, filter_string_of_a_sub_device_is_rejected) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.empty()) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  expect_contains(message_of<usmx::value_error>([&] { usmx::filter_string(halves.front()); }),
                  "expected a root device, found");
}

TEST_F(devices_test, device_is_described_by_name_and_filter) {
  const sycl::device device = usmx::default_device();
  EXPECT_EQ(usmx::describe(device),
            device.get_info<sycl::info::device::name>() + " [" + usmx::filter_string(device) + "]");
}

TEST_F(devices_test, sub_device_is_described_by_its_parent) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.empty()) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  expect_contains(usmx::describe(halves.front()),
                  "[sub-device of " + usmx::filter_string(usmx::default_device()) + "]");
}

TEST(backend_name, follows_the_filter_grammar) {
  EXPECT_EQ(usmx::backend_name(sycl::backend::opencl), "opencl");
  EXPECT_EQ(usmx::backend_name(sycl::backend::ext_oneapi_level_zero), "level_zero");
  EXPECT_EQ(usmx::backend_name(sycl::backend::ext_oneapi_cuda), "cuda");
  EXPECT_EQ(usmx::backend_name(sycl::backend::ext_oneapi_hip), "hip");
  EXPECT_EQ(usmx::backend_name(sycl::backend::ext_oneapi_native_cpu), "native_cpu");
  EXPECT_EQ(usmx::backend_name(sycl::backend::ext_oneapi_offload), "offload");
  EXPECT_EQ(usmx::backend_name(sycl::backend::all), "all");
}

}  // namespace
