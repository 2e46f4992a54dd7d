// Arrays that kernels join: the same elements as by a copy for each part.
#include "copy/join.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "array/array.hpp"
#include "support/device_test.hpp"
#include "usmx/array/array.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/index_item.hpp"

namespace {

using usmx::array;
using usmx::dtype;
using extents = std::vector<std::ptrdiff_t>;

class join_test : public support::device_test {
 protected:
  /// Bytes that differ from one to the next, as elements of that type.
  array some(const extents& shape, dtype type) {
    const usmx::layout where = usmx::layout::c_order(shape);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(where.size()) * type.itemsize());
    for (std::uint8_t& each : bytes) {
      each = static_cast<std::uint8_t>(next_ = next_ * 37 + 11);
    }
    const array made = usmx::empty(shape, type, queue(), usmx::usm_kind::shared);
    std::copy(bytes.begin(), bytes.end(),
              reinterpret_cast<std::uint8_t*>(usmx::internal::first_element(made)));
    return made;
  }

  static std::vector<std::uint8_t> bytes_of(const array& a) {
    queue().wait();
    const auto* const first =
        reinterpret_cast<const std::uint8_t*>(usmx::internal::first_element(a));
    return {first, first + a.nbytes()};
  }

  void expect_joined(const std::vector<array>& parts, int axis) {
    extents shape(parts[0].shape().begin(), parts[0].shape().end());
    std::ptrdiff_t& along = shape[static_cast<std::size_t>(axis)];
    along = 0;
    std::size_t outer = 1;
    for (int k = 0; k < axis; ++k) {
      outer *= static_cast<std::size_t>(parts[0].extent(k));
    }
    std::vector<std::vector<std::uint8_t>> all;
    for (const array& each : parts) {
      along += each.extent(axis);
      all.push_back(bytes_of(each));
    }
    std::vector<std::uint8_t> expected;
    for (std::size_t row = 0; row < outer; ++row) {
      for (const auto& each : all) {
        const auto width = static_cast<std::ptrdiff_t>(each.size() / outer);
        const auto first = each.begin() + width * static_cast<std::ptrdiff_t>(row);
        expected.insert(expected.end(), first, first + width);
      }
    }
    const array made = usmx::empty(shape, parts[0].type(), queue(), usmx::usm_kind::shared);
    ASSERT_TRUE(usmx::internal::join_by_kernels(parts, made, axis));
    EXPECT_EQ(bytes_of(made), expected);
  }

  unsigned next_ = 1;
};

TEST_F(join_test, parts_lie_side_by_side) {
  for (const dtype type : {usmx::uint8, usmx::int16, usmx::float32, usmx::complex128}) {
    expect_joined({some({5}, type), some({3}, type), some({0}, type), some({4096}, type)}, 0);
    expect_joined({some({2, 3}, type), some({2, 1}, type)}, 1);
    expect_joined({some({2, 3, 4}, type), some({2, 5, 4}, type), some({2, 8, 4}, type)}, 1);
  }
}

TEST_F(join_test, more_parts_than_one_kernel_takes_are_joined_by_several) {
  std::vector<array> parts;
  for (std::ptrdiff_t k = 0; k < 37; ++k) {
    parts.push_back(some({3, k % 5}, usmx::int32));
  }
  expect_joined(parts, 1);
}

TEST_F(join_test, part_that_begins_at_an_odd_byte_is_joined) {
  const array whole = some({33}, usmx::uint8);
  expect_joined({whole.slice(usmx::range(1, 17)), whole.slice(usmx::range(16, 32))}, 0);
}

TEST_F(join_test, part_with_gaps_is_not_joined) {
  const array part = some({8}, usmx::float32).slice(usmx::range(0, 8, 2));
  const array made = usmx::empty({8}, usmx::float32, queue());
  EXPECT_FALSE(usmx::internal::join_by_kernels(std::vector{part, part}, made, 0));
}

TEST_F(join_test, host_that_reaches_the_result_needs_no_kernel) {
  const array part = usmx::empty({8}, usmx::float32, queue(), usmx::usm_kind::shared);
  const array made = usmx::empty({16}, usmx::float32, queue(), usmx::usm_kind::shared);
  EXPECT_FALSE(usmx::internal::is_for_join(std::vector{part, part}, made));
}

}  // namespace
