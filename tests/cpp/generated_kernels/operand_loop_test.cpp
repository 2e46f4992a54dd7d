// src/generated_kernels/call.hpp: the loop over several arrays, and the form of its kernel.
#include "generated_kernels/call.hpp"

#include <gtest/gtest.h>

#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace {

using usmx::detail::loop_form;
using usmx::detail::loop_operand;
using usmx::detail::operand_loop;
using numbers = std::vector<std::ptrdiff_t>;

/// The loop over arrays of float of that shape, the last of which is written and leads.
operand_loop loop_of(const numbers& shape, const std::vector<numbers>& strides,
                     std::vector<loop_operand>& operands) {
  operands.clear();
  for (const numbers& each : strides) {
    operands.push_back({each, 4, operands.size() + 1 < strides.size()});
  }
  operand_loop loop;
  set_loop(loop, shape, std::span(operands), strides.size() - 1);
  return loop;
}

/// "3 x (4, 8) from (0, 0)": extents, strides and offsets in bytes.
std::string text(const numbers& shape, const std::vector<numbers>& strides) {
  std::vector<loop_operand> operands;
  const operand_loop loop = loop_of(shape, strides, operands);
  std::ostringstream out;
  const auto write = [&](const auto& values) {
    for (std::size_t i = 0; i < loop.count; ++i) {
      out << (i == 0 ? "(" : ", ") << values[i];
    }
    out << ')';
  };
  for (const auto& d : loop.dimensions()) {
    out << d.extent << " x ";
    write(d.strides);
    out << ' ';
  }
  out << "from ";
  write(loop.offsets);
  return out.str();
}

/// A form as "flat 1 0 1 aar", "rows 3 0 4 ass" or "tiles 2 64 4 ta", with a letter for each step.
std::string text_of(const loop_form& form, std::size_t operand_count) {
  constexpr const char* names[] = {"flat", "rows", "tiles"};
  std::ostringstream out;
  out << names[static_cast<std::size_t>(form.kind)] << ' ' << form.dimensions << ' ' << form.edge
      << ' ' << form.batch << ' ';
  for (std::size_t i = 0; i < operand_count; ++i) {
    out << "aronstu"[static_cast<std::size_t>(form.steps[i])];
  }
  return out.str();
}

std::string form(const numbers& shape, const std::vector<numbers>& strides) {
  std::vector<loop_operand> operands;
  operand_loop loop = loop_of(shape, strides, operands);
  return text_of(choose_form(loop, operands, 1), loop.count);
}

TEST(operand_loop_test, dimensions_that_are_one_run_for_all_are_joined) {
  EXPECT_EQ(text({2, 3, 4}, {{12, 4, 1}, {12, 4, 1}}), "24 x (4, 4) from (0, 0)");
  EXPECT_EQ(text({2, 3, 4}, {{0, 4, 1}, {12, 4, 1}}), "2 x (0, 48) 12 x (4, 4) from (0, 0)");
  EXPECT_EQ(text({1, 1}, {{1, 1}, {1, 1}}), "from (0, 0)");
}

TEST(operand_loop_test, the_leading_operand_is_walked_upwards) {
  EXPECT_EQ(text({2, 3}, {{3, 1}, {1, 2}}), "3 x (4, 8) 2 x (12, 4) from (0, 0)");
  EXPECT_EQ(text({4}, {{1}, {-1}}), "4 x (-4, 4) from (12, -12)");
}

TEST(operand_loop_test, one_run_is_flat) {
  EXPECT_EQ(form({6}, {{1}, {1}}), "flat 1 0 1 aa");
  EXPECT_EQ(form({6}, {{0}, {1}}), "flat 1 0 1 ra");
  EXPECT_EQ(form({}, {{}, {}}), "flat 1 0 1 aa");
  EXPECT_EQ(form({6}, {{2}, {1}}), "rows 2 0 1 oa");
}

TEST(operand_loop_test, steps_are_those_of_the_columns) {
  EXPECT_EQ(form({5, 6}, {{12, 1}, {0, 0}, {6, 1}}), "rows 2 0 1 ara");
  EXPECT_EQ(form({5, 6}, {{30, 3}, {12, -1}, {6, 1}}), "rows 2 0 1 nna");
  const std::ptrdiff_t far = std::ptrdiff_t{1} << 31;
  EXPECT_EQ(form({5, 6}, {{0, far}, {6, 1}}), "rows 2 0 1 sa");
}

TEST(operand_loop_test, an_operand_with_adjacent_rows_has_tiles) {
  EXPECT_EQ(form({50, 60}, {{1, 50}, {60, 1}, {60, 1}}), "tiles 2 64 1 taa");
  EXPECT_EQ(form({50, 60}, {{1, 50}, {1, 50}, {60, 1}}), "tiles 2 32 1 tta");
  EXPECT_EQ(form({50, 60}, {{2, 100}, {60, 1}, {60, 1}}), "tiles 2 64 1 uaa");  // nearly adjacent
  EXPECT_EQ(form({3, 60}, {{1, 3}, {60, 1}}), "rows 2 0 1 na");                 // too few of them
}

TEST(operand_loop_test, elements_too_large_for_local_memory_have_no_tiles) {
  const auto form_of = [](std::ptrdiff_t item) {
    const numbers transposed{1, 50};
    const numbers rows{60, 1};
    const std::vector<loop_operand> operands{{transposed, item, true}, {rows, 4, false}};
    operand_loop loop;
    set_loop(loop, numbers{50, 60}, std::span(operands), 1);
    return text_of(choose_form(loop, operands, 1), loop.count);
  };
  EXPECT_EQ(form_of(180), "tiles 2 16 1 ta");
  EXPECT_EQ(form_of(181), "rows 2 0 1 na");
}

TEST(operand_loop_test, rows_of_tiles_come_before_the_columns) {
  std::vector<loop_operand> operands;
  operand_loop loop = loop_of({8, 9, 10}, {{1, 90, 8}, {90, 10, 1}}, operands);
  EXPECT_EQ(text_of(choose_form(loop, operands, 1), loop.count), "tiles 3 64 1 ta");
  EXPECT_EQ(loop.all_dimensions[0].extent, 9);
  EXPECT_EQ(loop.all_dimensions[1].extent, 8);
  EXPECT_EQ(loop.all_dimensions[2].extent, 10);
}

TEST(operand_loop_test, kernels_have_eight_dimensions_at_most) {
  const numbers shape(10, 2);
  numbers strides(10);
  for (std::size_t k = 0; k < 10; ++k) {
    strides[k] = std::ptrdiff_t{1} << (2 * (9 - k) + 1);
  }
  EXPECT_EQ(form(shape, {strides, strides}), "rows 8 0 1 oo");
}

}  // namespace
