// usmx/error.hpp: what each exception is caught as, and that it keeps its message.
#include "usmx/base/error.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

namespace {

template <class Counterpart, class Error>
void expect_caught_as(const std::string& text) {
  try {
    throw Error(text);
  } catch (const Counterpart& caught) {
    EXPECT_EQ(caught.what(), text);
  }
}

constexpr const char* long_text =
    "copy: expected shapes that broadcast together, found (4, 5, 6) and (30, 6), and more";

TEST(error, value_error_is_an_invalid_argument) {
  expect_caught_as<std::invalid_argument, usmx::value_error>("value");
}

TEST(error, type_error_is_an_invalid_argument) {
  expect_caught_as<std::invalid_argument, usmx::type_error>("type");
}

TEST(error, index_error_is_an_out_of_range) {
  expect_caught_as<std::out_of_range, usmx::index_error>("index");
}

TEST(error, overflow_error_is_a_std_overflow_error) {
  expect_caught_as<std::overflow_error, usmx::overflow_error>("overflow");
}

TEST(error, read_only_error_is_a_value_error) {
  expect_caught_as<usmx::value_error, usmx::read_only_error>("read-only");
}

TEST(error, device_error_is_a_runtime_error) {
  expect_caught_as<std::runtime_error, usmx::device_error>("device");
}

TEST(error, runtime_conflict_is_a_runtime_error) {
  expect_caught_as<std::runtime_error, usmx::runtime_conflict>("conflict");
}

TEST(error, allocation_error_is_a_bad_alloc_and_keeps_its_message) {
  expect_caught_as<std::bad_alloc, usmx::allocation_error>(long_text);
}

TEST(error, copy_of_an_allocation_error_keeps_the_message) {
  const usmx::allocation_error error{long_text};
  const usmx::allocation_error copy = error;
  EXPECT_STREQ(copy.what(), long_text);
}

TEST(error, type_error_is_not_a_value_error) {
  EXPECT_FALSE((std::is_base_of_v<usmx::value_error, usmx::type_error>));
}

TEST(error, message_joins_values_of_any_type) {
  EXPECT_EQ(
      usmx::detail::message("expected ", 3, " entries, found ", 2U, ": ", std::string("(30)")),
      "expected 3 entries, found 2: (30)");
}

}  // namespace
