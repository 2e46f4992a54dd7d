// check_single_runtime of usmx/runtime.hpp: a second SYCL runtime in the process is noticed when it
// comes, and when it has gone. The libraries lie beside this program; only their names matter.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::expect_error;
using usmx::check_single_runtime;

class loaded_library {
 public:
  explicit loaded_library(const std::string& name)
      : path_(std::filesystem::read_symlink("/proc/self/exe").parent_path() / name),
        handle_(dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  loaded_library(const loaded_library&) = delete;
  loaded_library& operator=(const loaded_library&) = delete;
  ~loaded_library() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  void* handle_;
};

TEST(loaded_runtimes, one_runtime_is_fine) {
  EXPECT_NO_THROW(check_single_runtime());
  EXPECT_NO_THROW(check_single_runtime());
}

TEST(loaded_runtimes, runtime_of_another_version_is_refused_naming_both) {
  check_single_runtime();
  const loaded_library other("libsycl.so.8");
  expect_error<usmx::runtime_conflict>(check_single_runtime,
                                       {"found 2", "/libsycl.so.9", " and " + other.path()});
}

TEST(loaded_runtimes, preview_runtime_is_another_one) {
  const loaded_library other("libsycl-preview.so.9");
  expect_error<usmx::runtime_conflict>(check_single_runtime, {other.path()});
}

TEST(loaded_runtimes, conflict_is_found_again_in_every_call) {
  const loaded_library other("libsycl.so.8");
  for (int call = 0; call < 3; ++call) {
    expect_error<usmx::runtime_conflict>(check_single_runtime);
  }
}

TEST(loaded_runtimes, conflict_is_over_when_the_other_runtime_is_unloaded) {
  {
    const loaded_library other("libsycl.so.8");
    expect_error<usmx::runtime_conflict>(check_single_runtime);
  }
  EXPECT_NO_THROW(check_single_runtime());
}

TEST(loaded_runtimes, runtime_that_comes_back_is_refused_again) {
  for (int round = 0; round < 2; ++round) {
    const loaded_library other("libsycl.so.8");
    expect_error<usmx::runtime_conflict>(check_single_runtime);
  }
}

TEST(loaded_runtimes, threads_may_ask_while_libraries_come_and_go) {
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([] {
      for (int round = 0; round < 1000; ++round) {
        EXPECT_NO_THROW(check_single_runtime());
      }
    });
  }
  for (int round = 0; round < 100; ++round) {
    const loaded_library other("libsyclone.so");
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(loaded_runtimes, library_of_a_similar_name_is_no_runtime) {
  const loaded_library other("libsyclone.so");
  EXPECT_NO_THROW(check_single_runtime());
}

}  // namespace
