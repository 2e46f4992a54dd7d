// usmx/runtime/diagnosis.hpp: why there is no device, as a process without one says it.
#include <gtest/gtest.h>

#include <string>

#include "support/child_process.hpp"

namespace {

using support::expect_output;

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

}  // namespace
