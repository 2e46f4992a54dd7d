// usmx/layout/dtype.hpp: structured types as values, and every rule that their fields follow.
#include "usmx/layout/dtype.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/errors.hpp"

namespace {

using support::expect_error;
using usmx::dtype;
using usmx::field;
using usmx::type_code;
using usmx::value_error;

std::vector<field> pair_fields() {
  return {{"a", type_code::int8, {}, 0}, {"b", type_code::float64, {}, 8}};
}

void refuse(std::vector<field> fields, std::size_t itemsize,
            std::initializer_list<std::string> parts,
            std::source_location where = std::source_location::current()) {
  expect_error<value_error>([&] { dtype::structured(fields, itemsize); }, parts, where);
}

TEST(structure, properties_are_those_of_numpys_void_types) {
  const dtype type = dtype::structured(pair_fields(), 16);
  EXPECT_TRUE(type.is_structured());
  EXPECT_EQ(type.code(), type_code::structured);
  EXPECT_EQ(type.kind(), 'V');
  EXPECT_EQ(type.itemsize(), 16U);
  EXPECT_EQ(type.alignment(), 1U);
  EXPECT_EQ(type.typestr(), "|V16");
  EXPECT_EQ(type.name(), "void128");
}

TEST(structure, plain_types_have_no_fields) {
  EXPECT_FALSE(dtype(type_code::float64).is_structured());
  EXPECT_TRUE(dtype(type_code::float64).fields().empty());
  EXPECT_EQ(usmx::find_field(type_code::float64, "a"), nullptr);
}

TEST(structure, fields_are_kept_in_order_and_found_by_name) {
  const dtype type = dtype::structured(pair_fields(), 16);
  ASSERT_EQ(type.fields().size(), 2U);
  EXPECT_EQ(type.fields()[0], pair_fields()[0]);
  EXPECT_EQ(usmx::find_field(type, "b"), &type.fields()[1]);
  EXPECT_EQ(usmx::find_field(type, "c"), nullptr);
  EXPECT_EQ(usmx::find_field(type, ""), nullptr);
}

TEST(structure, equal_fields_make_equal_types) {
  EXPECT_EQ(dtype::structured(pair_fields(), 16), dtype::structured(pair_fields(), 16));
}

TEST(structure, types_differ_by_size_name_type_shape_and_offset) {
  const dtype type = dtype::structured(pair_fields(), 16);
  EXPECT_NE(type, dtype::structured(pair_fields(), 17));
  const auto changed = [](auto change) {
    auto fields = pair_fields();
    change(fields[0]);
    return dtype::structured(fields, 16);
  };
  EXPECT_NE(type, changed([](field& f) { f.name = "c"; }));
  EXPECT_NE(type, changed([](field& f) { f.type = type_code::uint8; }));
  EXPECT_NE(type, changed([](field& f) { f.shape = {1}; }));
  EXPECT_NE(type, changed([](field& f) { f.offset = 1; }));
  EXPECT_NE(type, dtype(type_code::float64));
}

TEST(structure, types_made_by_many_threads_at_once_are_equal) {
  std::vector<dtype> made(8, type_code::int8);
  {
    std::vector<std::jthread> threads;
    for (dtype& type : made) {
      threads.emplace_back(
          [&] { type = dtype::structured({{"of many threads", type_code::int16, {}, 0}}, 2); });
    }
  }
  for (const dtype type : made) EXPECT_EQ(type, made[0]);
}

TEST(structure, format_writes_every_gap_in_standard_sizes) {
  EXPECT_STREQ(dtype::structured(pair_fields(), 18).format(), "T{=b:a:7x=d:b:2x}");
  EXPECT_STREQ(dtype::structured({{"n", type_code::int64, {2, 3}, 1},
                                  {"u", type_code::uint64, {}, 49},
                                  {"z", type_code::complex64, {}, 57}},
                                 65)
                   .format(),
               "T{x(2,3)=q:n:=Q:u:=Zf:z:}");
}

TEST(structure, format_of_nested_structures_is_nested) {
  const dtype inner = dtype::structured(pair_fields(), 16);
  EXPECT_STREQ(dtype::structured({{"in", inner, {2}, 0}}, 32).format(),
               "T{(2)T{=b:a:7x=d:b:}:in:}");
}

TEST(structure, format_is_missing_where_a_name_cannot_be_written) {
  for (const std::string& name : {std::string("a:b"), std::string("a\0b", 3)}) {
    const dtype inner = dtype::structured({{name, type_code::int8, {}, 0}}, 1);
    EXPECT_EQ(inner.format(), nullptr);
    EXPECT_EQ(dtype::structured({{"in", inner, {}, 0}}, 1).format(), nullptr);
    EXPECT_EQ(support::text(inner), "void8");
  }
}

TEST(structure, streams_its_format) {
  EXPECT_EQ(support::text(dtype::structured(pair_fields(), 16)), "T{=b:a:7x=d:b:}");
}

TEST(structure, itemsize_outside_its_range_is_refused) {
  refuse({{"a", type_code::int8, {0}, 0}}, 0, {"1 to 2147483647", "found 0"});
  refuse(pair_fields(), usmx::max_structure_itemsize + 1, {"found 2147483648"});
}

TEST(structure, type_without_fields_is_refused) { refuse({}, 8, {"at least one named field"}); }

TEST(structure, empty_name_is_refused) {
  refuse({{"", type_code::int8, {}, 3}}, 4, {"byte 3", "empty"});
}

TEST(structure, name_that_is_there_twice_is_refused) {
  refuse({{"a", type_code::int8, {}, 0}, {"a", type_code::int8, {}, 1}}, 2, {"'a' twice"});
}

TEST(structure, fields_that_overlap_or_are_out_of_order_are_refused) {
  refuse({{"a", type_code::int32, {}, 0}, {"b", type_code::int32, {}, 3}}, 8, {"'b'", "byte 3"});
  refuse({{"a", type_code::int8, {}, 4}, {"b", type_code::int8, {}, 0}}, 8, {"'b'", "byte 0"});
}

TEST(structure, field_behind_the_end_is_refused) {
  refuse({{"a", type_code::int32, {}, 5}}, 8, {"'a'", "4 bytes at byte 5"});
  refuse({{"a", type_code::int8, {}, SIZE_MAX}}, 8, {"'a'"});
  refuse({{"a", type_code::int8, {9}, 0}}, 8, {"9 bytes"});
}

TEST(structure, shape_with_a_negative_or_too_large_extent_is_refused) {
  refuse({{"a", type_code::int8, {-1}, 0}}, 8, {"'a'", "(-1,)"});
  refuse({{"a", type_code::int8, {PTRDIFF_MAX, 2}, 0}}, 8, {"'a'", "9223372036854775807"});
  refuse({{"a", type_code::int8, {1 << 20, 1 << 20}, 0}}, 8, {"(1048576, 1048576)"});
  refuse({{"a", type_code::int8, std::vector<std::ptrdiff_t>(65, 1), 0}}, 8, {"64 extents"});
}

TEST(structure, field_without_elements_takes_no_bytes) {
  const dtype type =
      dtype::structured({{"none", type_code::int32, {0, 3}, 4}, {"a", type_code::int32, {}, 4}}, 8);
  EXPECT_EQ(usmx::checked_nbytes(type.fields()[0]), 0U);
}

// Last: what is used up stays used up for the whole process.
TEST(structure, process_keeps_a_bounded_amount_of_different_types) {
  const auto with_long_name = [](int k) {
    return dtype::structured(
        {{std::string(1 << 20, 'n') + std::to_string(k), type_code::int8, {}, 0}}, 1);
  };
  const dtype first = with_long_name(0);
  expect_error<usmx::allocation_error>(
      [&] {
        for (int k = 1; k < 64; ++k) with_long_name(k);
      },
      {"67108864 bytes"});
  EXPECT_EQ(with_long_name(0), first);
}

}  // namespace
