// usmx/exchange/usm_array_interface.hpp: what a typedescr says, one test for each of its rules.
#include "usmx/exchange/usm_array_interface.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/errors.hpp"

namespace {

using support::expect_error;
using usmx::dtype;
using usmx::type_code;
using usmx::value_error;
using usmx::exchange::describe_type;
using usmx::exchange::is_structured_typestr;
using usmx::exchange::parse_typedescr;
using usmx::exchange::text;
using usmx::exchange::typedescr;

const typedescr padded = {{"a", "|i1", {}}, {"", "|V7", {}}, {"b", "<f8", {}}, {"", "|V2", {}}};

void refuse(std::string typestr, const typedescr& entries, std::initializer_list<std::string> parts,
            std::source_location where = std::source_location::current()) {
  expect_error<value_error>([&] { parse_typedescr(typestr, entries); }, parts, where);
  expect_error<value_error>([&] { parse_typedescr(typestr, entries); }, {typestr}, where);
}

TEST(typedescr, entries_without_a_name_are_padding) {
  EXPECT_EQ(
      parse_typedescr("|V18", padded),
      dtype::structured({{"a", type_code::int8, {}, 0}, {"b", type_code::float64, {}, 8}}, 18));
}

TEST(typedescr, nested_entries_and_shapes_are_types) {
  const dtype inner = dtype::structured({{"x", type_code::float32, {2, 3}, 0}}, 24);
  EXPECT_EQ(parse_typedescr("|V48", {{"in", typedescr{{"x", "<f4", {2, 3}}}, {2}}}),
            dtype::structured({{"in", inner, {2}, 0}}, 48));
}

TEST(typedescr, size_is_that_of_all_entries_where_no_typestr_says_it) {
  EXPECT_EQ(parse_typedescr(padded), parse_typedescr("|V18", padded));
}

TEST(typedescr, description_of_a_type_parses_back_to_it) {
  EXPECT_EQ(describe_type(parse_typedescr("|V18", padded)), padded);
  const typedescr nested = {{"in", padded, {3}}, {"c", "<c16", {}}};
  EXPECT_EQ(describe_type(parse_typedescr("|V70", nested)), nested);
}

TEST(typedescr, plain_type_has_no_description) {
  EXPECT_TRUE(describe_type(type_code::float64).empty());
}

TEST(typedescr, padding_may_come_in_pieces) {
  EXPECT_EQ(parse_typedescr("|V4", {{"", "|V1", {}}, {"", "|V2", {}}, {"a", "|u1", {}}}),
            parse_typedescr("|V4", {{"", "|V3", {}}, {"a", "|u1", {}}}));
}

TEST(typedescr, every_native_prefix_of_the_typestr_is_accepted) {
  for (const char* typestr : {"V18", "|V18", "=V18", "<V18"}) {
    EXPECT_TRUE(is_structured_typestr(typestr));
    EXPECT_EQ(parse_typedescr(typestr, padded).itemsize(), 18U) << typestr;
  }
  EXPECT_FALSE(is_structured_typestr("<f8"));
  EXPECT_FALSE(is_structured_typestr(""));
}

TEST(typedescr, typestr_without_a_proper_size_is_refused) {
  for (const char* typestr : {"V", "|V", "|V0", "|V018", "|V+18", "|V-1", "|V18 ", "|V1x", ">V18",
                              "||V18", "|V2147483648", "|V99999999999999999999", "<f8"}) {
    refuse(typestr, padded, {"'typestr'"});
  }
}

TEST(typedescr, entries_that_do_not_add_up_are_refused_naming_both) {
  refuse("|V17", padded, {"'|V17'", "('b', '<f8')", "18 bytes"});
  refuse("|V8", {}, {"0 bytes", "[]"});
}

TEST(typedescr, unknown_type_is_refused_naming_the_field) {
  for (const char* typestr : {"<f16", "|O", "|S3", "<M8", ">f8", "|V8", "", "float32"}) {
    refuse("|V8", {{"odd", typestr, {}}}, {"field 'odd'", "'typestr'"});
  }
}

TEST(typedescr, unknown_type_inside_is_refused_naming_both_fields) {
  refuse("|V8", {{"outer", typedescr{{"inner", "|O", {}}}, {}}},
         {"field 'outer'", "field 'inner'"});
}

TEST(typedescr, name_that_is_there_twice_is_refused) {
  refuse("|V2", {{"a", "|i1", {}}, {"a", "|i1", {}}}, {"'a' twice"});
}

TEST(typedescr, entry_without_a_name_that_is_no_padding_is_refused) {
  refuse("|V8", {{"", "<f8", {}}}, {"padding", "('', '<f8')"});
  refuse("|V8", {{"", "|V4", {2}}}, {"padding"});
  refuse("|V8", {{"", padded, {}}}, {"padding"});
}

TEST(typedescr, padding_alone_is_refused) {
  refuse("|V8", {{"", "|V8", {}}}, {"at least one named field"});
}

TEST(typedescr, negative_extent_is_refused) { refuse("|V8", {{"a", "|i1", {-8}}}, {"(-8,)"}); }

TEST(typedescr, entries_that_are_too_large_together_are_refused) {
  refuse("|V8", {{"", "|V2147483647", {}}, {"", "|V2147483647", {}}}, {"2147483647 bytes"});
}

TEST(typedescr, deep_nesting_is_refused) {
  const auto nested = [](int depth) {
    typedescr entries = {{"a", "|i1", {}}};
    for (int k = 1; k < depth; ++k) entries = {{"a", entries, {}}};
    return entries;
  };
  EXPECT_EQ(parse_typedescr("|V1", nested(usmx::exchange::max_typedescr_depth)).itemsize(), 1U);
  refuse("|V1", nested(usmx::exchange::max_typedescr_depth + 1), {"at most 16 deep"});
}

TEST(typedescr, text_is_that_of_python) {
  EXPECT_EQ(text({{"a", "|i1", {}}, {"", "|V2", {}}, {"n", typedescr{{"x", "<f4", {2}}}, {3, 4}}}),
            "[('a', '|i1'), ('', '|V2'), ('n', [('x', '<f4', (2,))], (3, 4))]");
  EXPECT_LT(text(typedescr(1000, {"a", "|i1", {}})).size(), 1100U);
}

}  // namespace
