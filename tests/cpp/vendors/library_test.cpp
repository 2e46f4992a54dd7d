// src/vendors/library.hpp: a library that is there, one that is not, and one that comes later. And
// which of the vendors' libraries this program finds: it has none of those beside it that usmx's
// package has.
#include "vendors/library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "vendors/onemkl.hpp"

namespace {

using support::expect_contains;
using usmx::detail::library_search;
using usmx::detail::optional_library;

/// Answers searches, and counts them.
struct {
  library_search answer;
  int count;
} searches;

library_search answered() {
  ++searches.count;
  return searches.answer;
}

int some_library;

/// Makes the process load a library that it does not have.
void load_another() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  void* const loaded = dlopen((folder / "libsyclone.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(loaded, nullptr) << dlerror();
  dlclose(loaded);
}

class optional_library_test : public testing::Test {
 protected:
  void SetUp() override { searches = {{nullptr, "it is not there"}, 0}; }

  void* ask() {
    return library_.handle([this](const std::string& reason) { reasons_.push_back(reason); });
  }

  optional_library library_{answered};
  std::vector<std::string> reasons_;
};

TEST_F(optional_library_test, library_that_is_found_is_kept) {
  searches.answer = {&some_library, "/a/file"};
  EXPECT_EQ(ask(), &some_library);
  searches.answer = {nullptr, "it is gone"};
  load_another();
  EXPECT_EQ(ask(), &some_library);
  EXPECT_EQ(searches.count, 1);
  EXPECT_TRUE(reasons_.empty());
}

TEST_F(optional_library_test, reason_of_a_failure_is_told_once) {
  EXPECT_EQ(ask(), nullptr);
  EXPECT_EQ(ask(), nullptr);
  EXPECT_EQ(searches.count, 1) << "nothing was loaded meanwhile";
  EXPECT_EQ(reasons_, std::vector<std::string>{"it is not there"});
}

TEST_F(optional_library_test, library_is_looked_for_again_once_others_were_loaded) {
  EXPECT_EQ(ask(), nullptr);
  load_another();
  EXPECT_EQ(ask(), nullptr);
  EXPECT_EQ(searches.count, 2);
  searches.answer = {&some_library, "/a/file"};
  EXPECT_EQ(ask(), nullptr);
  load_another();
  EXPECT_EQ(ask(), &some_library);
  EXPECT_EQ(searches.count, 3);
  EXPECT_EQ(reasons_.size(), 2U);
}

TEST(file_of, library_that_is_loaded_has_a_file_without_links) {
  void* const loaded = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(loaded, nullptr);
  const std::filesystem::path file = usmx::detail::file_of(loaded);
  EXPECT_EQ(file, std::filesystem::canonical(file));
  EXPECT_EQ(usmx::detail::file_of(nullptr), "");
}

TEST(onemkl, group_of_libraries_that_is_not_beside_the_library_is_not_found) {
  const library_search blas = usmx::detail::find_onemkl_blas();
  EXPECT_EQ(blas.handle, nullptr);
  expect_contains(blas.text, "libusmx_onemkl_blas.so");
  const library_search host = usmx::detail::find_onemkl_host();
  EXPECT_EQ(host.handle, nullptr);
  expect_contains(host.text, "libusmx_onemkl_host.so");
  EXPECT_EQ(usmx::detail::onemkl_host(), nullptr);
}

}  // namespace
