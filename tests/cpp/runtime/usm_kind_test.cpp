// usmx/usm_kind.hpp: the kinds and their names.
#include "usmx/runtime/usm_kind.hpp"

#include <gtest/gtest.h>

namespace {

using usmx::is_host_accessible;
using usmx::parse_usm_kind;
using usmx::usm_kind;

TEST(usm_kind_test, names_are_those_of_the_exchange) {
  EXPECT_EQ(name(usm_kind::device), "device");
  EXPECT_EQ(name(usm_kind::shared), "shared");
  EXPECT_EQ(name(usm_kind::host), "host");
  EXPECT_EQ(name(usm_kind::unknown), "unknown");
}

TEST(usm_kind_test, each_name_parses_back_to_its_kind) {
  for (usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    EXPECT_EQ(parse_usm_kind(name(kind)), kind);
  }
}

TEST(usm_kind_test, other_strings_are_no_kind) {
  for (const char* text :
       {"unknown", "", "Device", "DEVICE", " host", "host ", "shared\n", "dev"}) {
    EXPECT_EQ(parse_usm_kind(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(usm_kind_test, shared_and_host_are_host_accessible_and_no_other_kind_is) {
  EXPECT_TRUE(is_host_accessible(usm_kind::shared));
  EXPECT_TRUE(is_host_accessible(usm_kind::host));
  EXPECT_FALSE(is_host_accessible(usm_kind::device));
  EXPECT_FALSE(is_host_accessible(usm_kind::unknown));
}

TEST(usm_kind_test, everything_is_usable_in_constant_expressions) {
  static_assert(name(usm_kind::shared) == "shared");
  static_assert(parse_usm_kind("host") == usm_kind::host);
  static_assert(is_host_accessible(usm_kind::host));
}

}  // namespace
