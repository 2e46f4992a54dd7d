// src/base/environment.hpp: sizes are numbers of bytes, or numbers with K, M or G; others warn.
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/temporary_folder.hpp"

namespace {

using usmx::detail::size_in;

TEST(environment_test, size_is_a_number_of_bytes_or_one_with_a_unit) {
  const std::pair<const char*, std::size_t> sizes[] = {{"0", 0},
                                                       {"1", 1},
                                                       {"3K", 3072},
                                                       {"64M", 64 << 20},
                                                       {"2G", std::size_t{2} << 30},
                                                       {"18446744073709551615", ~std::size_t{0}}};
  for (const auto& [text, expected] : sizes) {
    const support::environment_variable set("USMX_TEST_SIZE", text);
    EXPECT_EQ(size_in("USMX_TEST_SIZE", ""), expected) << text;
  }
  EXPECT_EQ(size_in("USMX_TEST_SIZE", ""), std::nullopt);
}

TEST(environment_test, other_text_is_no_size_and_the_warning_says_what_is_the_case_then) {
  for (const std::string text :
       {"", "much", "-1", "1 G", "1GB", "1T", "K", "18446744073709551616", "17179869184G"}) {
    const support::environment_variable set("USMX_TEST_SIZE", text);
    testing::internal::CaptureStderr();
    EXPECT_EQ(size_in("USMX_TEST_SIZE", "there is no limit"), std::nullopt) << text;
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "usmx: USMX_TEST_SIZE must be a number of bytes, or one with K, M or G, found '" +
                  text + "': there is no limit\n");
  }
}

}  // namespace
