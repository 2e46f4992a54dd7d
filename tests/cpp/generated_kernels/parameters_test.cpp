#include "generated_kernels/source.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"

namespace {

using support::expect_error;
using usmx::dtype;
using usmx::value_error;
using usmx::detail::choose_types;
using usmx::detail::found_type;
using usmx::detail::generated_parameter;
using usmx::detail::named_type;
using usmx::detail::parse_parameters;
using usmx::detail::uses_name;

TEST(generated_parameters, are_pairs_of_type_and_name) {
  const std::vector<generated_parameter> all = parse_parameters("in", " T x,\n raw  f4 table ", "");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].type + all[0].name, "Tx");
  EXPECT_TRUE(all[0].is_variable());
  EXPECT_FALSE(all[0].is_raw);
  EXPECT_EQ(all[1].type + all[1].name, "float32table");
  EXPECT_FALSE(all[1].is_variable());
  EXPECT_TRUE(all[1].is_raw);
  EXPECT_TRUE(parse_parameters("in", " \n", "").empty());
}

TEST(generated_parameters, that_are_not_written_so_are_refused) {
  for (const char* wrong : {"T", "T x y", "T x,", ", T x", "rav T x", "T 1x", "T x-y", "raw x"}) {
    expect_error<value_error>(
        [&] { parse_parameters("in", wrong, ""); },
        {wrong == std::string("raw x") ? "the type of 'x'" : "in must be pairs of type and name"});
  }
  expect_error<value_error>([] { parse_parameters("in", "T i", ""); },
                            {"must not use the name 'i'"});
  expect_error<value_error>([] { parse_parameters("in", "T usmx_at", ""); }, {"name 'usmx_at'"});
  expect_error<value_error>([] { parse_parameters("in", "1 x", ""); },
                            {"must be a letter, found '1'"});
}

TEST(generated_parameters, structures_of_the_preamble_stand_for_one_structured_type) {
  const auto all =
      parse_parameters("in", "point p, raw point q, T x", "struct point { float x; };");
  EXPECT_TRUE(all[0].is_structure && all[1].is_structure && !all[2].is_structure);
  EXPECT_FALSE(all[0].is_variable());
  expect_error<value_error>([] { parse_parameters("in", "point p", "struct pointer {};"); },
                            {"a structure of the preamble, found 'point'"});
  const dtype four = dtype::structured({{"x", usmx::float32, {}, 0}}, 4);
  const dtype eight = dtype::structured({{"x", usmx::float64, {}, 0}}, 8);
  const std::optional<found_type> of_four = found_type{four, true};
  const std::optional<found_type> of_eight = found_type{eight, true};
  const std::optional<found_type> real = found_type{usmx::float32, true};
  EXPECT_EQ(choose_types("f", all, std::vector{of_four, {}, real}, {})[1], four);
  EXPECT_EQ(choose_types("f", all, std::vector<std::optional<found_type>>{{}, {}, real}, eight)[0],
            eight);
  const auto refuse = [&](std::vector<std::optional<found_type>> found, const char* message) {
    expect_error<usmx::type_error>([&] { choose_types("f", all, found, {}); }, {message});
  };
  refuse({of_four, of_eight, real}, "which is point by argument 'p'");
  refuse({real, of_four, real}, "argument 'p' must have elements of a structured type");
  refuse({of_four, of_four, of_four}, "argument 'x' must have elements of one of bool");
  refuse({{}, {}, real}, "the type point of 'p' is not known");
}

TEST(generated_parameters, types_have_numpys_names) {
  EXPECT_EQ(named_type("float32"), usmx::float32);
  EXPECT_EQ(named_type("c16"), usmx::complex128);
  EXPECT_EQ(named_type("float"), usmx::float64);
  EXPECT_EQ(named_type("int"), usmx::int64);
  EXPECT_EQ(named_type("float33"), std::nullopt);
  EXPECT_EQ(named_type(""), std::nullopt);
}

TEST(generated_parameters, names_are_whole_words) {
  EXPECT_TRUE(uses_name("i", "y = i"));
  EXPECT_TRUE(uses_name("i", "x[i]"));
  EXPECT_FALSE(uses_name("i", "y = sin(pi) + i2 + _i"));
  EXPECT_FALSE(uses_name("i", ""));
}

TEST(generated_parameters, numbers_name_the_widest_kind) {
  const auto parameters = parse_parameters("in", "T x, T y, T out", "");
  const std::optional<found_type> integer = found_type{usmx::int64, false};
  const std::optional<found_type> real = found_type{usmx::float64, false};
  const std::optional<found_type> some = found_type{usmx::float32, true};
  const std::optional<found_type> none;
  EXPECT_EQ(choose_types("f", parameters, std::vector{integer, real, none}, {}).back(),
            usmx::float64);
  EXPECT_EQ(choose_types("f", parameters, std::vector{integer, some, none}, {}).back(),
            usmx::float32);
  EXPECT_EQ(choose_types("f", parameters, std::vector{integer, real, none}, usmx::int8).back(),
            usmx::int8);
}

}  // namespace
