#include "kernels/compile/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace {

using usmx::compile_options;
using usmx::detail::for_users;
using usmx::detail::make_program;
using usmx::detail::parse_diagnostics;

bool is_self_contained(const std::string& source, const compile_options& options = {}) {
  const std::string names[] = {"f"};
  return reads_only_given_files(make_program(source, names, options));
}

TEST(program_test, given_headers_are_no_real_files) {
  EXPECT_TRUE(is_self_contained(""));
  EXPECT_TRUE(is_self_contained("#include <usmx/kernel.hpp>\nint x;"));
  EXPECT_TRUE(is_self_contained("# \t include \"usmx/kernel.hpp\"\n"));
  EXPECT_TRUE(is_self_contained("#include \"mine.hpp\"", {.headers = {{"mine.hpp", ""}}}));
  EXPECT_TRUE(is_self_contained("we include it, and embed that"));
}

TEST(program_test, what_may_be_a_real_file_is_seen) {
  EXPECT_FALSE(is_self_contained("#include <sycl/sycl.hpp>"));
  EXPECT_FALSE(is_self_contained("#include \"mine.hpp\""));
  EXPECT_FALSE(is_self_contained("#include \"mine.hpp\"",
                                 {.headers = {{"mine.hpp", "#include \"other.hpp\""}}}));
  EXPECT_FALSE(is_self_contained("#inc\\\nlude <other.hpp>"));
  EXPECT_FALSE(is_self_contained("#/**/include <other.hpp>"));
  EXPECT_FALSE(is_self_contained("%:include <other.hpp>"));
  EXPECT_FALSE(is_self_contained("#include NAME"));
  EXPECT_FALSE(is_self_contained("#include_next <usmx/kernel.hpp>"));
  EXPECT_FALSE(is_self_contained("#if __has_include(<x>)\n#endif"));
  EXPECT_FALSE(is_self_contained("#embed \"usmx/kernel.hpp\""));
}

TEST(program_test, options_of_usmx_name_no_files) {
  EXPECT_TRUE(is_self_contained("", {.options = {"-fsycl-id-queries-range=size_t"}}));
}

TEST(program_test, options_that_name_files_are_seen) {
  EXPECT_TRUE(is_self_contained("", {.options = {"-O1", "-ffast-math", "-DN=8", "-Wall", "-g"}}));
  EXPECT_FALSE(is_self_contained("", {.options = {"-I/folder"}}));
  EXPECT_FALSE(is_self_contained("", {.options = {"-include", "x.hpp"}}));
  EXPECT_FALSE(is_self_contained("", {.options = {"-fprofile-use=x"}}));
  EXPECT_FALSE(is_self_contained("", {.options = {"@x"}}));
}

TEST(program_test, diagnostics_are_read_from_the_text_of_nvidias_compiler) {
  const auto all = parse_diagnostics(
      "<source>(3): error: identifier \"nothing\" is undefined\n    y[i] = nothing;\n           "
      "^\n\n"
      "<usmx>(4): warning #1444-D: function \"f\" was declared deprecated\n  f();\n  ^\n"
      "<source>(2): note #3287-D: because of an attribute\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
      "lib/a.hpp(1): catastrophic error: cannot open source file \"b.hpp\"\n"
      "nvrtc: error: unrecognized option -O1 found\n2 errors detected in the compilation.\n");
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].file, "<source>");
  EXPECT_EQ(all[0].line, 3);
  EXPECT_EQ(all[0].column, 10);
  EXPECT_EQ(all[0].severity, usmx::severity::error);
  EXPECT_EQ(all[0].text, "identifier \"nothing\" is undefined");
  EXPECT_EQ(all[1].severity, usmx::severity::warning);
  EXPECT_EQ(all[1].text, "function \"f\" was declared deprecated");
  EXPECT_EQ(all[2].severity, usmx::severity::note);
  EXPECT_EQ(all[2].column, 0);
  EXPECT_EQ(all[3].file, "lib/a.hpp");
  EXPECT_EQ(all[3].severity, usmx::severity::error);
  EXPECT_EQ(all[4].file, "");
  EXPECT_EQ(all[4].line, 0);
}

TEST(program_test, diagnostics_are_read_from_the_compilers_text) {
  const auto all = parse_diagnostics(
      "Device compilation failed\nDetailed information:\n\t./<source>:3:14: error: no: such thing\n"
      "    3 |  code: error\n/usmx-user-headers/mine.hpp:2:1: note: here\n"
      "rtc_7.cpp:4:24: warning: careful\nerror: unknown argument '-x'\n");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].file, "<source>");
  EXPECT_EQ(all[0].line, 3);
  EXPECT_EQ(all[0].column, 14);
  EXPECT_EQ(all[0].severity, usmx::severity::error);
  EXPECT_EQ(all[0].text, "no: such thing");
  EXPECT_EQ(all[1].file, "mine.hpp");
  EXPECT_EQ(all[1].severity, usmx::severity::note);
  EXPECT_EQ(all[2].file, "<usmx>");
  EXPECT_EQ(all[3].file, "");
  EXPECT_EQ(all[3].line, 0);
  EXPECT_EQ(all[3].text, "unknown argument '-x'");
}

TEST(program_test, programs_of_one_kernel_are_joined) {
  const std::string names[][1] = {{"f"}, {"g"}};
  const compile_options once{.headers = {{"loop.hpp", "#pragma once"}, {"text", "1"}}};
  const auto f = make_program("source of f", names[0], once);
  const auto g = make_program("source of g", names[1], once);
  ASSERT_TRUE(is_joinable(f) && is_joinable(g));
  const usmx::detail::program* both[] = {&f, &g};
  const auto made = usmx::detail::joined(both);
  EXPECT_EQ(made.kernels, (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(made.options, f.options);
  EXPECT_TRUE(
      made.text.starts_with("#include <usmx/kernel.hpp>\n#include \"loop.hpp\"\n"
                            "namespace usmx_program_0 {\n#include \"0/<source>\"\n}\n"
                            "namespace usmx_program_1 {\n#include \"1/<source>\"\n}\n"
                            "using usmx_kernel_0 = decltype(usmx_program_0::f);"));
  EXPECT_EQ(made.first_kernel_line, 9);
  const auto has = [&](const std::string& file) {
    return std::ranges::count(
        made.files, file, [](const auto& each) { return usmx::detail::shown_file(each.first); });
  };
  EXPECT_EQ(has("loop.hpp"), 1);
  EXPECT_EQ(has("0/text"), 1);
  EXPECT_EQ(has("1/<source>"), 1);
  EXPECT_EQ(has("usmx/kernel.hpp"), 1);
}

TEST(program_test, programs_of_several_kernels_or_with_macros_are_not_joined) {
  const std::string names[] = {"f", "g"};
  EXPECT_FALSE(is_joinable(make_program("", names, {})));
  EXPECT_FALSE(is_joinable(make_program("", std::span(names).first(1), {.defines = {{"N", "8"}}})));
  EXPECT_FALSE(is_joinable(make_program("", std::span(names).first(1), {.debug = true})));
}

TEST(program_test, dimensions_are_read_as_they_are_written) {
  const std::string names[] = {"f", "g"};
  const auto made = make_program("", names, {});
  const auto all = parse_diagnostics(dimensions_text(made, 0, 2) + dimensions_text(made, 1, 3));
  EXPECT_EQ(dimensions_in(all, made, 0), 2);
  EXPECT_EQ(dimensions_in(all, made, 1), 3);
  EXPECT_TRUE(for_users(all).empty());
}

TEST(program_test, dimensions_are_read_from_usmxs_own_warning) {
  const std::string names[] = {"f", "g"};
  const auto made = make_program("", names, {.defines = {{"N", "8"}}});
  EXPECT_EQ(made.first_kernel_line, 4);
  const auto all = parse_diagnostics(
      "rtc_0.cpp:4:24: warning: 'f' is deprecated: usmx kernel of dimensions: 2\n"
      "./<source>:1:1: note: 'f' has been explicitly marked deprecated here\n"
      "<source>:9:1: warning: mine\n");
  EXPECT_EQ(dimensions_in(all, made, 0), 2);
  EXPECT_EQ(dimensions_in(all, made, 1), 0);
  const auto shown = for_users(all);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].text, "mine");
}

TEST(program_test, what_the_compiler_says_twice_is_told_once_with_its_notes) {
  const std::string once =
      "operation:1:5: warning: mine\noperation:1:1: note: declared here\n"
      "operation:1:9: warning: mine\noperation:1:1: note: declared here\n";
  const auto shown = for_users(parse_diagnostics(once + once));
  ASSERT_EQ(shown.size(), 4U);
  EXPECT_EQ(shown[2].column, 9);
  EXPECT_EQ(shown[3].text, "declared here");
}

}  // namespace
