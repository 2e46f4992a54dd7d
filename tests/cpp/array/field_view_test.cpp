// usmx/array/reinterpreted.hpp: a view of one field is where the field is, or there is none.
#include "usmx/array/reinterpreted.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::dtype;
using usmx::field_view;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using usmx::value_error;
using extents = std::vector<std::ptrdiff_t>;

class field_view_test : public support::device_test {
 protected:
  /// 16 bytes: a byte, and a number of 8 bytes at byte 8.
  static dtype aligned() {
    return dtype::structured({{"a", type_code::int8, {}, 0}, {"b", type_code::float64, {}, 8}}, 16);
  }
  static dtype packed() {
    return dtype::structured({{"a", type_code::int8, {}, 0}, {"b", type_code::float64, {}, 1}}, 9);
  }
  static array new_array(const extents& shape, dtype type) {
    return usmx::empty(shape, type, queue(), usm_kind::shared);
  }
};

TEST_F(field_view_test, view_has_the_fields_type_place_and_strides) {
  const array a = new_array({3, 2}, aligned());
  const array b = field_view(a, "b");
  EXPECT_EQ(b.type(), type_code::float64);
  EXPECT_EQ(b.owner(), a.owner());
  EXPECT_EQ(b.layout(), layout::strided(extents{3, 2}, extents{4, 2}, 1));
  EXPECT_EQ(field_view(a, "a").layout(), layout::strided(extents{3, 2}, extents{32, 16}));
}

TEST_F(field_view_test, view_of_a_slice_starts_where_the_slice_does) {
  const array a = new_array({5}, aligned());
  const array reversed = a.with_layout(layout::strided(extents{2}, extents{-2}, 3));
  EXPECT_EQ(field_view(reversed, "b").layout(), layout::strided(extents{2}, extents{-4}, 7));
}

TEST_F(field_view_test, shape_of_the_field_comes_last) {
  const dtype type = dtype::structured({{"m", type_code::int16, {2, 3}, 2}}, 16);
  EXPECT_EQ(field_view(new_array({4}, type), "m").layout(),
            layout::strided(extents{4, 2, 3}, extents{8, 3, 1}, 1));
}

TEST_F(field_view_test, field_without_elements_gives_an_array_without_elements) {
  const dtype type = dtype::structured({{"m", type_code::int16, {0, 3}, 2}}, 16);
  EXPECT_EQ(field_view(new_array({4}, type), "m").shape()[1], 0);
  EXPECT_EQ(field_view(new_array({4}, type), "m").size(), 0);
}

TEST_F(field_view_test, nested_structure_is_structured) {
  const dtype type = dtype::structured({{"in", aligned(), {2}, 16}}, 48);
  const array in = field_view(new_array({4}, type), "in");
  EXPECT_EQ(in.type(), aligned());
  EXPECT_EQ(in.layout(), layout::strided(extents{4, 2}, extents{3, 1}, 1));
  EXPECT_EQ(field_view(in, "b").layout(), layout::strided(extents{4, 2}, extents{6, 2}, 3));
}

TEST_F(field_view_test, several_fields_leave_the_others_as_padding) {
  const array a = new_array({3, 2}, aligned());
  const std::string_view names[] = {"b"};
  const array b = fields_view(a, names);
  EXPECT_EQ(b.type(), dtype::structured({{"b", type_code::float64, {}, 8}}, 16));
  EXPECT_EQ(b.layout(), a.layout());
  EXPECT_TRUE(b.readonly());
}

TEST_F(field_view_test, several_fields_are_named_in_their_order) {
  const array a = new_array({3}, aligned());
  const std::string_view reordered[] = {"b", "a"};
  expect_error<value_error>([&] { fields_view(a, reordered); }, {"'a' after 'b'"});
  const std::string_view unknown[] = {"a", "c"};
  expect_error<usmx::index_error>([&] { fields_view(a, unknown); }, {"no field 'c'"});
}

TEST_F(field_view_test, read_only_array_has_read_only_fields) {
  EXPECT_TRUE(field_view(new_array({3}, aligned()).as_readonly(), "b").readonly());
  EXPECT_FALSE(field_view(new_array({3}, aligned()), "b").readonly());
}

TEST_F(field_view_test, stride_that_is_no_whole_number_of_elements_is_refused) {
  const dtype type = dtype::structured({{"f", type_code::float32, {}, 0}}, 9);
  expect_error<value_error>([&] { field_view(new_array({2}, type), "f"); },
                            {"'f'", "item size 4", "offset 0", "strides (9,)"});
}

TEST_F(field_view_test, offset_that_is_no_whole_number_of_elements_is_refused) {
  expect_error<value_error>([&] { field_view(new_array({}, packed()), "b"); },
                            {"'b'", "item size 8", "offset 1", "strides ()"});
}

TEST_F(field_view_test, strides_that_reach_no_element_may_be_anything) {
  const array one = new_array({1}, dtype::structured({{"f", type_code::float64, {}, 0}}, 9));
  EXPECT_EQ(field_view(one, "f").layout(), layout::strided(extents{1}, extents{0}));
  const array none = new_array({0, 3}, packed());
  EXPECT_EQ(field_view(none, "b").shape()[1], 3);
  const auto far = layout::strided(extents{0, 3}, extents{PTRDIFF_MAX, 7}, PTRDIFF_MIN);
  EXPECT_EQ(field_view(none.with_layout(far), "b").size(), 0);
}

TEST_F(field_view_test, field_that_is_not_aligned_in_memory_is_refused) {
  const array bytes = new_array({25}, type_code::uint8);
  auto shifted = std::make_shared<usmx::buffer>(
      usmx::buffer::part_of(bytes.owner(), bytes.owner()->data() + 1, 16, false, {}));
  const array a(shifted, aligned(), layout::c_order(extents{1}));
  expect_error<value_error>([&] { field_view(a, "b"); }, {"aligned to 8"});
}

TEST_F(field_view_test, field_that_does_not_exist_is_an_index_error) {
  expect_error<usmx::index_error>([&] { field_view(new_array({3}, aligned()), "c"); },
                                  {"'c'", "T{=b:a:7x=d:b:}"});
  expect_error<usmx::index_error>([&] { field_view(new_array({3}, type_code::int8), "c"); },
                                  {"int8"});
}

}  // namespace
