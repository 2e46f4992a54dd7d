#include "usmx/generated_kernels/generated_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/current_resource.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::elementwise_kernel;
using usmx::kernel_argument;

using floats = std::vector<float>;
using shape = std::vector<std::ptrdiff_t>;

class elementwise_kernel_test : public support::device_test {
 protected:
  /// 0, 1, 2, ...
  static array ramp(const shape& extents, const sycl::queue& where = queue()) {
    const elementwise_kernel count("", "T out", "out = i");
    return count.call({}, {.type = usmx::float32, .queue = &where}, extents)[0];
  }
  static elementwise_kernel axpy() {
    return {"T a, T x, T y", "T out", "out = a * x + y", {.name = "axpy"}};
  }
  static shape shape_of(const array& a) { return {a.shape().begin(), a.shape().end()}; }
};

TEST_F(elementwise_kernel_test, arrays_of_different_layouts_are_broadcast_together) {
  const array x = ramp({2, 3});
  const array row = ramp({3}).slice(usmx::range(2, usmx::index_item::none, -1));
  const array z = axpy()(10, x, row);
  EXPECT_EQ(shape_of(z), (shape{2, 3}));
  EXPECT_EQ(usmx::to_vector<float>(z), (floats{2, 11, 20, 32, 41, 50}));
}

TEST_F(elementwise_kernel_test, outputs_that_are_given_are_written) {
  const elementwise_kernel both("T x", "T y, int32 z", "y = -x; z = int(x) % 2");
  const array x = ramp({4});
  const array z = usmx::empty({4}, usmx::int32, queue());
  const std::vector<array> results =
      both.call(std::array{kernel_argument(x)}, {.outputs = {std::nullopt, z}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].owner(), z.owner());
  EXPECT_EQ(usmx::to_vector<float>(results[0]), (floats{0, -1, -2, -3}));
  EXPECT_EQ(usmx::to_vector<int>(z), (std::vector<int>{0, 1, 0, 1}));
}

TEST_F(elementwise_kernel_test, queues_that_the_program_drops_end) {
  const elementwise_kernel count("", "T out", "out = i");
  using implementation = std::remove_cvref_t<decltype(sycl::detail::getSyclObjImpl(queue()))>;
  std::vector<std::weak_ptr<implementation::element_type>> queues;
  for (int k = 0; k < 300; ++k) {
    sycl::queue own(queue().get_context(), device());
    count.call({}, {.type = usmx::float32, .queue = &own}, shape{2});
    own.wait();  // or else Intel's driver may stand still (docs/decisions.md, 227)
    queues.push_back(sycl::detail::getSyclObjImpl(own));
  }
  // Some memory may wait for its work, and usmx remembers the queues that it met last.
  usmx::synchronize();
  usmx::empty_cache();
  EXPECT_LE(std::ranges::count_if(queues, [](const auto& each) { return !each.expired(); }), 8);
}

TEST_F(elementwise_kernel_test, output_may_be_an_input) {
  const array x = ramp({2, 3});
  const elementwise_kernel twice("T x", "T y", "y = 2 * x");
  twice.call(std::array{kernel_argument(x)}, {.outputs = {x}});
  EXPECT_EQ(usmx::to_vector<float>(x), (floats{0, 2, 4, 6, 8, 10}));
}

TEST_F(elementwise_kernel_test, outputs_may_follow_the_inputs) {
  const elementwise_kernel add("T x, T y", "T out", "out = x + y");
  const array x = ramp({4});
  const array out = usmx::empty({4}, usmx::float32, queue());
  EXPECT_EQ(add(x, x, out).owner(), out.owner());
  EXPECT_EQ(usmx::to_vector<float>(out), (floats{0, 2, 4, 6}));
}

TEST_F(elementwise_kernel_test, outputs_stand_in_one_place) {
  const elementwise_kernel add("T x, T y", "T out", "out = x + y", {.name = "add"});
  const array x = ramp({4});
  const array out = usmx::empty({4}, usmx::float32, queue());
  for (const std::vector<kernel_argument>& given :
       {std::vector<kernel_argument>{x}, std::vector<kernel_argument>{x, x, out}}) {
    expect_error<usmx::type_error>([&] { add.call(given, {.outputs = {out}}); },
                                   {"add takes 2 inputs where the options have the outputs"});
  }
}

TEST_F(elementwise_kernel_test, raw_output_that_overlaps_an_argument_is_computed_apart) {
  constexpr std::ptrdiff_t n = 100'000;
  const elementwise_kernel from_raw("raw T x", "raw T out", "out[i] = x[x.size() - 1 - i]");
  const elementwise_kernel from_element("T x", "raw T out", "out[out.size() - 1 - i] = x");
  for (const bool is_raw : {true, false}) {
    for (const bool is_shifted : {true, false}) {
      const array all = ramp({n + 1});
      const array x = all.slice(usmx::range(0, n));
      const array out = is_shifted ? all.slice(usmx::range(1, n + 1)) : x;
      const std::array arguments{kernel_argument(x), kernel_argument(out)};
      const std::vector<array> results =
          is_raw ? from_raw.call(arguments, {}, {{n}}) : from_element.call(arguments);
      EXPECT_EQ(results[0].layout(), out.layout());
      const floats found = usmx::to_vector<float>(out);
      for (std::ptrdiff_t k = 0; k < n; ++k) {
        ASSERT_EQ(found[static_cast<std::size_t>(k)], static_cast<float>(n - 1 - k)) << k;
      }
    }
  }
}

TEST_F(elementwise_kernel_test, elements_that_a_separate_raw_output_lacks_stay) {
  const elementwise_kernel first("raw T x", "raw T out", "if (i == 0) { out[0] = x[3] + 1; }");
  const array x = ramp({4});
  first.call(std::array{kernel_argument(x), kernel_argument(x)}, {}, {{4}});
  EXPECT_EQ(usmx::to_vector<float>(x), (floats{4, 1, 2, 3}));
}

TEST_F(elementwise_kernel_test, result_has_fortran_order_if_all_inputs_have) {
  const array x = ramp({2, 3}).with_layout(usmx::transposed(ramp({2, 3}).layout()));
  const elementwise_kernel twice("T x", "T y", "y = 2 * x");
  EXPECT_TRUE(twice(x).layout().is_f_contiguous());
}

TEST_F(elementwise_kernel_test, raw_array_is_indexed_by_the_operation) {
  const elementwise_kernel mirror("raw T x", "T out", "out = x[x.size() - 1 - i]");
  const array x = ramp({2, 3});
  EXPECT_EQ(usmx::to_vector<float>(mirror.call(std::array{kernel_argument(x)}, {}, {{6}})[0]),
            (floats{5, 4, 3, 2, 1, 0}));
  expect_error<usmx::value_error>([&] { mirror(x); },
                                  {"expected a size, since all arrays are raw"});
}

TEST_F(elementwise_kernel_test, complex_numbers_are_arguments) {
  const elementwise_kernel turn("complex64 z, complex64 by", "complex64 out", "out = z * by");
  const array z = usmx::empty({1}, usmx::complex64, queue());
  usmx::fill(z, std::complex<float>(1, 2));
  EXPECT_EQ(usmx::to_vector<std::complex<float>>(turn(z, std::complex<float>(0, 1)))[0],
            std::complex<float>(-2, 1));
}

TEST_F(elementwise_kernel_test, several_threads_may_call_it_first) {
  const elementwise_kernel twice("T x", "T y", "y = 2 * x");
  const array x = ramp({64});
  std::vector<floats> found(4);
  std::vector<std::thread> threads;
  for (floats& each : found) {
    threads.emplace_back([&] { each = usmx::to_vector<float>(twice(x)); });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  for (const floats& each : found) {
    EXPECT_EQ(each[63], 126);
  }
}

TEST_F(elementwise_kernel_test, warnings_are_told_once_for_what_is_compiled) {
  const elementwise_kernel warns("T x", "T y", "int unused = 1\n#warning here\n; y = x");
  int count = 0;
  const usmx::generated_call_options how{.warned = [&](const std::vector<usmx::diagnostic>& said) {
    count += 1;
    EXPECT_EQ(said[0].file, "operation");
    EXPECT_EQ(said[0].line, 2);
  }};
  const array x = ramp({4});
  warns.call(std::array{kernel_argument(x)}, how);
  warns.call(std::array{kernel_argument(x)}, how);
  EXPECT_EQ(count, 1);
}

TEST_F(elementwise_kernel_test, submit_gives_the_outputs_and_their_event) {
  const elementwise_kernel both("T x", "T y, T z", "if (x < 2) return; y = 2 * x; z = -x");
  const array x = ramp({4});
  const array z = ramp({4});
  usmx::generated_result first =
      both.submit(std::array{kernel_argument(x)}, {.outputs = {ramp({4}), z}});
  usmx::generated_result second =
      both.submit(std::array{kernel_argument(first.outputs[0])},
                  {.outputs = {ramp({4}), ramp({4})}, .after = {first.done}});
  second.done.wait();
  ASSERT_EQ(second.outputs.size(), 2u);
  EXPECT_EQ(first.outputs[1].owner(), z.owner());
  EXPECT_EQ(usmx::to_vector<float>(z), (floats{0, 1, -2, -3}));
  EXPECT_EQ(usmx::to_vector<float>(second.outputs[0]), (floats{0, 1, 8, 12}));
}

TEST_F(elementwise_kernel_test, event_of_an_output_that_is_computed_apart_is_that_of_the_copy) {
  const elementwise_kernel reverse("raw T x", "T y", "y = x[x.size() - 1 - i]");
  const array x = ramp({1000});
  usmx::generated_result result =
      reverse.submit(std::array{kernel_argument(x)}, {.outputs = {x}}, {{1000}});
  result.done.wait();
  EXPECT_EQ(usmx::to_vector<float>(result.outputs[0]).front(), 999);
}

TEST_F(elementwise_kernel_test, indices_of_raw_arrays_are_checked_if_that_is_asked_for) {
  const elementwise_kernel next("raw T x", "T y", "\ny = x[i + 1]",
                                {.name = "next", .debug = true});
  const array x = ramp({2, 3});
  const auto shifted = [&](std::ptrdiff_t count) {
    return next.call(std::array{kernel_argument(x)}, {}, {{count}})[0];
  };
  EXPECT_EQ(usmx::to_vector<float>(shifted(5)), (floats{1, 2, 3, 4, 5}));
  expect_error<usmx::index_error>([&] { shifted(6); },
                                  {"next(",
                                   "argument 1 (usmx::view<const float, 2>): operation:2: "
                                   "expected an index inside size 6, found 6"});
}

TEST_F(elementwise_kernel_test, structures_of_the_preamble_are_elements) {
  struct pair {
    float x;
    int k;
  };
  const usmx::dtype type = usmx::dtype::structured(
      {{"x", usmx::float32, {}, 0}, {"k", usmx::int32, {}, 4}}, sizeof(pair));
  const usmx::generation_options with_pair{.name = "number",
                                           .preamble = "struct pair { float x; int k; };"};
  const elementwise_kernel number("float32 x", "pair p", "p = {2 * x, int(i)}", with_pair);
  const elementwise_kernel sum("pair p, raw pair all", "float32 y", "y = p.x + all[0].k + all[2].k",
                               with_pair);
  const array pairs = number.call(std::array{kernel_argument(ramp({3}))}, {.type = type})[0];
  EXPECT_EQ(pairs.type(), type);
  EXPECT_EQ(usmx::to_vector<float>(sum(pairs, pairs)), (floats{2, 4, 6}));
  const usmx::dtype other = usmx::dtype::structured({{"x", usmx::float32, {}, 0}}, 4);
  expect_error<usmx::type_error>(
      [&] { number.call(std::array{kernel_argument(ramp({3}))}, {.type = other}); },
      {"number: argument 'p' must have elements of 8 bytes, as pair has, found 4 bytes"});
}

// ---- what is refused

TEST_F(elementwise_kernel_test, types_are_compared) {
  const array x = ramp({3});
  expect_error<usmx::type_error>(
      [&] { axpy()(1, x, usmx::empty({3}, usmx::float64, queue())); },
      {"axpy: argument 'y' must have elements of float32, which is T by argument 'x', found "
       "float64"});
  expect_error<usmx::value_error>([&] { axpy()(1e39, x, x); },
                                  {"expected a number that float can"});
  expect_error<usmx::type_error>([&] { axpy()(1, x.data(), x); },
                                 {"argument 'x' must be an array in USM or a number, found a "
                                  "pointer"});
}

TEST_F(elementwise_kernel_test, arguments_are_counted) {
  const array x = ramp({3});
  expect_error<usmx::type_error>([&] { axpy()(1, x); }, {"axpy takes 3 inputs"});
  expect_error<usmx::value_error>(
      [&] { axpy().call(std::array{kernel_argument(x)}, {.outputs = {x, x}}); },
      {"axpy: expected 1 outputs, or none, found 2"});
  const elementwise_kernel both("T x", "T y, T z", "y = z = x", {.name = "both"});
  expect_error<usmx::type_error>([&] { both(x); }, {"both has 2 outputs"});
}

TEST_F(elementwise_kernel_test, arrays_on_two_queues_are_refused) {
  const array x = ramp({3});
  const array y = ramp({3}, new_queue());
  expect_error<usmx::placement_error>(
      [&] { axpy()(1, x, y); },
      {"axpy: arguments must be on the same queue, found argument 2 on <queue on '",
       " and argument 3 on <queue on '", "usmx::clone(array, queue) moves an array"});
}

TEST_F(elementwise_kernel_test, errors_name_the_line_of_the_operation) {
  const elementwise_kernel wrong("T x", "T y", "T z = x;\ny = nothing");
  try {
    wrong(ramp({3}));
    FAIL();
  } catch (const usmx::compile_error& failed) {
    EXPECT_EQ(failed.diagnostics()[0].file, "operation");
    EXPECT_EQ(failed.diagnostics()[0].line, 2);
  }
}

TEST_F(elementwise_kernel_test, parameters_are_checked) {
  expect_error<usmx::value_error>([] { elementwise_kernel("T", "T y", "y = x"); },
                                  {"in_params must be pairs of type and name"});
  expect_error<usmx::value_error>([] { elementwise_kernel("T x", "", "y = x"); },
                                  {"out_params must name at least one output"});
  expect_error<usmx::value_error>([] { elementwise_kernel("T x", "T y", "", {.name = "1"}); },
                                  {"name must be an identifier of C++"});
}

}  // namespace
