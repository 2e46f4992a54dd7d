#include "compute/elementwise.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <thread>
#include <vector>

#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using usmx::dtype;
using usmx::type_code;
using usmx::type_support;
using usmx::internal::elementwise_types;
using usmx::internal::function_named;
using usmx::internal::function_row;
using usmx::internal::operand_kind;
using usmx::internal::plan_for;

constexpr operand_kind int_number{type_code::int64, true};
constexpr operand_kind float_number{type_code::float64, true};

constexpr operand_kind elements(dtype type) { return {type.code(), false}; }

elementwise_types types(const char* name, std::initializer_list<operand_kind> kinds,
                        type_support has = {}) {
  return usmx::internal::types_of(function_named(name), std::vector(kinds), has);
}

std::string operation(const char* name, std::initializer_list<operand_kind> kinds,
                      std::optional<dtype> into = {}) {
  const elementwise_types found = types(name, kinds);
  return usmx::internal::operation_of(function_named(name), found,
                                      into ? into->code() : found.result);
}

TEST(elementwise_test, operands_of_several_types_are_promoted) {
  const elementwise_types found = types("add", {elements(usmx::int32), elements(usmx::float32)});
  EXPECT_EQ(found.inputs[0], type_code::int32);
  EXPECT_EQ(found.inputs[1], type_code::float32);
  EXPECT_EQ(found.computed, type_code::float64);
  EXPECT_EQ(found.result, type_code::float64);
}

TEST(elementwise_test, functions_of_real_numbers_convert_integers) {
  EXPECT_EQ(types("sqrt", {elements(usmx::int32)}).result, type_code::float64);
  EXPECT_EQ(types("divide", {elements(usmx::bool_), int_number}).result, type_code::float64);
  EXPECT_EQ(types("sqrt", {elements(usmx::int32)}, {.fp16 = true, .fp64 = false}).result,
            type_code::float32);
}

TEST(elementwise_test, devices_without_a_type_compute_in_the_nearest_one) {
  constexpr type_support none{.fp16 = false, .fp64 = false};
  EXPECT_EQ(types("add", {elements(usmx::int8), float_number}, none).result, type_code::float32);
  EXPECT_EQ(types("add", {elements(usmx::int64), elements(usmx::complex64)}, none).result,
            type_code::complex64);
}

TEST(elementwise_test, rules_decide_on_the_type_of_the_result) {
  EXPECT_EQ(types("abs", {elements(usmx::complex64)}).result, type_code::float32);
  EXPECT_EQ(types("less", {elements(usmx::int8), elements(usmx::float32)}).result,
            type_code::bool_);
  EXPECT_EQ(types("add", {elements(usmx::float16), int_number}).computed, type_code::float32);
  EXPECT_EQ(types("add", {elements(usmx::float16), int_number}).result, type_code::float16);
  EXPECT_EQ(types("nextafter", {elements(usmx::float16), elements(usmx::float16)}).computed,
            type_code::float16);
}

TEST(elementwise_test, conditions_take_no_part_in_promotion) {
  const elementwise_types found =
      types("where", {elements(usmx::complex128), elements(usmx::int8), int_number});
  EXPECT_EQ(found.inputs[0], type_code::complex128);
  EXPECT_EQ(found.inputs[2], type_code::int8);
  EXPECT_EQ(found.result, type_code::int8);
  EXPECT_EQ(types("where", {int_number, elements(usmx::int8), int_number}).inputs[0],
            type_code::bool_);
}

TEST(elementwise_test, types_without_an_expression_are_refused) {
  expect_error<usmx::type_error>([] { types("floor", {elements(usmx::complex64)}); },
                                 {"floor is not defined for elements of type complex64"});
  expect_error<usmx::type_error>([] { types("add", {{type_code::structured, false}, int_number}); },
                                 {"add is not defined for structured elements"});
}

TEST(elementwise_test, operations_convert_operands_and_outputs) {
  EXPECT_EQ(operation("add", {elements(usmx::float32), float_number}),
            "using C = float;\nconst C a = C(x1);\nconst C b = C(x2);\nout = float(a + b)");
  EXPECT_EQ(operation("add", {elements(usmx::float16), elements(usmx::float16)}),
            "using C = float;\nconst C a = C(float(x1));\nconst C b = C(float(x2));\n"
            "out = half(a + b)");
  EXPECT_EQ(operation("sqrt", {elements(usmx::float32)}, usmx::complex64),
            "using C = float;\nconst C a = C(x);\nout = converted<complex<float>>(float(root(a)))");
  EXPECT_EQ(operation("where", {elements(usmx::bool_), elements(usmx::int8), int_number}),
            "using C = int8_t;\nconst C a = C(x);\nconst C b = C(y);\n"
            "out = int8_t(is_nonzero(condition) ? a : b)");
}

TEST(elementwise_test, integers_are_compared_as_they_are) {
  EXPECT_EQ(operation("less", {elements(usmx::int8), elements(usmx::uint64)}),
            "using C = double;\nout = bool(is_less(x1, x2))");
  EXPECT_EQ(operation("less", {elements(usmx::int8), elements(usmx::float32)}),
            "using C = float;\nconst C a = C(x1);\nconst C b = C(x2);\nout = bool(a < b)");
}

TEST(elementwise_test, plans_are_made_once) {
  const std::vector kinds{elements(usmx::int32), int_number};
  const auto plan = plan_for(function_named("add"), kinds, std::nullopt, {});
  EXPECT_EQ(plan_for(function_named("add"), kinds, std::nullopt, {}), plan);
  EXPECT_NE(plan_for(function_named("add"), kinds, type_code::int64, {}), plan);
  EXPECT_NE(plan_for(function_named("add"), kinds, std::nullopt, {.fp16 = false}), plan);
  EXPECT_NE(plan_for(function_named("subtract"), kinds, std::nullopt, {}), plan);
  const std::vector arrays{elements(usmx::int32), elements(usmx::int64)};
  EXPECT_NE(plan_for(function_named("add"), arrays, std::nullopt, {}), plan);
}

TEST(elementwise_test, each_row_has_plans_of_its_own) {
  for (const function_row& row : usmx::internal::function_rows()) {
    for (int first = 0; first < usmx::type_count; ++first) {
      const std::vector kinds(row.operand_count(), elements(static_cast<type_code>(first)));
      try {
        const auto plan = plan_for(row, kinds, std::nullopt, {});
        ASSERT_EQ(plan->kernel.name(), row.name);
        ASSERT_EQ(plan->kernel.input_count(), row.operand_count());
        ASSERT_EQ(plan->types.inputs[0], kinds[0].type);
      } catch (const usmx::type_error&) {  // a type that the function is not defined for
      }
    }
  }
}

TEST(elementwise_test, outputs_of_a_lower_kind_are_refused) {
  const std::vector kinds{elements(usmx::float32)};
  EXPECT_NE(plan_for(function_named("sqrt"), kinds, std::nullopt, {}), nullptr);
  expect_error<usmx::type_error>(
      [&] { plan_for(function_named("sqrt"), kinds, type_code::int32, {}); },
      {"sqrt: a result of type float32 cannot be written to an array of type int32"});
  expect_error<usmx::type_error>(
      [&] { plan_for(function_named("sqrt"), kinds, type_code::structured, {}); },
      {"cannot be written to an array of structured elements"});
}

/// Asks for more plans than are kept.
void ask_for_many_plans() {
  for (const char* name : {"add", "multiply", "maximum", "minimum", "equal", "less"}) {
    for (int first = 0; first < usmx::type_count; ++first) {
      for (int second = 0; second < usmx::type_count; ++second) {
        const std::vector kinds{elements(static_cast<type_code>(first)),
                                elements(static_cast<type_code>(second))};
        EXPECT_NE(plan_for(function_named(name), kinds, std::nullopt, {}), nullptr);
      }
    }
  }
}

TEST(elementwise_test, number_of_plans_has_a_bound) {
  const std::vector kinds{elements(usmx::float32)};
  const auto held = plan_for(function_named("sin"), kinds, std::nullopt, {});
  ask_for_many_plans();
  EXPECT_EQ(usmx::internal::plan_count(), usmx::internal::max_plans);
  EXPECT_EQ(held->types.result, type_code::float32);
  EXPECT_NE(plan_for(function_named("sin"), kinds, std::nullopt, {}), held);
}

TEST(elementwise_test, threads_share_the_plans) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back(ask_for_many_plans);
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(usmx::internal::plan_count(), usmx::internal::max_plans);
}

TEST(table_test, rows_are_found_by_their_names) {
  for (const function_row& row : usmx::internal::function_rows()) {
    EXPECT_EQ(&function_named(row.name), &row);
    EXPECT_FALSE(row.summary.empty());
    EXPECT_LE(row.operand_count(), usmx::internal::max_function_operands);
  }
  expect_error<usmx::value_error>([] { function_named("median"); },
                                  {"usmx has no function 'median'"});
}

TEST(table_test, device_texts_are_found_by_their_names) {
  EXPECT_NE(usmx::internal::device_text("device_functions.hpp").find("wrapping_add"),
            std::string_view::npos);
  expect_error<usmx::value_error>([] { usmx::internal::device_text("other.hpp"); },
                                  {"compute/device has no file 'other.hpp'"});
}

}  // namespace
