// usmx/runtime.hpp: devices, filter selectors, cached queues, and what the library does to the
// environment when it is loaded and to its queues at exit. The last two are seen in child processes
// (runtime_child.cpp), each with the environment that the test gives it.
#include "usmx/runtime/contexts.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/diagnosis.hpp"
#include "usmx/runtime/queues.hpp"
#include "usmx/runtime/selectors.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <string>
#include <sycl/platform.hpp>
#include <sycl/usm.hpp>
#include <thread>
#include <vector>

#include "usmx/base/error.hpp"

namespace {

using namespace std::string_literals;

class runtime_test : public testing::Test {
 protected:
  void SetUp() override {
    if (usmx::get_devices().empty()) {
      GTEST_SKIP() << usmx::diagnose_missing_device();
    }
  }
};

std::vector<sycl::device> halves_of(const sycl::device& device) {
  constexpr auto equally = sycl::info::partition_property::partition_equally;
  const auto units = device.get_info<sycl::info::device::max_compute_units>();
  const auto ways = device.get_info<sycl::info::device::partition_properties>();
  if (units < 2 || std::ranges::find(ways, equally) == ways.end()) {
    return {};
  }
  return device.create_sub_devices<equally>(units / 2);
}

template <class Error>
std::string message_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected '" << part << "' in: " << text;
}

// Devices

TEST_F(runtime_test, devices_come_platform_by_platform) {
  std::vector<sycl::device> expected;
  for (const sycl::platform& platform : sycl::platform::get_platforms()) {
    for (const sycl::device& device : platform.get_devices()) {
      expected.push_back(device);
    }
  }
  EXPECT_EQ(usmx::get_devices(), expected);
}

TEST_F(runtime_test, default_device_is_the_default_selectors) {
  EXPECT_TRUE(usmx::default_device() == sycl::device(sycl::default_selector_v));
}

TEST_F(runtime_test, filter_string_selects_its_device) {
  for (const sycl::device& device : usmx::get_devices()) {
    EXPECT_TRUE(usmx::select_device(usmx::filter_string(device)) == device);
  }
}

TEST_F(runtime_test, filter_string_names_backend_type_and_place_among_equals) {
  const sycl::device first = usmx::get_devices().front();
  EXPECT_EQ(usmx::filter_string(first), std::string(usmx::backend_name(first.get_backend())) + ":" +
                                            std::string(usmx::device_type_name(first)) + ":0");
}

TEST_F(runtime_test, filter_string_of_a_sub_device_is_rejected) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.empty()) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  expect_contains(message_of<usmx::value_error>([&] { usmx::filter_string(halves.front()); }),
                  "expected a root device, found");
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

// Filter selectors

TEST_F(runtime_test, bare_number_counts_all_devices) {
  const std::vector<sycl::device> devices = usmx::get_devices();
  for (std::size_t index = 0; index < devices.size(); ++index) {
    EXPECT_TRUE(usmx::select_device(std::to_string(index)) == devices[index]);
  }
}

TEST_F(runtime_test, every_part_of_a_filter_can_be_left_out) {
  const sycl::device device = usmx::get_devices().front();
  const std::string backend(usmx::backend_name(device.get_backend()));
  const std::string type(usmx::device_type_name(device));
  for (const std::string& filter :
       {backend + ":0", type + ":0", backend + ":" + type + ":0", "0"s, backend + "::0",
        ":" + type + ":0", "::0"s, backend + ":" + type + ":00", backend + ":0:"}) {
    EXPECT_TRUE(usmx::select_device(filter) == device) << filter;
  }
}

TEST_F(runtime_test, filter_without_an_index_takes_the_device_the_runtime_likes_best) {
  const sycl::device device = usmx::default_device();
  const std::string backend(usmx::backend_name(device.get_backend()));
  const std::string type(usmx::device_type_name(device));
  for (const std::string& filter : {backend, type, backend + ":" + type, backend + ":", ":" + type,
                                    type + ":", backend + "::"}) {
    EXPECT_TRUE(usmx::select_device(filter) == device) << filter;
  }
}

TEST_F(runtime_test, comma_means_else) {
  const std::string present = usmx::filter_string(usmx::default_device());
  for (const std::string& filter :
       {"999," + present, present + ",999", "cuda:accelerator:7,hip:cpu:3," + present}) {
    EXPECT_TRUE(usmx::select_device(filter) == usmx::default_device()) << filter;
  }
}

TEST_F(runtime_test, malformed_filters_are_rejected_with_string_and_grammar) {
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

TEST_F(runtime_test, message_about_a_filter_shows_control_characters_and_stays_short) {
  expect_contains(message_of<usmx::value_error>([] { usmx::select_device("cpu\0\n"s); }),
                  "found 'cpu\\x00\\x0a'");
  EXPECT_LT(
      message_of<usmx::value_error>([] { usmx::select_device(std::string(100'000, 'a')); }).size(),
      500U);
}

TEST_F(runtime_test, device_that_is_absent_is_named_together_with_those_present) {
  for (const char* filter : {"999", "cuda:accelerator:9", "4294967296", "18446744073709551616",
                             "99999999999999999999999", "offload:accelerator", "hip:cpu,999"}) {
    const std::string message =
        message_of<usmx::device_error>([&] { usmx::select_device(filter); });
    expect_contains(message, "'"s + filter + "'");
    expect_contains(message, usmx::filter_string(usmx::default_device()));
  }
}

TEST_F(runtime_test, long_chain_of_alternatives_is_read_to_its_end) {
  std::string filter;
  for (int count = 0; count < 1'000; ++count) {
    filter += "999,";
  }
  EXPECT_TRUE(usmx::select_device(filter + "0") == usmx::get_devices().front());
}

// Contexts and queues

TEST_F(runtime_test, default_context_is_the_platforms) {
  const sycl::device device = usmx::default_device();
  EXPECT_TRUE(usmx::default_context(device) == device.get_platform().khr_get_default_context());
  EXPECT_TRUE(usmx::default_context(device) == usmx::default_context(device));
}

TEST_F(runtime_test, queue_made_by_sycl_itself_has_the_same_default_context) {
  const sycl::device device = usmx::default_device();
  EXPECT_TRUE(usmx::default_context(device) == sycl::queue(device).get_context());
}

TEST_F(runtime_test, cached_queue_is_out_of_order_and_of_the_pair_asked_for) {
  const sycl::device device = usmx::default_device();
  const sycl::context context(device);
  const sycl::queue queue = usmx::cached_queue(context, device);
  EXPECT_FALSE(queue.is_in_order());
  EXPECT_TRUE(queue.get_device() == device);
  EXPECT_TRUE(queue.get_context() == context);
}

TEST_F(runtime_test, same_pair_has_the_same_queue) {
  const sycl::device device = usmx::default_device();
  const sycl::context context(device);
  EXPECT_TRUE(usmx::cached_queue(context, device) == usmx::cached_queue(context, device));
}

TEST_F(runtime_test, contexts_have_queues_of_their_own) {
  const sycl::device device = usmx::default_device();
  EXPECT_FALSE(usmx::cached_queue(sycl::context(device), device) == usmx::cached_queue(device));
}

TEST_F(runtime_test, queue_of_a_device_is_that_of_its_default_context) {
  const sycl::device device = usmx::default_device();
  EXPECT_TRUE(usmx::cached_queue(device) ==
              usmx::cached_queue(usmx::default_context(device), device));
}

TEST_F(runtime_test, default_queue_is_that_of_the_default_device) {
  EXPECT_TRUE(usmx::default_queue() == usmx::cached_queue(usmx::default_device()));
}

TEST_F(runtime_test, sub_device_has_a_queue_in_a_context_of_its_own) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.empty()) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  const sycl::context own(halves.front());
  EXPECT_TRUE(usmx::cached_queue(own, halves.front()).get_device() == halves.front());
}

TEST_F(runtime_test, opencl_refuses_a_sub_device_in_its_parents_context) {
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

TEST_F(runtime_test, sub_device_has_a_queue_in_its_parents_context) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.size() < 2 || halves.front().get_backend() == sycl::backend::opencl) {
    GTEST_SKIP() << "no device that can be divided within its context";
  }
  const sycl::context parents = usmx::default_context(usmx::default_device());
  const sycl::queue queue = usmx::cached_queue(parents, halves.front());
  EXPECT_TRUE(queue.get_device() == halves.front());
  EXPECT_FALSE(queue == usmx::cached_queue(parents, halves.back()));
}

TEST_F(runtime_test, device_of_another_context_is_rejected_naming_both) {
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

TEST_F(runtime_test, threads_get_the_same_queue) {
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

// Descriptions

TEST_F(runtime_test, device_is_described_by_name_and_filter) {
  const sycl::device device = usmx::default_device();
  EXPECT_EQ(usmx::describe(device),
            device.get_info<sycl::info::device::name>() + " [" + usmx::filter_string(device) + "]");
}

TEST_F(runtime_test, sub_device_is_described_by_its_parent) {
  const auto halves = halves_of(usmx::default_device());
  if (halves.empty()) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  expect_contains(usmx::describe(halves.front()),
                  "[sub-device of " + usmx::filter_string(usmx::default_device()) + "]");
}

TEST_F(runtime_test, context_is_described_by_its_identity_and_devices) {
  const sycl::context context(usmx::default_device());
  const std::string text = usmx::describe(context);
  EXPECT_TRUE(text.starts_with("context 0x")) << text;
  expect_contains(text, "of 1 device (" + usmx::describe(usmx::default_device()) + ")");
  EXPECT_NE(text, usmx::describe(sycl::context(usmx::default_device())));
}

// Loading and exit

// What tests/cpp/runtime_child.cpp, which lies beside this program, does in an environment where
// nothing is configured but `settings` ("NAME='value'", as in a shell).
struct outcome {
  int exit_code;
  std::string output;
};

outcome run_child(const std::string& settings, const std::string& command) {
  const auto child =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "runtime_child";
  const std::string line =
      "env -u OCL_ICD_FILENAMES -u OCL_ICD_VENDORS -u ONEAPI_DEVICE_SELECTOR " + settings + " '" +
      child.string() + "' " + command + " 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) {
    return {-1, "popen failed"};
  }
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output += static_cast<char>(c);
  }
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

void expect_output(const std::string& settings, const std::string& command,
                   const std::vector<std::string>& parts) {
  const outcome child = run_child(settings, command);
  EXPECT_EQ(child.exit_code, 0) << child.output;
  for (const std::string& part : parts) {
    expect_contains(child.output, part);
  }
}

TEST_F(runtime_test, new_process_finds_the_device_when_nothing_is_configured) {
  expect_output("", "devices", {"[" + usmx::filter_string(usmx::default_device()) + "]"});
}

TEST_F(runtime_test, new_process_finds_the_device_under_a_device_selector) {
  const sycl::device device = usmx::default_device();
  const std::string backend(usmx::backend_name(device.get_backend()));
  const std::string type(usmx::device_type_name(device));
  for (const std::string& choice : {backend + ":*", backend + ":" + type, "*:" + type}) {
    expect_output("ONEAPI_DEVICE_SELECTOR='" + choice + "'", "devices",
                  {"[" + usmx::filter_string(device) + "]"});
  }
}

TEST(runtime, drivers_the_user_named_are_left_alone) {
  expect_output("OCL_ICD_FILENAMES=''", "variable OCL_ICD_FILENAMES", {"=''"});
  expect_output("OCL_ICD_FILENAMES='/nowhere/wrong.so'", "variable OCL_ICD_FILENAMES",
                {"='/nowhere/wrong.so'"});
}

TEST(runtime, driver_folder_the_user_named_is_left_alone) {
  for (const std::string value : {"", "/nowhere"}) {
    const std::string own = "OCL_ICD_VENDORS='" + value + "'";
    expect_output(own, "variable OCL_ICD_VENDORS", {"='" + value + "'"});
    expect_output(own, "variable OCL_ICD_FILENAMES", {"is not set"});
  }
}

TEST(runtime, default_device_that_is_missing_is_explained) {
  for (const std::string value : {"", "opencl:fpga", "no such thing"}) {
    expect_output("ONEAPI_DEVICE_SELECTOR='" + value + "'", "default",
                  {"default_device: no SYCL device was found",
                   "ONEAPI_DEVICE_SELECTOR='" + value + "'", "unset ONEAPI_DEVICE_SELECTOR"});
  }
}

TEST(runtime, refusal_of_the_runtime_is_part_of_the_explanation) {
  expect_output("ONEAPI_DEVICE_SELECTOR='no such thing'", "default", {"the runtime says: "});
}

TEST(runtime, filter_where_no_device_is_found_says_why) {
  expect_output("ONEAPI_DEVICE_SELECTOR='opencl:fpga'", "select cpu",
                {"no device matches 'cpu'; no SYCL device was found", "ONEAPI_DEVICE_SELECTOR"});
}

TEST(runtime, diagnosis_names_every_variable_and_the_driver) {
  expect_output("OCL_ICD_FILENAMES='/nowhere/wrong.so' OCL_ICD_VENDORS=''", "diagnose",
                {"ONEAPI_DEVICE_SELECTOR is not set", "OCL_ICD_FILENAMES='/nowhere/wrong.so'",
                 "OCL_ICD_VENDORS=''", "/libintelocl.so"});
}

TEST_F(runtime_test, exit_waits_for_work_in_flight) {
  for (int round = 0; round < 20; ++round) {
    const outcome child = run_child("", "exit-at-work");
    ASSERT_EQ(child.exit_code, 0) << child.output;
    ASSERT_TRUE(child.output.starts_with("leaving main\nfinished\n")) << child.output;
  }
}

TEST_F(runtime_test, process_ends_cleanly_with_threads_at_work) {
  for (int round = 0; round < 20; ++round) {
    const outcome child = run_child("", "exit-with-threads");
    ASSERT_EQ(child.exit_code, 0) << child.output;
    ASSERT_EQ(child.output, "");
  }
}

}  // namespace
