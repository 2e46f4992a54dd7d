// usmx/reinterpreted.hpp: the bytes stay where they are, whatever the elements are called.
#include "usmx/array/reinterpreted.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::dtype;
using usmx::layout;
using usmx::reinterpreted;
using usmx::type_code;
using usmx::usm_kind;
using usmx::value_error;
using extents = std::vector<std::ptrdiff_t>;

class reinterpreted_test : public support::device_test {
 protected:
  static array new_array(const extents& shape, dtype type) {
    return usmx::empty(shape, type, queue(), usm_kind::shared);
  }
  static array cut(const array& a, const extents& shape, const extents& strides,
                   std::ptrdiff_t offset = 0) {
    return a.with_layout(layout::strided(shape, strides, offset));
  }
};

TEST_F(reinterpreted_test, same_item_size_keeps_any_layout) {
  const array a = cut(new_array({12}, type_code::float32), {2, 3}, {-6, -2}, 11);
  const array b = reinterpreted(a, type_code::uint32);
  EXPECT_EQ(b.layout(), a.layout());
  EXPECT_EQ(b.type(), type_code::uint32);
  EXPECT_EQ(b.owner(), a.owner());
}

TEST_F(reinterpreted_test, larger_items_shrink_the_last_axis) {
  const array a = cut(new_array({64}, type_code::int8), {3, 8}, {-16, 1}, 40);
  EXPECT_EQ(reinterpreted(a, type_code::int32).layout(),
            layout::strided(extents{3, 2}, extents{-4, 1}, 10));
}

TEST_F(reinterpreted_test, smaller_items_extend_the_last_axis) {
  const array a = cut(new_array({3, 4}, type_code::complex128), {3, 2}, {4, 1}, 2);
  EXPECT_EQ(reinterpreted(a, type_code::float32).layout(),
            layout::strided(extents{3, 8}, extents{16, 1}, 8));
}

TEST_F(reinterpreted_test, stride_of_an_axis_of_size_1_is_of_no_importance) {
  const array a = cut(new_array({12}, type_code::float64), {2, 1}, {4, 3});
  EXPECT_EQ(reinterpreted(a, type_code::float32).layout(),
            layout::strided(extents{2, 2}, extents{8, 1}));
  const array b = cut(new_array({4}, type_code::float32), {1, 2}, {3, 1});
  EXPECT_EQ(reinterpreted(b, type_code::float64).shape()[1], 1);
}

TEST_F(reinterpreted_test, elements_become_structures_and_plain_again) {
  const dtype pair =
      dtype::structured({{"x", type_code::float32, {}, 0}, {"y", type_code::float32, {}, 4}}, 8);
  const array a = new_array({3, 4}, type_code::float32);
  const array pairs = reinterpreted(a, pair);
  EXPECT_EQ(pairs.layout(), layout::c_order(extents{3, 2}));
  EXPECT_EQ(reinterpreted(pairs, type_code::float32).layout(), a.layout());
}

TEST_F(reinterpreted_test, read_only_stays_read_only) {
  const array a = new_array({4}, type_code::int16).as_readonly();
  EXPECT_TRUE(reinterpreted(a, type_code::int8).readonly());
  EXPECT_TRUE(reinterpreted(a, type_code::float16).readonly());
}

TEST_F(reinterpreted_test, no_elements_need_a_last_axis_of_whole_items) {
  const array a = new_array({0, 4}, type_code::float32);
  EXPECT_EQ(reinterpreted(a, type_code::float64).layout(), layout::c_order(extents{0, 2}));
  const array anywhere = cut(a, {3, 0}, {5, 7}, 1000);
  EXPECT_EQ(reinterpreted(anywhere, type_code::float64).size(), 0);
  expect_error<value_error>(
      [&] { reinterpreted(new_array({0, 3}, type_code::float32), type_code::float64); },
      {"float64", "multiple of 8 bytes, found 12"});
}

TEST_F(reinterpreted_test, no_dimensions_keep_their_item_size) {
  const array a = new_array({}, type_code::float32);
  EXPECT_EQ(reinterpreted(a, type_code::int32).type(), type_code::int32);
  expect_error<value_error>([&] { reinterpreted(a, type_code::int8); },
                            {"0-dimensional", "item size 4", "int8 of 1"});
}

TEST_F(reinterpreted_test, other_item_size_needs_a_contiguous_last_axis) {
  const array a = new_array({4, 4}, type_code::float32);
  for (const auto& strides : {extents{4, 2}, extents{1, 4}, extents{4, -1}, extents{4, 0}}) {
    const std::ptrdiff_t offset = strides[1] < 0 ? 3 : 0;
    expect_error<value_error>(
        [&] { reinterpreted(cut(a, {2, 2}, strides, offset), type_code::float64); },
        {"last axis to be contiguous", "strides"});
  }
}

TEST_F(reinterpreted_test, last_axis_needs_whole_items) {
  expect_error<value_error>(
      [&] { reinterpreted(new_array({2, 3}, type_code::float32), type_code::float64); },
      {"the last axis", "multiple of 8 bytes, found 12"});
  const dtype three = dtype::structured({{"a", type_code::int8, {3}, 0}}, 3);
  expect_error<value_error>([&] { reinterpreted(new_array({4}, three), type_code::int16); },
                            {"an item", "multiple of 2 bytes, found 3"});
}

TEST_F(reinterpreted_test, other_strides_and_the_offset_need_whole_items) {
  const array a = new_array({24}, type_code::float32);
  expect_error<value_error>([&] { reinterpreted(cut(a, {2, 2}, {3, 1}), type_code::float64); },
                            {"stride", "multiple of 8 bytes, found 12"});
  expect_error<value_error>([&] { reinterpreted(cut(a, {2}, {1}, 1), type_code::float64); },
                            {"offset", "multiple of 8 bytes, found 4"});
}

TEST_F(reinterpreted_test, parts_of_complex_elements_lie_side_by_side) {
  const array a = cut(new_array({12}, type_code::complex64), {2, 3}, {-6, 2}, 6);
  const array real = usmx::part_view(a, usmx::complex_part::real);
  const array imaginary = usmx::part_view(a, usmx::complex_part::imaginary);
  EXPECT_EQ(real.type(), type_code::float32);
  EXPECT_EQ(real.layout(), layout::strided(extents{2, 3}, extents{-12, 4}, 12));
  EXPECT_EQ(imaginary.layout(), layout::strided(extents{2, 3}, extents{-12, 4}, 13));
  EXPECT_EQ(imaginary.owner(), a.owner());
}

TEST_F(reinterpreted_test, parts_of_read_only_elements_are_read_only) {
  const array a = new_array({3}, type_code::complex128).as_readonly();
  const array imaginary = usmx::part_view(a, usmx::complex_part::imaginary);
  EXPECT_EQ(imaginary.type(), type_code::float64);
  EXPECT_TRUE(imaginary.readonly());
}

}  // namespace
