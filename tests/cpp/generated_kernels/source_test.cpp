// generated_kernels/source.hpp for CUDA devices: NVIDIA's compiler takes the source, and needs no
// such device. That kernels compute what they should is tested where there is a device.
#include "generated_kernels/source.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/compile/compiler.hpp"
#include "kernels/compile/program.hpp"
#include "support/draws.hpp"
#include "usmx/kernels/compile.hpp"

namespace {

using usmx::dtype;
using usmx::detail::cpp_name;
using usmx::detail::elementwise_source;
using usmx::detail::loop_form;
using usmx::detail::loop_kind;
using usmx::detail::reduction_form;
using usmx::detail::reduction_source;
using usmx::detail::source_parameter;
using usmx::detail::step;

const std::vector<dtype> types{usmx::float32, usmx::float64, usmx::float16,  usmx::int64,
                               usmx::int8,    usmx::bool_,   usmx::complex64};

source_parameter input(const std::string& name, dtype type) {
  return {name, cpp_name(type), "T", false, true, 0, false};
}
source_parameter output(const std::string& name, dtype type) {
  return {name, cpp_name(type), "T", true, true, 0, false};
}

class generated_source_test : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      usmx::detail::find_nvrtc(13, 90);
    } catch (const usmx::compile_error& missing) {
      GTEST_SKIP() << missing.what();
    }
  }

  static void expect_compiles(const std::string& source, const std::vector<std::string>& kernels,
                              std::vector<std::pair<std::string, std::string>> written,
                              const std::string& preamble = "", bool debug = false) {
    for (auto& [name, text] : written) {
      const bool is_expression = name != "operation" && name != "post_map_expr";
      text = is_expression ? usmx::detail::ended_expression(name, text)
                           : usmx::detail::ended_statements(name, text);
    }
    written.emplace_back("usmx_loop.hpp", usmx::detail::loop_header);
    written.emplace_back("usmx_words.hpp", usmx::detail::words_header);
    written.emplace_back("preamble", preamble);
    const usmx::detail::cuda_target target{usmx::detail::find_nvrtc(13, 90), 90};
    EXPECT_NO_THROW(
        usmx::detail::compile(usmx::detail::make_program(
                                  source, kernels, {.headers = std::move(written), .debug = debug}),
                              target, {}))
        << source;
  }
};

TEST_F(generated_source_test, elementwise_kernels_of_every_form_compile) {
  std::size_t number = 0;
  for (const dtype type : types) {
    using enum step;
    for (const loop_form& form : {
             loop_form{loop_kind::flat, 1, 0, 1, {adjacent, repeated, adjacent}},
             loop_form{loop_kind::flat, 1, 0, 4, {adjacent, repeated, adjacent}},
             loop_form{loop_kind::rows, 2, 0, 1, {near, strided, adjacent}},
             loop_form{loop_kind::rows, 2, 0, 4, {near, strided, adjacent}},
             loop_form{loop_kind::rows, 8, 0, 4, {every_other, every_other, adjacent}},
             loop_form{loop_kind::tiles, 2, 64, 1, {transposed, adjacent, adjacent}},
             loop_form{loop_kind::tiles, 2, 64, 4, {transposed, adjacent, adjacent}},
             loop_form{loop_kind::tiles, 3, 32, 4, {turned, transposed, adjacent}},
         }) {
      if (!support::is_drawn(number++)) {
        continue;
      }
      const std::vector parameters{input("x", type), input("y", type), output("z", type)};
      expect_compiles(elementwise_source("f", parameters, form, false), {"f"},
                      {{"operation", "z = x + y"}});
    }
  }
}

TEST_F(generated_source_test, index_numbers_functions_and_raw_arrays_compile) {
  const std::vector<source_parameter> parameters{
      {"x", "float", "", false, true, 0, false}, {"a", "double", "T", false, false, 0, false},
      {"r", "float", "", false, true, 2, true},  {"s", "float", "", false, true, 3, false},
      {"w", "int", "", true, true, 1, false},    {"z", "double", "T", true, true, 0, false}};
  for (const bool debug : {false, true}) {
    expect_compiles(
        elementwise_source("f", parameters, {loop_kind::rows, 2, 0, 4, {}}, true), {"f"},
        {{"operation",
          "z = sqrt(x) + pow(a, 2.0) + i + r[i] + r(0, 1) + s[i]; usmx::atomic_add(w[i], 1); "
          "printf(\"%ld\", i)"}},
        "", debug);
  }
}

TEST_F(generated_source_test, structures_as_elements_compile_in_every_form) {
  const std::vector<source_parameter> parameters{{"p", "point", "", false, true, 0, false},
                                                 {"r", "point", "", false, true, 2, false},
                                                 {"q", "point", "", true, true, 0, false}};
  using enum step;
  for (const loop_form& form : {
           loop_form{loop_kind::flat, 1, 0, 1, {}},
           loop_form{loop_kind::flat, 1, 0, 4, {}},
           loop_form{loop_kind::rows, 2, 0, 4, {near, adjacent}},
           loop_form{loop_kind::tiles, 2, 32, 4, {transposed, adjacent}},
       }) {
    expect_compiles(elementwise_source("f", parameters, form, false), {"f"},
                    {{"operation", "q = p; q.x += r[2].x"}}, "struct point { float x; double y; };",
                    true);
  }
}

TEST_F(generated_source_test, reductions_of_every_form_compile) {
  std::size_t number = 0;
  for (const dtype type : types) {
    using enum step;
    for (const reduction_form& form : {
             reduction_form{false, false, 1, 1, 16, {adjacent}},
             reduction_form{false, false, 1, 1, 512, {adjacent}},
             reduction_form{false, false, 3, 2, 8, {strided}},
             reduction_form{true, false, 2, 2, 1, {near}},
             reduction_form{false, true, 1, 1, 16, {adjacent}},
             reduction_form{false, true, 3, 2, 8, {strided}},
             reduction_form{true, true, 2, 2, 1, {near}},
         }) {
      const std::vector parameters{input("x", type), output("y", type)};
      for (const std::string& block : {std::string(), cpp_name(type)}) {
        if (!support::is_drawn(number++)) {
          continue;
        }
        expect_compiles(
            reduction_source("f", parameters, form, {cpp_name(type), block}, {}),
            form.is_whole ? std::vector<std::string>{"f"} : std::vector<std::string>{"f", "f_end"},
            {{"map_expr", "x * x"},
             {"reduce_expr", "a + b"},
             {"post_map_expr", "y = a"},
             {"identity", "0"}});
      }
    }
  }
}

TEST_F(generated_source_test, structures_places_and_numbers_of_a_reduction_compile) {
  const std::vector parameters{
      input("x", usmx::float32), source_parameter{"s", "float", "T", false, false, 0, false},
      source_parameter{"r", "float", "", false, true, 2, true}, output("y", usmx::float32)};
  for (const bool debug : {false, true}) {
    for (const bool is_whole : {false, true}) {
      expect_compiles(
          reduction_source("f", parameters, {false, is_whole, 1, 1, 16, {}}, {"best", ""},
                           {true, true}),
          is_whole ? std::vector<std::string>{"f"} : std::vector<std::string>{"f", "f_end"},
          {{"map_expr", "best{x * s, i}"},
           {"reduce_expr", "a.value < b.value ? b : a"},
           {"post_map_expr", "if (n > 2) return; y = a.place * s + r[0]"},
           {"identity", "best{0, -1}"}},
          "struct best { float value; long place; };", debug);
    }
  }
}

}  // namespace
