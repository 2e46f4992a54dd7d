// The kernels for CUDA devices that gather as they check (src/kernels/device/positions.hpp), every
// thread of every block on the host, against a plain loop.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/cuda_on_host.hpp"
#include "support/seed.hpp"

namespace {

constexpr std::int64_t table_rows = 40;

std::vector<std::uint32_t> table_of(std::int64_t columns) {
  std::vector<std::uint32_t> table(static_cast<std::size_t>(table_rows * columns));
  std::iota(table.begin(), table.end(), 1U);
  return table;
}

TEST(tiled_gather, rows_at_integers_from_either_end_are_taken) {
  std::mt19937 random(support::seed(91));
  for (const std::int64_t columns : {1, 3}) {
    const std::vector<std::uint32_t> table = table_of(columns);
    std::vector<std::int32_t> integers(1000);
    std::vector<std::uint32_t> expected;
    for (std::int32_t& integer : integers) {
      integer = std::uniform_int_distribution<std::int32_t>(-table_rows, table_rows - 1)(random);
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t row = integer < 0 ? integer + table_rows : integer;
        expected.push_back(table[static_cast<std::size_t>(row * columns + column)]);
      }
    }
    const kernels_test::taken found = kernels_test::take_by_cuda_kernel(
        table, columns, integers, std::vector<std::uint32_t>(expected.size()));
    EXPECT_EQ(found.result, expected);
    EXPECT_FALSE(found.found_outside);
  }
}

TEST(tiled_gather, integers_outside_of_the_axis_are_told_and_left_out) {
  for (const std::int64_t columns : {1, 3}) {
    const kernels_test::taken found = kernels_test::take_by_cuda_kernel(
        table_of(columns), columns, {table_rows, -table_rows - 1, INT32_MIN, INT32_MAX},
        std::vector<std::uint32_t>(static_cast<std::size_t>(4 * columns), 7));
    EXPECT_EQ(found.result, std::vector<std::uint32_t>(static_cast<std::size_t>(4 * columns), 7));
    EXPECT_TRUE(found.found_outside);
  }
}

}  // namespace
