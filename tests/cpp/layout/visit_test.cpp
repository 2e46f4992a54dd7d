// usmx/layout/for_each.hpp: from an element type to a C++ type.
#include "usmx/layout/for_each.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "support/errors.hpp"

namespace {

using support::expect_error;
using usmx::visit;

TEST(visit, calls_with_the_type_of_the_elements) {
  const auto size = []<class T>(std::type_identity<T>) { return sizeof(T); };
  EXPECT_EQ((visit<float, double>(usmx::float32, size)), 4u);
  EXPECT_EQ((visit<float, double>(usmx::float64, size)), 8u);
  EXPECT_EQ((visit<std::int8_t>(usmx::int8, size)), 1u);
}

TEST(visit, returns_references_and_nothing_as_the_function_does) {
  int number = 1;
  visit<float, double>(usmx::float64, [&](auto) -> int& { return number; }) = 2;
  EXPECT_EQ(number, 2);
  static_assert(std::is_void_v<decltype(visit<float>(usmx::float32, [](auto) {}))>);
}

TEST(visit, refuses_a_type_that_is_not_listed) {
  expect_error<usmx::type_error>([] { visit<float, double>(usmx::int32, [](auto) {}); },
                                 {"float32, float64", "int32"});
}

TEST(visit, calls_once_where_two_listed_types_are_the_same_element_type) {
  int calls = 0;
  visit<long, long long>(usmx::int64, [&](auto) { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
