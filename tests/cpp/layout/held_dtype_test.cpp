// usmx/layout/dtype.hpp: structured types from outside live as long as somebody holds them.
#include "usmx/layout/dtype.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "usmx/base/error.hpp"

namespace {

using usmx::dtype;
using usmx::field;
using usmx::held_dtype;
using usmx::type_code;

/// More than twice what the process keeps, in types of half a megabyte.
constexpr int many = 300;
constexpr std::size_t long_name = std::size_t{1} << 19;

std::vector<field> one_field(std::string name, dtype type = type_code::float64) {
  return {{std::move(name), type, {}, 0}};
}

std::string name_of(int number) { return std::to_string(number) + std::string(long_name, 'x'); }

void make_many_and_hold_none() {
  for (int k = 0; k < many; ++k) {
    held_dtype::structured(one_field(name_of(k)), 8);
  }
}

TEST(held_dtype, is_the_type_that_the_process_makes_of_the_same_fields) {
  EXPECT_EQ(held_dtype::structured(one_field("a"), 8), dtype::structured(one_field("a"), 8));
}

TEST(held_dtype, of_a_plain_type_is_that_type) {
  const held_dtype type = dtype(type_code::int16);
  EXPECT_EQ(type, dtype(type_code::int16));
  held_dtype other = dtype(type_code::float32);
  other = type;
  EXPECT_EQ(other.itemsize(), 2U);
}

TEST(held_dtype, types_that_nobody_holds_do_not_use_the_table_up) {
  EXPECT_NO_THROW(make_many_and_hold_none());
}

TEST(held_dtype, types_that_are_held_are_bounded_and_go_with_their_holders) {
  std::vector<held_dtype> held;
  EXPECT_THROW(
      {
        for (int k = 0; k < many; ++k) {
          held.push_back(held_dtype::structured(one_field(name_of(k)), 8));
        }
      },
      usmx::allocation_error);
  held.clear();
  EXPECT_NO_THROW(make_many_and_hold_none());
}

TEST(held_dtype, keeps_its_fields_while_others_come_and_go) {
  std::optional<held_dtype> first = held_dtype::structured(one_field("held"), 8);
  const held_dtype copy = *first;
  first.reset();
  make_many_and_hold_none();
  ASSERT_EQ(copy.fields().size(), 1U);
  EXPECT_EQ(copy.fields()[0].name, "held");
  EXPECT_EQ(copy, held_dtype::structured(one_field("held"), 8));
}

TEST(held_dtype, assigned_over_lets_the_old_type_go_and_keeps_the_new_one) {
  held_dtype type = held_dtype::structured(one_field("old"), 8);
  type = held_dtype::structured(one_field("new"), 8);
  make_many_and_hold_none();
  EXPECT_EQ(type.fields()[0].name, "new");
}

TEST(held_dtype, keeps_the_types_of_its_fields) {
  std::optional<held_dtype> inner = held_dtype::structured(one_field("inner"), 8);
  const held_dtype outer = held_dtype::structured(one_field("outer", *inner), 8);
  inner.reset();
  make_many_and_hold_none();
  EXPECT_EQ(outer.fields()[0].type.fields()[0].name, "inner");
}

TEST(held_dtype, type_that_the_process_has_made_itself_stays_without_a_holder) {
  const dtype type = dtype::structured(one_field("stays"), 8);
  {
    const held_dtype held = type;
  }
  make_many_and_hold_none();
  EXPECT_EQ(type.fields()[0].name, "stays");
}

TEST(held_dtype, type_that_becomes_the_process_own_stays_from_then_on) {
  std::optional<held_dtype> held = held_dtype::structured(one_field("becomes"), 8);
  const dtype type = dtype::structured(one_field("becomes"), 8);
  held.reset();
  make_many_and_hold_none();
  EXPECT_EQ(type.fields()[0].name, "becomes");
}

TEST(held_dtype, threads_hold_and_let_go_at_once) {
  const auto work = [] {
    for (int k = 0; k < 2000; ++k) {
      const held_dtype type = held_dtype::structured(one_field(std::to_string(k % 7)), 8);
      const std::vector<held_dtype> copies(5, type);
      EXPECT_EQ(copies.back().fields()[0].name, std::to_string(k % 7));
      held_dtype::structured(one_field(std::string(4096, 'x') + std::to_string(k)), 8);
    }
  };
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back(work);
  }
}

}  // namespace
