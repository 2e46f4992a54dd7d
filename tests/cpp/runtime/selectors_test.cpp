// usmx/runtime/devices.hpp: which device a filter string selects.
#include "usmx/runtime/devices.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_contains;
using support::message_of;

using namespace std::string_literals;
using selectors_test = support::device_test;

TEST_F(selectors_test, bare_number_counts_all_devices) {
  const std::vector<sycl::device> devices = usmx::get_devices();
  for (std::size_t index = 0; index < devices.size(); ++index) {
    EXPECT_TRUE(usmx::select_device(std::to_string(index)) == devices[index]);
  }
}

TEST_F(selectors_test, every_part_of_a_filter_can_be_left_out) {
  const sycl::device device = usmx::get_devices().front();
  const std::string backend(usmx::backend_name(device.get_backend()));
  const std::string type(usmx::device_type_name(device));
  for (const std::string& filter :
       {backend + ":0", type + ":0", backend + ":" + type + ":0", "0"s, backend + "::0",
        ":" + type + ":0", "::0"s, backend + ":" + type + ":00", backend + ":0:"}) {
    EXPECT_TRUE(usmx::select_device(filter) == device) << filter;
  }
}

TEST_F(selectors_test, filter_without_an_index_takes_the_device_the_runtime_likes_best) {
  const sycl::device device = usmx::default_device();
  const std::string backend(usmx::backend_name(device.get_backend()));
  const std::string type(usmx::device_type_name(device));
  for (const std::string& filter : {backend, type, backend + ":" + type, backend + ":", ":" + type,
                                    type + ":", backend + "::"}) {
    EXPECT_TRUE(usmx::select_device(filter) == device) << filter;
  }
}

TEST_F(selectors_test, comma_means_else) {
  const std::string present = usmx::filter_string(usmx::default_device());
  for (const std::string& filter :
       {"999," + present, present + ",999", "cuda:accelerator:7,hip:cpu:3," + present}) {
    EXPECT_TRUE(usmx::select_device(filter) == usmx::default_device()) << filter;
  }
}

TEST_F(selectors_test, malformed_filters_are_rejected_with_string_and_grammar) {
  for (const std::string& filter : {""s,
                                    ","s,
                                    "cpu,"s,
                                    ",cpu"s,
                                    "cpu,,gpu"s,
                                    ":"s,
                                    "::"s,
                                    ":::"s,
                                    "cpu:0:"s + ":",
                                    "opencl:cpu:0:0"s,
                                    "opencl:cpu:0:"s,
                                    "CPU"s,
                                    "Cpu"s,
                                    "OPENCL"s,
                                    " cpu"s,
                                    "cpu "s,
                                    "cpu, gpu"s,
                                    "opencl: cpu"s,
                                    "\tcpu"s,
                                    "cpu\n"s,
                                    "*"s,
                                    "*:cpu"s,
                                    "opencl:*"s,
                                    "cpu:-1"s,
                                    "cpu:+1"s,
                                    "-1"s,
                                    "+0"s,
                                    "0x0"s,
                                    "1e0"s,
                                    "0.0"s,
                                    "cpu:0 "s,
                                    "cpu: 0"s,
                                    "cpu:opencl"s,
                                    "0:cpu"s,
                                    "0:opencl:cpu"s,
                                    "opencl:0:cpu"s,
                                    "cpu:0:opencl"s,
                                    "0:0"s,
                                    "cpu:cpu"s,
                                    "opencl:opencl"s,
                                    "cpu:gpu"s,
                                    "foo"s,
                                    "cpux"s,
                                    "xcpu"s,
                                    "cpu,foo"s,
                                    "foo,cpu"s,
                                    "opencl:foo"s,
                                    "host"s,
                                    "all"s,
                                    "any"s,
                                    "custom"s,
                                    "acc"s,
                                    "fpga"s,
                                    "unknown"s,
                                    "default"s,
                                    "ext_oneapi_cuda"s,
                                    "level-zero"s,
                                    "gpu;cpu"s,
                                    "!cpu"s,
                                    "cpu\0"s,
                                    "cpu\0gpu"s,
                                    "\0"s,
                                    "\u00e9"s,
                                    "\uff43pu"s,
                                    "\u0660"s}) {
    const std::string message = message_of<usmx::value_error>([&] { usmx::select_device(filter); });
    expect_contains(message, "expected a filter selector 'backend:device_type:index'");
    expect_contains(message, "found '");
  }
}

TEST_F(selectors_test, message_about_a_filter_shows_control_characters_and_stays_short) {
  expect_contains(message_of<usmx::value_error>([] { usmx::select_device("cpu\0\n"s); }),
                  "found 'cpu\\x00\\x0a'");
  EXPECT_LT(
      message_of<usmx::value_error>([] { usmx::select_device(std::string(100'000, 'a')); }).size(),
      500U);
}

TEST_F(selectors_test, device_that_is_absent_is_named_together_with_those_present) {
  for (const char* filter : {"999", "cuda:accelerator:9", "4294967296", "18446744073709551616",
                             "99999999999999999999999", "offload:accelerator", "hip:cpu,999"}) {
    const std::string message =
        message_of<usmx::device_error>([&] { usmx::select_device(filter); });
    expect_contains(message, "'"s + filter + "'");
    expect_contains(message, usmx::filter_string(usmx::default_device()));
    expect_contains(message, "python -m usmx doctor");
  }
}

TEST_F(selectors_test, long_chain_of_alternatives_is_read_to_its_end) {
  std::string filter;
  for (int count = 0; count < 1'000; ++count) {
    filter += "999,";
  }
  EXPECT_TRUE(usmx::select_device(filter + "0") == usmx::get_devices().front());
}

TEST(selectors_test_without_device, filter_where_no_device_is_found_says_why) {
  support::expect_output(
      "ONEAPI_DEVICE_SELECTOR='opencl:fpga'", "select cpu",
      {"no device matches 'cpu'; no SYCL device was found", "ONEAPI_DEVICE_SELECTOR"});
}

}  // namespace
