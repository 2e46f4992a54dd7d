// usmx/kernels/disk_cache.hpp: where the cache of kernels is, and what is in it.
#include "usmx/kernels/disk_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "kernels/cache_files.hpp"
#include "support/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using support::environment_variable;
using usmx::detail::cache_files;
using usmx::detail::kernel_cache_key;
using content = std::vector<char>;

const kernel_cache_key key{"copy", "a device", "driver 1"};

void write_something(const fs::path& file) { std::ofstream(file) << "some text"; }

class disk_cache_test : public testing::Test {
 protected:
  fs::path directory() const { return folder_.path() / "cache/usmx"; }
  cache_files cache() const { return cache_files(directory()); }

  support::temporary_folder folder_;
};

TEST_F(disk_cache_test, directory_is_the_first_of_three_that_the_environment_names) {
  const environment_variable home("HOME", "/home/somebody");
  const environment_variable xdg("XDG_CACHE_HOME", "/xdg");
  {
    const environment_variable own("USMX_CACHE_DIR", "/own");
    EXPECT_EQ(usmx::kernel_cache_directory(), "/own");
  }
  {
    const environment_variable off("USMX_CACHE_DIR", "");
    EXPECT_EQ(usmx::kernel_cache_directory(), "");
  }
  const bool asked_for = std::getenv("USMX_CACHE_DIR") != nullptr;
  if (!asked_for) {
    EXPECT_EQ(usmx::kernel_cache_directory(), "/xdg/usmx");
    const environment_variable relative("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(usmx::kernel_cache_directory(), "/home/somebody/.cache/usmx");
  }
}

TEST_F(disk_cache_test, list_has_the_latest_used_first_and_tells_what_each_is) {
  const environment_variable own("USMX_CACHE_DIR", directory().string());
  EXPECT_TRUE(usmx::list_kernel_cache().empty());
  cache().store({"copy", "device A", "x"}, content(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cache().store({"fill", "device B", "x"}, content(1000));
  write_something(directory() / "somebody_elses.txt");
  const auto all = usmx::list_kernel_cache();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].group, "fill");
  EXPECT_EQ(all[0].device, "device B");
  EXPECT_GT(all[0].nbytes, 1000);
  EXPECT_EQ(all[1].group, "copy");
  EXPECT_EQ(all[1].file, cache().file_of({"copy", "device A", "x"}));
}

TEST_F(disk_cache_test, clearing_deletes_entries_and_nothing_else) {
  const environment_variable own("USMX_CACHE_DIR", directory().string());
  cache().store(key, content(10));
  const fs::path other = directory() / "somebody_elses.txt";
  write_something(other);
  const auto nbytes = fs::file_size(cache().file_of(key));
  EXPECT_EQ(usmx::clear_kernel_cache(), nbytes);
  EXPECT_EQ(cache().load(key), std::nullopt);
  EXPECT_TRUE(fs::exists(other));
  EXPECT_EQ(usmx::clear_kernel_cache(), 0);
}

}  // namespace
