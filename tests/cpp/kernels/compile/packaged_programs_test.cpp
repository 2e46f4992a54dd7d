// src/kernels/compile/packaged_programs.hpp: the very program that was packaged is found, and no
// other; a file in any state is read or counts as none.
#include "kernels/compile/packaged_programs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"
#include "usmx/base/error.hpp"

namespace {

namespace fs = std::filesystem;
using usmx::compile_options;
using usmx::detail::packaged_programs;
using usmx::detail::program;

program made(const std::string& source, const std::string& name = "f",
             const compile_options& options = {}) {
  const std::string names[] = {name};
  return usmx::detail::make_program(source, names, options);
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class packaged_programs_test : public testing::Test {
 protected:
  const fs::path& write(const std::vector<std::pair<program, std::string>>& all) {
    std::vector<packaged_programs::named_program> programs;
    for (const auto& [each, object] : all) {
      programs.push_back({key_of(each), {object, "said of " + object}});
    }
    packaged_programs::write(file_, programs);
    return file_;
  }

  support::temporary_folder folder_;
  fs::path file_ = folder_.path() / "usmx-kernels";
};

TEST_F(packaged_programs_test, each_program_is_found) {
  std::vector<std::pair<program, std::string>> all;
  for (int k = 0; k < 100; ++k) {
    all.emplace_back(made("int x = " + std::to_string(k)), "object " + std::to_string(k));
  }
  const packaged_programs packaged(write(all));
  EXPECT_EQ(packaged.size(), 100U);
  for (const auto& [each, object] : all) {
    const auto found = packaged.find(each);
    ASSERT_TRUE(found) << object;
    EXPECT_EQ(found->object, object);
    EXPECT_EQ(found->log, "said of " + object);
  }
}

TEST_F(packaged_programs_test, program_that_differs_in_anything_is_not_found) {
  const compile_options options{.headers = {{"preamble", "int a;"}}, .options = {"-O2"}};
  const packaged_programs packaged(write({{made("int x;", "f", options), "object"}}));
  EXPECT_TRUE(packaged.find(made("int x;", "f", options)));
  EXPECT_FALSE(packaged.find(made("int x; ", "f", options)));
  EXPECT_FALSE(packaged.find(made("int x;", "g", options)));
  for (const compile_options& other : {
           compile_options{},
           compile_options{.headers = {{"preamble", "int b;"}}, .options = {"-O2"}},
           compile_options{.headers = {{"preamblf", "int a;"}}, .options = {"-O2"}},
           compile_options{.headers = {{"preamble", "int a;"}}, .options = {"-O3"}},
           compile_options{
               .defines = {{"N", "1"}}, .headers = {{"preamble", "int a;"}}, .options = {"-O2"}},
           compile_options{.headers = {{"preamble", "int a;"}}, .options = {"-O2"}, .debug = true},
       }) {
    EXPECT_FALSE(packaged.find(made("int x;", "f", other)));
  }
}

TEST_F(packaged_programs_test, no_file_and_an_empty_one_have_no_programs) {
  EXPECT_EQ(packaged_programs(file_).size(), 0U);
  std::ofstream(file_).flush();
  const packaged_programs none(file_);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_FALSE(none.find(made("")));
}

TEST_F(packaged_programs_test, file_cut_anywhere_has_whole_programs_or_none) {
  const program first = made("int x;");
  const std::string whole = content_of(write({{first, "object"}, {made("int y;"), "another"}}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(file_, std::ios::binary) << whole.substr(0, size);
    EXPECT_EQ(packaged_programs(file_).size(), 0U) << size;
  }
  std::ofstream(file_, std::ios::binary) << whole;
  const packaged_programs packaged(file_);
  std::ofstream(file_, std::ios::binary) << whole.substr(0, whole.size() / 2);  // later
  EXPECT_FALSE(packaged.find(first));
}

TEST_F(packaged_programs_test, changed_byte_anywhere_hides_what_it_is_in_and_is_told) {
  static std::string warning;
  usmx::set_warning_handler([](const char* text) noexcept { warning = text; });
  const program first = made("int x;");
  const std::string whole = content_of(write({{first, "object"}}));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      std::ofstream(file_, std::ios::binary) << changed;
      warning.clear();
      EXPECT_FALSE(packaged_programs(file_).find(first)) << at << ", bit " << bit;
      EXPECT_NE(warning.find(file_.native()), std::string::npos) << at << ", bit " << bit;
    }
  }
  usmx::set_warning_handler(nullptr);
}

}  // namespace
