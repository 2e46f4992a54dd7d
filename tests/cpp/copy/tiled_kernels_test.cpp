// The kernels for CUDA devices with the launches that such devices get (copy/kernel_launch.hpp),
// every thread of every block on the host, against a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "copy/kernels.hpp"
#include "copy/plan.hpp"
#include "kernels/cuda_on_host.hpp"
#include "support/seed.hpp"

namespace {

using usmx::detail::copy_dimension;
using usmx::detail::destination_side;
using usmx::detail::kernel_launch;
using usmx::detail::kernel_shape;
using usmx::detail::source_side;
using bytes = std::vector<std::uint8_t>;
using dimensions = std::vector<copy_dimension>;

std::array<std::size_t, 3> sizes(const sycl::range<3>& range) {
  return {range[0], range[1], range[2]};
}

/// Source and destination of the extents, in units of items: C order on one side, and on the other
/// the order given, as where an array was transposed.
dimensions permuted(const std::vector<std::ptrdiff_t>& extents,
                    const std::vector<std::size_t>& order, std::size_t item) {
  dimensions result(extents.size());
  auto step = static_cast<std::ptrdiff_t>(item);
  for (std::size_t k = extents.size(); k-- > 0;) {
    result[k].extent = extents[k];
    result[k].strides[destination_side] = step;
    step *= extents[k];
  }
  step = static_cast<std::ptrdiff_t>(item);
  for (std::size_t k = order.size(); k-- > 0;) {
    result[order[k]].strides[source_side] = step;
    step *= extents[order[k]];
  }
  return result;
}

void expect_copied(const dimensions& all, std::size_t item, bool by_tiles) {
  std::ptrdiff_t count = 1;
  for (const copy_dimension& d : all) {
    count *= d.extent;
  }
  const std::size_t nbytes = static_cast<std::size_t>(count) * item;
  bytes source(nbytes);
  std::mt19937 random(7);
  for (auto& b : source) {
    b = static_cast<std::uint8_t>(random());
  }
  bytes expected(nbytes);
  usmx::detail::for_each_index(
      all, reinterpret_cast<const std::byte*>(source.data()),
      reinterpret_cast<std::byte*>(expected.data()),
      [&](const std::byte* from, std::byte* to) { std::copy_n(from, item, to); });
  bytes found(nbytes);
  const kernel_launch launch =
      usmx::detail::launch_for(all, {.shape = kernel_shape::tiled, .by_tiles = by_tiles});
  const auto kernel =
      by_tiles ? kernels_test::cuda_kernel::transpose : kernels_test::cuda_kernel::copy;
  kernels_test::run_cuda_kernel(kernel, item, source.data(), found.data(), &launch.walk,
                                sizes(launch.range.get_group_range()),
                                sizes(launch.range.get_local_range()));
  EXPECT_TRUE(found == expected) << item << " bytes, " << all.size() << " dimensions";
}

TEST(tiled_kernels, whole_and_partial_tiles_are_transposed) {
  for (const std::size_t item : {1, 2, 4, 8, 16}) {
    expect_copied(permuted({32, 32}, {1, 0}, item), item, true);
    expect_copied(permuted({5, 37}, {1, 0}, item), item, true);
    expect_copied(permuted({2, 33, 7}, {0, 2, 1}, item), item, true);
  }
}

TEST(tiled_kernels, few_columns_of_many_rows_are_transposed) {
  for (const std::size_t item : {1, 2, 4, 8, 16}) {
    expect_copied(permuted({700, 3}, {1, 0}, item), item, true);
    expect_copied(permuted({300, 8}, {1, 0}, item), item, true);
  }
  for (const std::ptrdiff_t columns : {2, 4, 5, 6, 7}) {
    expect_copied(permuted({1100, columns}, {1, 0}, 4), 4, true);
  }
}

TEST(tiled_kernels, elements_of_every_size_and_order_are_copied) {
  for (const std::size_t item : {1, 2, 4, 8, 16}) {
    expect_copied(permuted({1, 20000}, {0, 1}, item), item, false);
    expect_copied(permuted({700, 3}, {0, 1}, item), item, false);
    expect_copied(permuted({70, 130}, {1, 0}, item), item, false);
    expect_copied(permuted({3, 5, 7, 11}, {2, 0, 3, 1}, item), item, false);
    expect_copied(permuted({2, 2, 2, 2, 2, 2, 3, 5}, {7, 5, 3, 1, 0, 2, 4, 6}, item), item, false);
  }
}

/// Elements of that many rows and columns, a number of bytes apart that leaves gaps.
void expect_filled(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t step,
                   std::size_t item) {
  const std::ptrdiff_t row_step = columns * step + 16;
  const dimensions all{{rows, row_step, row_step}, {columns, step, step}};
  bytes element(item);
  std::iota(element.begin(), element.end(), std::uint8_t{1});
  // Aligned for the largest item.
  std::vector<std::array<std::uint64_t, 2>> memory(static_cast<std::size_t>(rows * row_step) / 16 +
                                                   1);
  auto* const found = reinterpret_cast<std::uint8_t*>(memory.data());
  bytes expected(memory.size() * 16);
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    for (std::ptrdiff_t column = 0; column < columns; ++column) {
      std::ranges::copy(element, expected.begin() + row * row_step + column * step);
    }
  }
  const kernel_launch launch =
      usmx::detail::launch_for(all, {.shape = kernel_shape::tiled, .fills = true});
  kernels_test::run_cuda_kernel(kernels_test::cuda_kernel::fill, item, element.data(), found,
                                &launch.walk, sizes(launch.range.get_group_range()),
                                sizes(launch.range.get_local_range()));
  EXPECT_TRUE(std::ranges::equal(expected, std::span(found, expected.size())))
      << rows << " x " << columns << " items of " << item << " bytes";
}

TEST(tiled_kernels, one_row_and_several_are_filled) {
  for (const std::ptrdiff_t item : {1, 2, 4, 8, 16}) {
    for (const std::ptrdiff_t step : {item, 16 + item}) {
      for (const std::ptrdiff_t columns : {1, 100, 1024, 1025, 5000}) {
        expect_filled(1, columns, step, static_cast<std::size_t>(item));
        expect_filled(3, columns, step, static_cast<std::size_t>(item));
      }
    }
  }
}

TEST(tiled_kernels, random_extents_and_orders_are_copied) {
  std::mt19937 random(support::seed(53));
  for (int round = 0; round < 60; ++round) {
    std::vector<std::ptrdiff_t> extents(2 + random() % 3);
    std::vector<std::size_t> order(extents.size());
    for (std::size_t k = 0; k < extents.size(); ++k) {
      extents[k] = 1 + static_cast<std::ptrdiff_t>(random() % 40);
      order[k] = k;
    }
    std::shuffle(order.begin(), order.end(), random);
    expect_copied(permuted(extents, order, 4), 4, false);
  }
}

TEST(tiled_kernels, more_groups_than_a_device_counts_become_larger_ones) {
  constexpr std::ptrdiff_t many = 70000;
  const dimensions all{{many, 12, 4}, {2, 4, 4 * many}, {1, 4, 4}};
  const kernel_launch launch =
      usmx::detail::launch_for(all, {.shape = kernel_shape::tiled, .by_tiles = false});
  const auto groups = launch.range.get_group_range();
  EXPECT_LE(groups[0], 65535U);
  EXPECT_LE(groups[1], 65535U);
  EXPECT_GE(static_cast<std::ptrdiff_t>(groups[0]) * launch.walk.repeats_per_group, many);
}

TEST(tiled_kernels, rows_that_are_too_many_are_not_tiled) {
  const copy_dimension few{1 << 20, 4, 4};
  const copy_dimension many{std::ptrdiff_t{1} << 22, 4, 4};
  const copy_dimension columns{1000, 1 << 24, 4};
  EXPECT_TRUE(usmx::detail::can_be_tiled(few, columns, kernel_shape::tiled));
  EXPECT_FALSE(usmx::detail::can_be_tiled(many, columns, kernel_shape::tiled));
  EXPECT_TRUE(usmx::detail::can_be_tiled(many, columns, kernel_shape::narrow));
}

TEST(tiled_kernels, few_columns_make_tiles_of_more_rows) {
  for (const std::ptrdiff_t columns : {2, 3, 4, 5, 8}) {
    const dimensions all{{1000, 4, 4 * columns}, {columns, 4000, 4}};
    ASSERT_TRUE(usmx::detail::can_be_tiled(all[0], all[1], kernel_shape::tiled));
    const kernel_launch launch =
        usmx::detail::launch_for(all, {.shape = kernel_shape::tiled, .by_tiles = true});
    EXPECT_EQ(launch.walk.block_columns, columns);
    EXPECT_GT(launch.walk.block_rows * columns, usmx::kernels::shared_items / 2);
    EXPECT_LE((launch.walk.block_rows + usmx::kernels::banks / columns) * columns,
              usmx::kernels::shared_items);
  }
  EXPECT_FALSE(usmx::detail::can_be_tiled({1000, 4, 64}, {16, 4000, 4}, kernel_shape::tiled));
}

}  // namespace
