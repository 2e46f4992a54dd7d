// src/base/messages.hpp: any text can be shown in a message.
#include "base/messages.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::string_literals;
using namespace usmx;

TEST(quoted, printable_text_stands_in_quotes_as_it_is) {
  EXPECT_EQ(detail::quoted(""), "''");
  EXPECT_EQ(detail::quoted("a b~"), "'a b~'");
}

TEST(quoted, quotes_and_backslashes_are_escaped) {
  EXPECT_EQ(detail::quoted(R"(it's a \)"), R"('it\'s a \\')");
}

TEST(quoted, other_bytes_are_shown_as_numbers) {
  EXPECT_EQ(detail::quoted("\0\n\x1f\x7f\xff"s), R"('\x00\x0a\x1f\x7f\xff')");
}

TEST(quoted, long_text_is_cut_and_its_length_told) {
  EXPECT_EQ(detail::quoted("abcdef", 3), "'abc...' (6 characters)");
  EXPECT_EQ(detail::quoted("abc", 3), "'abc'");
}

}  // namespace
