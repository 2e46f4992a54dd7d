// src/copy/select/index_blocks.hpp: kernels find the true elements that a loop finds.
#include "copy/select/index_blocks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "array/array.hpp"
#include "support/device_test.hpp"
#include "support/seed.hpp"
#include "usmx/array/array.hpp"

namespace {

using usmx::array;
using usmx::layout;
using usmx::detail::mask_scan;
using extents = std::vector<std::ptrdiff_t>;

class MaskScan : public support::device_test {
 protected:
  /// Bytes of which about that share is not 0; bools need not be 1 to be true.
  std::vector<std::byte> random_bytes(std::size_t n, double share) {
    std::bernoulli_distribution is_true(share);
    std::uniform_int_distribution<int> truth(1, 255);
    std::vector<std::byte> bytes(n);
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(is_true(random_) ? truth(random_) : 0);
    }
    return bytes;
  }
  static array on_device(const std::vector<std::byte>& bytes, usmx::dtype type,
                         const layout& where) {
    const array flat = usmx::empty(extents{std::ssize(bytes)}, usmx::type_code::uint8, queue());
    support::upload(bytes, flat.data(), queue());
    return array(flat.owner(), type, where);
  }
  static std::vector<std::int64_t> numbers_of(const array& a) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(a.size()));
    queue().memcpy(numbers.data(), a.data(), a.nbytes()).wait();
    return numbers;
  }

  std::mt19937 random_{support::seed(1)};
};

TEST_F(MaskScan, finds_the_true_elements_of_a_mask_of_any_length) {
  for (const std::size_t n : {1, 7, 8, 255, 256, 257, 16'384, 16'385, 1'048'577, 1'100'003}) {
    for (const double share : {0.0, 0.001, 0.5, 1.0}) {
      const std::vector<std::byte> bytes = random_bytes(n, share);
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < n; ++i) {
        if (bytes[i] != std::byte{0}) {
          expected.push_back(static_cast<std::int64_t>(i));
        }
      }
      const array mask =
          on_device(bytes, usmx::type_code::bool_, layout::c_order(extents{std::ssize(bytes)}));
      auto scan = mask_scan::by_kernels(usmx::internal::private_view(mask));
      ASSERT_TRUE(scan);
      ASSERT_EQ(scan->count(), std::ssize(expected)) << n << ' ' << share;
      const array list = usmx::empty(extents{scan->count()}, usmx::type_code::int64, queue());
      scan->write(std::vector{usmx::internal::private_view(list)});
      EXPECT_EQ(numbers_of(list), expected) << n << ' ' << share;
    }
  }
}

TEST_F(MaskScan, gives_an_index_in_each_dimension_of_any_layout) {
  const std::vector<std::byte> bytes = random_bytes(4096, 0.3);
  for (const layout& where :
       {layout::c_order(extents{16, 16, 16}), layout::f_order(extents{16, 16, 16}),
        layout::strided(extents{8, 16, 5}, extents{-512, 1, 16}, 4095 - 15 - 64)}) {
    const array mask = on_device(bytes, usmx::type_code::bool_, where);
    std::vector<std::vector<std::int64_t>> expected(3);
    for (std::ptrdiff_t i = 0; i < where.shape()[0]; ++i) {
      for (std::ptrdiff_t j = 0; j < where.shape()[1]; ++j) {
        for (std::ptrdiff_t k = 0; k < where.shape()[2]; ++k) {
          const std::ptrdiff_t at = where.offset() + i * where.strides()[0] +
                                    j * where.strides()[1] + k * where.strides()[2];
          if (bytes[static_cast<std::size_t>(at)] != std::byte{0}) {
            expected[0].push_back(i);
            expected[1].push_back(j);
            expected[2].push_back(k);
          }
        }
      }
    }
    auto scan = mask_scan::by_kernels(usmx::internal::private_view(mask));
    ASSERT_TRUE(scan);
    std::vector<array> lists;
    std::vector<usmx::array_view> views;
    for (int k = 0; k < 3; ++k) {
      lists.push_back(usmx::empty(extents{scan->count()}, usmx::type_code::int64, queue()));
      views.push_back(usmx::internal::private_view(lists.back()));
    }
    scan->write(views);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(numbers_of(lists[k]), expected[k]);
    }
  }
}

TEST_F(MaskScan, writes_no_more_than_there_is_room_for) {
  const std::vector<std::byte> bytes(1000, std::byte{1});
  const array mask = on_device(bytes, usmx::type_code::bool_, layout::c_order(extents{1000}));
  auto scan = mask_scan::by_kernels(usmx::internal::private_view(mask));
  ASSERT_TRUE(scan);
  const array list = usmx::empty(extents{20}, usmx::type_code::int64, queue());
  queue().memset(list.data(), 0xff, list.nbytes()).wait();
  const array front(list.owner(), usmx::type_code::int64, layout::c_order(extents{10}));
  scan->write(std::vector{usmx::internal::private_view(front)});
  const std::vector<std::int64_t> found = numbers_of(list);
  for (std::int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(found[static_cast<std::size_t>(i)], i < 10 ? i : -1);
  }
}

}  // namespace
