// usmx/runtime/devices.hpp: why there is no device, as a process without one says it.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "support/child_process.hpp"

namespace {

using support::expect_output;

/// The folder of the CPU driver, as the diagnosis names it.
std::string runtime_folder() {
  const std::string text = support::run_child("", "diagnose").output;
  const std::string before = "the CPU driver ";
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find("/libintelocl.so", begin) - begin);
}

TEST(diagnosis, default_device_that_is_missing_is_explained) {
  for (const std::string value : {"", "opencl:fpga", "no such thing"}) {
    expect_output("ONEAPI_DEVICE_SELECTOR='" + value + "'", "default",
                  {"default_device: no SYCL device was found",
                   "ONEAPI_DEVICE_SELECTOR='" + value + "'", "unset ONEAPI_DEVICE_SELECTOR"});
  }
}

TEST(diagnosis, refusal_of_the_runtime_is_part_of_the_explanation) {
  expect_output("ONEAPI_DEVICE_SELECTOR='no such thing'", "default", {"the runtime says: "});
}

TEST(diagnosis, diagnosis_names_every_variable_and_the_driver) {
  expect_output("OCL_ICD_FILENAMES='/nowhere/wrong.so' OCL_ICD_VENDORS=''", "diagnose",
                {"ONEAPI_DEVICE_SELECTOR is not set", "OCL_ICD_FILENAMES='/nowhere/wrong.so'",
                 "OCL_ICD_VENDORS=''", "/libintelocl.so"});
}

TEST(diagnosis, explanation_ends_with_the_command_that_finds_out_more) {
  expect_output("ONEAPI_DEVICE_SELECTOR=opencl:fpga", "diagnose",
                {"to find out more: python -m usmx doctor"});
}

TEST(diagnosis, advice_for_a_program_in_cpp_is_not_about_imports) {
  const std::string path = "LD_LIBRARY_PATH='" + runtime_folder() + "'";
  for (const std::string& settings :
       {std::string(), path, std::string("OCL_ICD_FILENAMES=/nowhere.so")}) {
    const support::outcome child = support::run_child(settings, "diagnose");
    EXPECT_EQ(child.output.find("import "), std::string::npos) << child.output;
  }
}

TEST(diagnosis, sanitizer_without_the_library_path_is_named) {
  const support::outcome without = support::run_child("-u LD_LIBRARY_PATH", "diagnose");
  const support::outcome with =
      support::run_child("LD_LIBRARY_PATH='/nowhere:" + runtime_folder() + "'", "diagnose");
  const std::string advice = "set LD_LIBRARY_PATH=" + runtime_folder();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  support::expect_contains(without.output, advice);
  support::expect_contains(without.output, "usmx_sanitize_environment");
#else
  EXPECT_EQ(without.output.find(advice), std::string::npos) << without.output;
#endif
  EXPECT_EQ(with.output.find(advice), std::string::npos) << with.output;
}

}  // namespace
