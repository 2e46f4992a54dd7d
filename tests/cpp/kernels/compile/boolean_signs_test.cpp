#include "kernels/compile/boolean_signs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "usmx/base/error.hpp"

namespace {

using usmx::detail::with_boolean_signs;
using word = std::uint32_t;

/// A module of these instructions, each of which is a number, and operands.
std::string module_of(word bound, std::initializer_list<std::vector<word>> instructions) {
  std::vector<word> all{0x07230203, 0x10400, 0, bound, 0};
  for (const std::vector<word>& each : instructions) {
    all.push_back(static_cast<word>(each.size()) << 16 | each[0]);
    all.insert(all.end(), each.begin() + 1, each.end());
  }
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(word)};
}

const std::vector<word> one{43, 1, 2, 1};
const std::vector<word> zero{43, 1, 3, 0};
const std::vector<word> two{43, 1, 4, 2};

TEST(boolean_signs_test, integer_of_a_boolean_that_is_converted_as_a_signed_one_is_negated) {
  const std::string module = module_of(20, {one, zero, {169, 1, 10, 9, 2, 3}, {111, 8, 11, 10}});
  EXPECT_EQ(with_boolean_signs(module),
            module_of(21, {one, zero, {169, 1, 10, 9, 2, 3}, {126, 1, 20, 10}, {111, 8, 11, 20}}));
}

TEST(boolean_signs_test, vectors_of_booleans_are_negated) {
  const std::vector<word> ones{44, 5, 6, 2, 2};
  const std::vector<word> zeros{46, 5, 7};
  const std::string module =
      module_of(20, {one, zero, ones, zeros, {169, 5, 10, 9, 6, 7}, {111, 8, 11, 10}});
  EXPECT_EQ(
      with_boolean_signs(module),
      module_of(
          21, {one, zero, ones, zeros, {169, 5, 10, 9, 6, 7}, {126, 5, 20, 10}, {111, 8, 11, 20}}));
}

TEST(boolean_signs_test, other_conversions_stay) {
  for (const std::vector<word>& select :
       {std::vector<word>{169, 1, 10, 9, 4, 3}, {169, 1, 10, 9, 3, 2}}) {
    EXPECT_EQ(with_boolean_signs(module_of(20, {one, zero, two, select, {111, 8, 11, 10}})),
              std::nullopt);
  }
  EXPECT_EQ(with_boolean_signs(module_of(20, {one, zero, {169, 1, 10, 9, 2, 3}, {112, 8, 11, 10}})),
            std::nullopt);
}

TEST(boolean_signs_test, damaged_module_is_refused) {
  std::string module = module_of(20, {one});
  module.resize(module.size() - sizeof(word));
  EXPECT_THROW(with_boolean_signs(module), usmx::value_error);
  EXPECT_THROW(with_boolean_signs("short"), usmx::value_error);
}

}  // namespace
