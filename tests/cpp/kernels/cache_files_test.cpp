// src/kernels/cache_files.hpp: what was stored comes back unchanged or not at all, whatever happens
// to the files.
#include "kernels/cache_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using usmx::detail::cache_files;
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

class cache_files_test : public testing::Test {
 protected:
  fs::path directory() const { return folder_.path() / "cache/usmx"; }
  cache_files cache() const { return cache_files(directory()); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory()), fs::directory_iterator()));
  }

  support::temporary_folder folder_;
};

TEST_F(cache_files_test, stored_content_comes_back) {
  for (const std::size_t nbytes : {0, 1, 7, 8, 9, 100'000}) {
    cache().store(key, pattern(nbytes));
    EXPECT_EQ(cache().load(key), pattern(nbytes));
  }
}

TEST_F(cache_files_test, nothing_comes_from_where_nothing_was_stored) {
  EXPECT_EQ(cache().load(key), std::nullopt);
}

TEST_F(cache_files_test, other_group_device_or_driver_is_another_entry) {
  cache().store(key, pattern(100));
  for (const kernel_cache_key& other :
       {kernel_cache_key{"fill", key.device, key.rest}, kernel_cache_key{key.group, "b", key.rest},
        kernel_cache_key{key.group, key.device, "driver 2"}}) {
    EXPECT_EQ(cache().load(other), std::nullopt);
  }
}

TEST_F(cache_files_test, entry_that_is_stored_again_is_replaced) {
  cache().store(key, pattern(100));
  cache().store(key, pattern(50, 9));
  EXPECT_EQ(cache().load(key), pattern(50, 9));
  EXPECT_EQ(file_count(), 1);
}

TEST_F(cache_files_test, every_flipped_byte_is_found_reported_once_and_cured) {
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

TEST_F(cache_files_test, every_truncated_file_is_found) {
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

TEST_F(cache_files_test, pipe_in_the_place_of_an_entry_is_replaced) {
  cache().store(key, pattern(100));
  fs::remove(cache().file_of(key));
  ASSERT_EQ(::mkfifo(cache().file_of(key).c_str(), 0600), 0);
  EXPECT_EQ(cache().list().size(), 0U);
  EXPECT_FALSE(cache().load(key));  // and does not wait for a writer
  cache().store(key, pattern(100));
  EXPECT_EQ(cache().load(key), pattern(100));
}

TEST_F(cache_files_test, file_that_claims_terabytes_is_not_read) {
  cache().store(key, pattern(100));
  fs::resize_file(cache().file_of(key), std::uintmax_t{8} << 40);
  ASSERT_EQ(cache().list().size(), 1U);
  EXPECT_EQ(cache().list().front().group, "");
  EXPECT_FALSE(cache().load(key));
  EXPECT_FALSE(fs::exists(cache().file_of(key)));
}

TEST_F(cache_files_test, least_recently_used_entries_make_room) {
  const cache_files small(directory(), 1000);
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

TEST_F(cache_files_test, file_that_a_writer_left_behind_is_deleted_once_it_is_old) {
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

TEST_F(cache_files_test, directory_that_others_may_write_to_is_not_used) {
  cache().store(key, pattern(10));
  fs::permissions(directory(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(cache().load(key), std::nullopt);
  fs::permissions(directory(), fs::perms::group_write, fs::perm_options::remove);
  EXPECT_NE(cache().load(key), std::nullopt);
}

TEST_F(cache_files_test, where_nothing_can_be_written_nothing_happens) {
  const fs::path file = folder_.path() / "file";
  write(file, pattern(1));
  for (const fs::path& impossible : {file, file / "below", fs::path("/proc/usmx"), fs::path()}) {
    cache_files(impossible).store(key, pattern(10));
    EXPECT_EQ(cache_files(impossible).load(key), std::nullopt);
  }
}

TEST_F(cache_files_test, processes_that_write_and_delete_at_once_read_whole_entries) {
  constexpr int processes = 6;
  for (int process = 0; process < processes; ++process) {
    if (fork() == 0) {
      const cache_files mine(directory(), 200'000);
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

}  // namespace
