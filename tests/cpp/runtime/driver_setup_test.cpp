// src/runtime/driver_setup.hpp: when the system's own registration of the CPU driver counts. What
// the library does when it is loaded is seen from outside: runtime_test.cpp.
#include "runtime/driver_setup.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
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

}  // namespace
