// src/runtime/driver_setup.hpp: when the system's own registration of the CPU driver counts,
// and what the library does when it is loaded, as new processes see it.
#include "runtime/driver_setup.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

namespace fs = std::filesystem;
using support::expect_output;
using usmx::detail::registers_cpu_driver;

class driver_setup_test : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "usmx-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path write(const char* name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

  fs::path directory_;
};

TEST_F(driver_setup_test, runtime_directory_holds_libsycl) {
  const fs::path runtime = usmx::detail::runtime_directory();
  ASSERT_TRUE(fs::is_directory(runtime));
  bool found = false;
  for (const fs::directory_entry& file : fs::directory_iterator(runtime)) {
    found = found || file.path().filename().string().starts_with("libsycl.so");
  }
  EXPECT_TRUE(found);
}

TEST_F(driver_setup_test, packages_are_beside_the_library_and_in_the_runtimes_environment) {
  const std::vector<fs::path> folders = usmx::detail::package_folders();
  ASSERT_FALSE(folders.empty());
  EXPECT_EQ(folders.front(), usmx::detail::own_directory().parent_path().parent_path());
  for (auto folder = folders.begin() + 1; folder != folders.end(); ++folder) {
    EXPECT_EQ(folder->filename(), "site-packages");
    EXPECT_EQ(folder->parent_path().parent_path(), usmx::detail::runtime_directory());
  }
}

TEST_F(driver_setup_test, folder_is_named_as_the_runtime_reads_it) {
  using usmx::detail::as_search_path;
  EXPECT_EQ(as_search_path("/a b/usmx_cuda"), "/a b/usmx_cuda");
  EXPECT_EQ(as_search_path("/a:b"), "\"/a:b\"");
  EXPECT_EQ(as_search_path("/a;b"), "\"/a;b\"");
  EXPECT_EQ(as_search_path("/a,b"), std::nullopt) << "two folders to the runtime";
}

TEST_F(driver_setup_test, missing_directory_registers_nothing) {
  EXPECT_FALSE(registers_cpu_driver(directory_ / "none"));
}

TEST_F(driver_setup_test, empty_directory_registers_nothing) {
  EXPECT_FALSE(registers_cpu_driver(directory_));
}

TEST_F(driver_setup_test, cpu_driver_that_exists_is_registered) {
  write("intel-cpu.icd", write("libintelocl.so", "").string() + "\n");
  EXPECT_TRUE(registers_cpu_driver(directory_));
}

TEST_F(driver_setup_test, last_line_needs_no_end) {
  write("intel-cpu.icd", write("libintelocl.so", "").string());
  EXPECT_TRUE(registers_cpu_driver(directory_));
}

TEST_F(driver_setup_test, cpu_driver_with_a_version_in_its_name_is_registered) {
  write("intel-cpu.icd", write("libintelocl.so.2026", "").string());
  EXPECT_TRUE(registers_cpu_driver(directory_));
}

TEST_F(driver_setup_test, cpu_driver_that_does_not_exist_does_not_count) {
  write("intel-cpu.icd", (directory_ / "libintelocl.so").string());
  EXPECT_FALSE(registers_cpu_driver(directory_));
}

TEST_F(driver_setup_test, other_drivers_do_not_count) {
  write("gpu.icd", write("libigdrcl.so", "").string());
  write("emulator.icd", write("libintelocl_emu.so", "").string());
  EXPECT_FALSE(registers_cpu_driver(directory_));
}

TEST_F(driver_setup_test, files_that_are_not_icd_do_not_count) {
  write("intel-cpu.icd.disabled", write("libintelocl.so", "").string());
  EXPECT_FALSE(registers_cpu_driver(directory_));
}

TEST_F(driver_setup_test, empty_icd_file_registers_nothing) {
  write("empty.icd", "");
  EXPECT_FALSE(registers_cpu_driver(directory_));
}

using new_process_test = support::device_test;

TEST_F(new_process_test, new_process_finds_the_device_when_nothing_is_configured) {
  expect_output("", "devices", {"[" + usmx::filter_string(usmx::default_device()) + "]"});
}

TEST_F(new_process_test, new_process_finds_the_device_under_a_device_selector) {
  const sycl::device device = usmx::default_device();
  const std::string backend(usmx::backend_name(device.get_backend()));
  const std::string type(usmx::device_type_name(device));
  for (const std::string& choice : {backend + ":*", backend + ":" + type, "*:" + type}) {
    expect_output("ONEAPI_DEVICE_SELECTOR='" + choice + "'", "devices",
                  {"[" + usmx::filter_string(device) + "]"});
  }
}

TEST(new_process, drivers_the_user_named_are_left_alone) {
  expect_output("OCL_ICD_FILENAMES=''", "variable OCL_ICD_FILENAMES", {"=''"});
  expect_output("OCL_ICD_FILENAMES='/nowhere/wrong.so'", "variable OCL_ICD_FILENAMES",
                {"='/nowhere/wrong.so'"});
}

TEST(new_process, adapters_the_user_named_are_left_alone) {
  for (const std::string value : {"", "/nowhere"}) {
    expect_output("UR_ADAPTERS_SEARCH_PATH='" + value + "'", "variable UR_ADAPTERS_SEARCH_PATH",
                  {"='" + value + "'"});
  }
}

TEST(new_process, driver_folder_the_user_named_is_left_alone) {
  for (const std::string value : {"", "/nowhere"}) {
    const std::string own = "OCL_ICD_VENDORS='" + value + "'";
    expect_output(own, "variable OCL_ICD_VENDORS", {"='" + value + "'"});
    expect_output(own, "variable OCL_ICD_FILENAMES", {"is not set"});
  }
}

}  // namespace
