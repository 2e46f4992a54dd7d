// src/kernels/disk_cache.hpp: what was stored comes back unchanged or not at all, whatever happens
// to the files.
#include "kernels/disk_cache.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using support::environment_variable;
using usmx::detail::kernel_cache;
using usmx::detail::kernel_cache_key;
using content = std::vector<char>;

const kernel_cache_key key{"copy", "a device", "driver 1"};

content pattern(std::size_t nbytes, char seed = 1) {
  content result(nbytes);
  for (std::size_t k = 0; k < nbytes; ++k) {
    result[k] = static_cast<char>(seed + static_cast<char>(k * 7 + k / 256));
  }
  return result;
}

content read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const content& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class kernel_cache_test : public testing::Test {
 protected:
  fs::path directory() const { return folder_.path() / "cache/usmx"; }
  kernel_cache cache() const { return kernel_cache(directory()); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory()), fs::directory_iterator()));
  }

  support::temporary_folder folder_;
};

TEST_F(kernel_cache_test, stored_content_comes_back) {
  for (const std::size_t nbytes : {0, 1, 7, 8, 9, 100'000}) {
    cache().store(key, pattern(nbytes));
    EXPECT_EQ(cache().load(key), pattern(nbytes));
  }
}

TEST_F(kernel_cache_test, nothing_comes_from_where_nothing_was_stored) {
  EXPECT_EQ(cache().load(key), std::nullopt);
}

TEST_F(kernel_cache_test, other_group_device_or_driver_is_another_entry) {
  cache().store(key, pattern(100));
  for (const kernel_cache_key& other :
       {kernel_cache_key{"fill", key.device, key.rest}, kernel_cache_key{key.group, "b", key.rest},
        kernel_cache_key{key.group, key.device, "driver 2"}}) {
    EXPECT_EQ(cache().load(other), std::nullopt);
  }
}

TEST_F(kernel_cache_test, entry_that_is_stored_again_is_replaced) {
  cache().store(key, pattern(100));
  cache().store(key, pattern(50, 9));
  EXPECT_EQ(cache().load(key), pattern(50, 9));
  EXPECT_EQ(file_count(), 1);
}

TEST_F(kernel_cache_test, every_flipped_byte_is_found_reported_once_and_cured) {
  cache().store(key, pattern(64));
  const fs::path file = cache().file_of(key);
  const content good = read(file);
  for (std::size_t at = 0; at < good.size(); ++at) {
    content bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write(file, bad);
    testing::internal::CaptureStderr();
    EXPECT_EQ(cache().load(key), std::nullopt) << "byte " << at;
    EXPECT_EQ(cache().load(key), std::nullopt);
    const std::string report = testing::internal::GetCapturedStderr();
    EXPECT_EQ(report,
              "usmx: kernel cache: " + file.string() +
                  " is damaged and is built again: its checksum does not match its content\n");
  }
  cache().store(key, pattern(64));
  EXPECT_EQ(cache().load(key), pattern(64));
}

TEST_F(kernel_cache_test, every_truncated_file_is_found) {
  cache().store(key, pattern(64));
  const fs::path file = cache().file_of(key);
  const content good = read(file);
  testing::internal::CaptureStderr();
  for (std::size_t nbytes = 0; nbytes < good.size(); ++nbytes) {
    write(file, content(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(nbytes)));
    EXPECT_EQ(cache().load(key), std::nullopt) << nbytes << " bytes";
  }
  testing::internal::GetCapturedStderr();
}

TEST_F(kernel_cache_test, least_recently_used_entries_make_room) {
  const kernel_cache small(directory(), 1000);
  const auto numbered = [](int n) {
    return kernel_cache_key{"group", "device", std::to_string(n)};
  };
  for (int n = 0; n < 3; ++n) {
    small.store(numbered(n), pattern(250));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // file times have a resolution
  }
  small.load(numbered(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  small.store(numbered(3), pattern(250));
  EXPECT_NE(small.load(numbered(0)), std::nullopt);
  EXPECT_EQ(small.load(numbered(1)), std::nullopt);
  EXPECT_NE(small.load(numbered(2)), std::nullopt);
  EXPECT_NE(small.load(numbered(3)), std::nullopt);
}

TEST_F(kernel_cache_test, file_that_a_writer_left_behind_is_deleted_once_it_is_old) {
  fs::create_directories(directory());
  const fs::path fresh = directory() / "fresh.part";
  const fs::path old = directory() / "old.part";
  write(fresh, pattern(10));
  write(old, pattern(10));
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache().store(key, pattern(10));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(kernel_cache_test, directory_that_others_may_write_to_is_not_used) {
  cache().store(key, pattern(10));
  fs::permissions(directory(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(cache().load(key), std::nullopt);
  fs::permissions(directory(), fs::perms::group_write, fs::perm_options::remove);
  EXPECT_NE(cache().load(key), std::nullopt);
}

TEST_F(kernel_cache_test, where_nothing_can_be_written_nothing_happens) {
  const fs::path file = folder_.path() / "file";
  write(file, pattern(1));
  for (const fs::path& impossible : {file, file / "below", fs::path("/proc/usmx"), fs::path()}) {
    kernel_cache(impossible).store(key, pattern(10));
    EXPECT_EQ(kernel_cache(impossible).load(key), std::nullopt);
  }
}

TEST_F(kernel_cache_test, processes_that_write_and_delete_at_once_read_whole_entries) {
  constexpr int processes = 6;
  for (int process = 0; process < processes; ++process) {
    if (fork() == 0) {
      const kernel_cache mine(directory(), 200'000);
      bool good = true;
      for (int round = 0; round < 60; ++round) {
        const kernel_cache_key one{"group", "device", std::to_string(round % 5)};
        mine.store(one, pattern(60'000, static_cast<char>(round % 5)));
        const auto found = mine.load(one);
        good = good && (!found || *found == pattern(60'000, static_cast<char>(round % 5)));
      }
      _exit(good ? 0 : 1);
    }
  }
  for (int process = 0; process < processes; ++process) {
    int status = 1;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  for (const auto& left : fs::directory_iterator(directory())) {
    EXPECT_EQ(left.path().extension(), ".kernels");
  }
}

TEST_F(kernel_cache_test, directory_is_the_first_of_three_that_the_environment_names) {
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

TEST_F(kernel_cache_test, list_has_the_latest_used_first_and_tells_what_each_is) {
  const environment_variable own("USMX_CACHE_DIR", directory().string());
  EXPECT_TRUE(usmx::list_kernel_cache().empty());
  cache().store({"copy", "device A", "x"}, pattern(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cache().store({"fill", "device B", "x"}, pattern(1000));
  write(directory() / "somebody_elses.txt", pattern(5));
  const auto all = usmx::list_kernel_cache();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].group, "fill");
  EXPECT_EQ(all[0].device, "device B");
  EXPECT_GT(all[0].nbytes, 1000);
  EXPECT_EQ(all[1].group, "copy");
  EXPECT_EQ(all[1].file, cache().file_of({"copy", "device A", "x"}));
}

TEST_F(kernel_cache_test, clearing_deletes_entries_and_nothing_else) {
  const environment_variable own("USMX_CACHE_DIR", directory().string());
  cache().store(key, pattern(10));
  const fs::path other = directory() / "somebody_elses.txt";
  write(other, pattern(5));
  const auto nbytes = fs::file_size(cache().file_of(key));
  EXPECT_EQ(usmx::clear_kernel_cache(), nbytes);
  EXPECT_EQ(cache().load(key), std::nullopt);
  EXPECT_TRUE(fs::exists(other));
  EXPECT_EQ(usmx::clear_kernel_cache(), 0);
}

}  // namespace
