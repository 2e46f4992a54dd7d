#include "usmx/user_kernels/kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/memory/current_resource.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::kernel;

constexpr const char* axpy_source = R"(
#include <usmx/kernel.hpp>
USMX_KERNEL(1) axpy(float a, const float* x, float* y) {
  const auto i = usmx::global_id();
  y[i] += a * x[i];
})";

class kernel_test : public support::device_test {
 protected:
  static kernel compile(const std::string& source, const char* name,
                        const usmx::compile_options& options = {}) {
    return kernel::compile(queue(), "#include <usmx/kernel.hpp>\n" + source, name, options);
  }
  static kernel axpy() { return kernel::compile(queue(), axpy_source, "axpy"); }
  static array floats(std::ptrdiff_t count, float value) {
    array made = usmx::empty({count}, usmx::float32, queue());
    usmx::fill(made, value);
    return made;
  }
};

sycl::nd_range<1> range(std::size_t global, std::size_t local) { return {{global}, {local}}; }

TEST_F(kernel_test, runs_with_arrays_and_numbers) {
  const array x = floats(1024, 3);
  const array y = floats(1024, 1);
  axpy()(range(1024, 64), 2.f, x, y);
  EXPECT_EQ(usmx::to_vector<float>(y), std::vector<float>(1024, 7));
}

TEST_F(kernel_test, signature_is_as_in_the_source) {
  EXPECT_EQ(to_string(axpy().signature()), "axpy(float, const float*, float*)");
  const kernel all = compile(R"(
    struct point { float x; double y; };
    namespace shapes { template <class T> struct box { T a, b; }; }
    USMX_KERNEL(3) f(point p, const point* q, unsigned char c, long long i, bool* flags, _Float16 h,
                     shapes::box<float> b, void* any, usmx::local_memory<point> scratch) {})",
                             "f");
  EXPECT_EQ(to_string(all.signature()),
            "f(point, const point*, unsigned char, long long, bool*, _Float16, shapes::box<float>, "
            "void*, usmx::local_memory<point>)");
  EXPECT_EQ(all.signature().dimensions, 3);
  EXPECT_EQ(all.signature().parameters[0].size, 16U);
  EXPECT_EQ(all.signature().parameters[0].alignment, 8U);
}

TEST_F(kernel_test, kernel_without_parameters_runs) {
  const kernel nothing = compile("USMX_KERNEL(1) f() {}", "f");
  EXPECT_EQ(to_string(nothing.signature()), "f()");
  nothing(range(8, 8)).wait();
}

TEST_F(kernel_test, kernel_is_compiled_for_a_context_while_many_others_come) {
  const sycl::queue own(new_context(), device());
  // The text is new: nothing has it on disk.
  const std::string text = "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* x) { x[0] = " +
                           std::to_string(std::random_device()()) + "; }";
  std::atomic<bool> is_done = false;
  std::jthread compiling([&] {
    kernel::compile(own, text, "f");
    is_done = true;
  });
  while (!is_done) {
    const sycl::queue other(new_context(), device());
    usmx::default_pool(other, usmx::usm_kind::host);
  }
}

TEST_F(kernel_test, ids_are_in_the_order_of_sycl) {
  const kernel place = compile(R"(
    USMX_KERNEL(3) place(int* out) {
      auto [i, j, k] = usmx::global_id<3>();
      auto size = usmx::global_size<3>();
      auto group = usmx::group_id<3>();
      auto local = usmx::local_id<3>();
      auto width = usmx::local_size<3>();
      bool same = group[0] * width[0] + local[0] == i && group[1] * width[1] + local[1] == j &&
                  group[2] * width[2] + local[2] == k;
      out[(i * size[1] + j) * size[2] + k] = same ? i * 100 + j * 10 + k : -1;
    })",
                               "place");
  const array out = usmx::zeros({2 * 4 * 6}, usmx::int32, queue());
  place(sycl::nd_range<3>({2, 4, 6}, {1, 2, 3}), out);
  std::vector<std::int32_t> expected;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 6; ++k) {
        expected.push_back(i * 100 + j * 10 + k);
      }
    }
  }
  EXPECT_EQ(usmx::to_vector<std::int32_t>(out), expected);
}

TEST_F(kernel_test, local_memory_is_shared_by_a_group) {
  const kernel reverse = compile(R"(
    USMX_KERNEL(2) reverse(const float* x, float* y, usmx::local_memory<float> row) {
      auto [r, c] = usmx::global_id<2>();
      usmx::local_array<float, 2, 16> sums;
      row[usmx::local_id<2>().j] = x[r * 16 + c];
      sums[0][usmx::local_id<2>().j] = 1;
      usmx::barrier();
      y[r * 16 + c] = row[15 - c] * sums[0][15 - c];
    })",
                                 "reverse");
  std::vector<float> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  const array x = floats(64, 0);
  queue().memcpy(x.data(), numbers.data(), 64 * sizeof(float)).wait();
  const array y = floats(64, 0);
  reverse(sycl::nd_range<2>({4, 16}, {1, 16}), x, y, usmx::local_memory{usmx::float32, 16});
  const std::vector<float> found = usmx::to_vector<float>(y);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(found[i], numbers[i / 16 * 16 + 15 - i % 16]);
  }
}

TEST_F(kernel_test, atomic_operations_see_all_work_items) {
  const kernel count = compile(R"(
    USMX_KERNEL(1) count(int* sum, float* total, unsigned* most, long long* least) {
      const int i = usmx::global_id();
      usmx::atomic_add(*sum, i);
      usmx::atomic_add(*total, 0.5f);
      usmx::atomic_max(*most, 7 * i);
      usmx::atomic_min(*least, -i);
    })",
                               "count");
  const array sum = usmx::zeros({1}, usmx::int32, queue());
  const array total = floats(1, 0);
  const array most = usmx::zeros({1}, usmx::uint32, queue());
  const array least = usmx::zeros({1}, usmx::int64, queue());
  count(range(1000, 10), sum, total, most, least);
  EXPECT_EQ(usmx::to_vector<std::int32_t>(sum).front(), 999 * 500);
  EXPECT_EQ(usmx::to_vector<float>(total).front(), 500.f);
  EXPECT_EQ(usmx::to_vector<std::uint32_t>(most).front(), 7U * 999);
  EXPECT_EQ(usmx::to_vector<std::int64_t>(least).front(), -999);
}

TEST_F(kernel_test, structures_are_passed_by_value) {
  struct line {
    float slope;
    double offset;
  };
  const kernel apply = compile(R"(
    struct line { float slope; double offset; };
    USMX_KERNEL(1) apply(line l, double* y) { y[usmx::global_id()] = l.slope * 2 + l.offset; })",
                               "apply");
  const array y = usmx::zeros({4}, usmx::float64, queue());
  apply(range(4, 4), line{1.5f, 0.25}, y);
  EXPECT_EQ(usmx::to_vector<double>(y), std::vector<double>(4, 3.25));
  expect_error<usmx::value_error>(
      [&] { apply(range(4, 4), std::array<float, 3>{}, y); },
      {"apply(line, double*), argument 1 (line): expected a structure of 16 bytes, found "
       "one of 12"});
}

TEST_F(kernel_test, parameter_that_is_not_used_takes_its_argument) {
  const kernel second =
      compile("USMX_KERNEL(1) f(double a, const float* x, int b, int* y) { *y = b; }", "f");
  const array y = usmx::zeros({1}, usmx::int32, queue());
  second(range(1, 1), 0.5, floats(1, 0), 42, y);
  EXPECT_EQ(usmx::to_vector<std::int32_t>(y).front(), 42);
}

TEST_F(kernel_test, launches_are_in_order) {
  const kernel step = compile("USMX_KERNEL(1) step(int* x) { x[0] = x[0] * 3 + 1; }", "step");
  const array x = usmx::zeros({1}, usmx::int32, queue());
  std::int32_t expected = 0;
  for (int i = 0; i < 10; ++i) {
    step(range(1, 1), x);
    expected = expected * 3 + 1;
  }
  EXPECT_EQ(usmx::to_vector<std::int32_t>(x).front(), expected);
}

TEST_F(kernel_test, several_kernels_of_one_source) {
  const std::string names[] = {"one", "two"};
  const std::vector<kernel> both = kernel::compile(
      queue(),
      "#include <usmx/kernel.hpp>\n"
      "USMX_KERNEL(1) one(int* x) { *x = 1; }\nUSMX_KERNEL(2) two(unsigned* x) { *x = 2; }",
      names);
  EXPECT_EQ(to_string(both[0].signature()), "one(int*)");
  EXPECT_EQ(to_string(both[1].signature()), "two(unsigned int*)");
  EXPECT_EQ(both[0].signature().dimensions, 1);
  EXPECT_EQ(both[1].signature().dimensions, 2);
}

TEST_F(kernel_test, macros_and_headers_are_seen) {
  const kernel f =
      compile("#include \"mine/value.hpp\"\nUSMX_KERNEL(1) f(int* x) { *x = N + value; }", "f",
              {.defines = {{"N", "8"}, {"T", "float"}, {"type", "int"}},
               .headers = {{"mine/value.hpp", "constexpr int value = 100;"}}});
  const array x = usmx::zeros({1}, usmx::int32, queue());
  f(range(1, 1), x);
  EXPECT_EQ(usmx::to_vector<std::int32_t>(x).front(), 108);
}

// ---- views

constexpr const char* sum_of_views = R"(
  USMX_KERNEL(2) add(usmx::view<const float, 2> x, usmx::view<float, 2> y) {
    const auto [i, j] = usmx::global_id<2>();
    y(i, j) += x(i, j) + 1000 * (x.extent(0) == 4 && x.extent(1) == 3 && x.size() == 12 ? 0 : 1);
  })";

/// 0, 1, 2 and so on, in the order of memory.
array numbers(const usmx::layout& where, const sycl::queue& queue) {
  std::vector<float> values(static_cast<std::size_t>(where.size()));
  std::iota(values.begin(), values.end(), 0.f);
  const array made = usmx::empty(where, usmx::float32, queue, usmx::usm_kind::device);
  sycl::queue(queue).memcpy(made.data(), values.data(), values.size() * sizeof(float)).wait();
  return made;
}

TEST_F(kernel_test, views_take_arrays_of_any_layout) {
  const kernel add = compile(sum_of_views, "add");
  EXPECT_EQ(to_string(add.signature()), "add(usmx::view<const float, 2>, usmx::view<float, 2>)");
  EXPECT_EQ(add.signature().parameters[0].ndim, 2);
  EXPECT_EQ(add.signature().parameters[0].size, 4U);
  const std::array<std::ptrdiff_t, 2> shape{4, 3};
  const array transposed = numbers(usmx::layout::f_order(shape), queue());
  const std::array<std::ptrdiff_t, 2> wide{4, 6};
  const array spread = numbers(usmx::layout::c_order(wide), queue())
                           .slice(usmx::range(3, -5, -1), usmx::range(5, -7, -2));
  const array y = usmx::zeros(shape, usmx::float32, queue());
  add(sycl::nd_range<2>({4, 3}, {1, 3}), transposed, y);
  add(sycl::nd_range<2>({4, 3}, {1, 3}), spread, y);
  const std::vector<float> found = usmx::to_vector<float>(y);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(found[static_cast<std::size_t>(3 * i + j)],
                static_cast<float>(4 * j + i + 6 * (3 - i) + 5 - 2 * j));
    }
  }
}

TEST_F(kernel_test, views_of_one_and_of_eight_dimensions) {
  const kernel copy = compile(
      "USMX_KERNEL(1) copy(usmx::view<const int, 8> x, usmx::view<int, 1> y) {"
      "  const auto i = usmx::global_id(); y[i] = x(0, 0, 0, 0, 0, 0, i, 1) + y.stride(0); }",
      "copy");
  const array x = usmx::zeros({1, 1, 1, 1, 1, 1, 4, 2}, usmx::int32, queue());
  usmx::fill(x, 7);
  const array y = usmx::zeros({8}, usmx::int32, queue());
  copy(range(4, 4), x, y.slice(usmx::range(0, 8, 2)));
  EXPECT_EQ(usmx::to_vector<std::int32_t>(y), (std::vector<std::int32_t>{9, 0, 9, 0, 9, 0, 9, 0}));
}

TEST_F(kernel_test, views_are_checked_before_the_launch) {
  const kernel add = compile(sum_of_views, "add");
  const array y = usmx::zeros({4, 3}, usmx::float32, queue());
  const sycl::nd_range<2> sizes({4, 3}, {1, 3});
  add(sizes, y.as_readonly(), y).wait();
  const std::string name = "add(usmx::view<const float, 2>, usmx::view<float, 2>), argument ";
  expect_error<usmx::value_error>(
      [&] { add(sizes, usmx::zeros({12}, usmx::float32, queue()), y); },
      {(name + "1 (usmx::view<const float, 2>): expected an array with 2 dimensions, found shape "
               "(12,)")});
  expect_error<usmx::read_only_error>(
      [&] { add(sizes, y, y.as_readonly()); },
      {(name + "2 (usmx::view<float, 2>): expected an array that the kernel may write, found a "
               "read-only one")});
  expect_error<usmx::type_error>(
      [&] { add(sizes, usmx::zeros({4, 3}, usmx::int32, queue()), y); },
      {(name + "1 (usmx::view<const float, 2>): expected elements of float32, found int32")});
  expect_error<usmx::type_error>(
      [&] { add(sizes, reinterpret_cast<const float*>(y.data()), y); },
      {(name + "1 (usmx::view<const float, 2>): expected an array in USM, found a pointer")});
}

TEST_F(kernel_test, launches_with_views_are_in_order) {
  const kernel step =
      compile("USMX_KERNEL(1) step(usmx::view<int, 1> x) { x[0] = x[0] * 3 + 1; }", "step");
  const array x = usmx::zeros({2}, usmx::int32, queue());
  std::int32_t expected = 0;
  for (int i = 0; i < 10; ++i) {
    step(range(1, 1), x.slice(usmx::range(1, -3, -1)));
    expected = expected * 3 + 1;
  }
  EXPECT_EQ(usmx::to_vector<std::int32_t>(x).back(), expected);
}

TEST_F(kernel_test, debug_reports_the_first_bad_access) {
  const kernel blur = compile(R"(
    USMX_KERNEL(2) blur(usmx::view<const float, 2> x, usmx::view<float, 2> y) {
      const auto [i, j] = usmx::global_id<2>();
      y(i, j) =
          x(i, j) +
          x(i, j + 1);
    })",
                              "blur", {.debug = true});
  const array x = usmx::zeros({3, 4}, usmx::float32, queue());
  const array y = usmx::zeros({3, 4}, usmx::float32, queue());
  blur(sycl::nd_range<2>({3, 3}, {1, 3}), x, y);
  expect_error<usmx::index_error>(
      [&] { blur(sycl::nd_range<2>({1, 4}, {1, 4}), x, y); },
      {"blur(usmx::view<const float, 2>, usmx::view<float, 2>), argument 1 (usmx::view<const "
       "float, 2>): <source>:7: expected indices inside shape (3, 4), found (0, 4)"});
}

TEST_F(kernel_test, bad_accesses_of_debug_reach_no_array) {
  const kernel f = compile(
      "USMX_KERNEL(1) f(usmx::view<int, 1> x, usmx::view<double, 1> y) {"
      "  x[usmx::global_id() - 4] = 7; y[1000] = 1; }",
      "f", {.debug = true});
  const array x = usmx::zeros({12}, usmx::int32, queue());
  const array y = usmx::zeros({1}, usmx::float64, queue());
  EXPECT_THROW(f(range(8, 8), x.slice(usmx::range(4, 8)), y), usmx::index_error);
  EXPECT_EQ(usmx::to_vector<std::int32_t>(x),
            (std::vector<std::int32_t>{0, 0, 0, 0, 7, 7, 7, 7, 0, 0, 0, 0}));
  EXPECT_EQ(usmx::to_vector<double>(y), std::vector<double>{0});
}

TEST_F(kernel_test, debug_names_the_header_of_a_bad_access) {
  const kernel f =
      compile("#include \"mine.hpp\"\nUSMX_KERNEL(1) f(usmx::view<int, 1> x) { set(x); }", "f",
              {.headers = {{"mine.hpp", "inline void set(usmx::view<int, 1> x) {\n  x[-1] = 2; }"}},
               .debug = true});
  const array x = usmx::zeros({3}, usmx::int32, queue());
  expect_error<usmx::index_error>(
      [&] { f(range(1, 1), x); },
      {"f(usmx::view<int, 1>), argument 1 (usmx::view<int, 1>): mine.hpp:2: expected indices "
       "inside shape (3,), found (-1,)"});
}

// ---- functions of C++ types

TEST_F(kernel_test, typed_kernel_runs) {
  const auto typed = axpy().as<void(float, const float*, float*)>();
  const array x = floats(64, 2);
  const array y = floats(64, 1);
  typed(range(64, 8), 3.f, reinterpret_cast<const float*>(x.data()),
        reinterpret_cast<float*>(y.data()))
      .wait();
  EXPECT_EQ(usmx::to_vector<float>(y), std::vector<float>(64, 7));
  EXPECT_THROW(typed(range(64, 7), 3.f, nullptr, nullptr), usmx::value_error);
}

TEST_F(kernel_test, typed_kernel_takes_structures_views_and_local_memory) {
  struct line {
    float slope;
    double offset;
  };
  const auto typed = compile(R"(
    struct line { float slope; double offset; };
    USMX_KERNEL(1) f(line l, usmx::local_memory<double> group, usmx::view<double, 2> y) {
      group[usmx::local_id()] = l.slope * 2 + l.offset;
      y(1, usmx::global_id()) = group[usmx::local_id()];
    })",
                             "f")
                         .as<void(line, usmx::local_memory, usmx::device_view<double, 2>)>();
  const array y = usmx::zeros({2, 3}, usmx::float64, queue());
  typed(range(2, 2), {1.5f, 0.25}, {usmx::float64, 2}, y.view().device_as<double, 2>()).wait();
  EXPECT_EQ(usmx::to_vector<double>(y), (std::vector<double>{0, 0, 0, 3.25, 3.25, 0}));
  EXPECT_THROW(typed(range(2, 2), {}, {usmx::float32, 2}, y.view().device_as<double, 2>()),
               usmx::type_error);
}

TEST_F(kernel_test, typed_kernel_has_the_parameters_of_the_kernel) {
  const kernel f = axpy();
  expect_error<usmx::type_error>([&] { f.as<void(float, const float*)>(); },
                                 {"axpy(float, const float*, float*) takes 3 arguments, found 2"});
  expect_error<usmx::type_error>(
      [&] { f.as<void(float, const double*, float*)>(); },
      {"axpy(float, const float*, float*), argument 2 (const float*): expected this type, found "
       "const float64*"});
  EXPECT_THROW((f.as<void(double, const float*, float*)>()), usmx::type_error);
  EXPECT_THROW((f.as<void(std::int32_t, const float*, float*)>()), usmx::type_error);
  EXPECT_THROW((f.as<void(float, float*, float*)>()), usmx::type_error);
  EXPECT_THROW((f.as<void(float, const float*, const float*)>()), usmx::type_error);
  EXPECT_THROW((f.as<void(float, const float*, usmx::device_view<float, 1>)>()), usmx::type_error);
  const kernel checked = compile("USMX_KERNEL(1) f(usmx::view<int, 1> x) {}", "f", {.debug = true});
  EXPECT_THROW((checked.as<void(usmx::device_view<int, 1>)>()), usmx::value_error);
  const kernel viewed = compile("USMX_KERNEL(1) f(usmx::view<int, 1> x) {}", "f");
  EXPECT_THROW((viewed.as<void(usmx::device_view<int, 2>)>()), usmx::type_error);
  EXPECT_THROW((viewed.as<void(usmx::device_view<const int, 1>)>()), usmx::type_error);
}

// ---- what does not compile

TEST_F(kernel_test, error_names_the_users_line) {
  try {
    compile("USMX_KERNEL(1) f(int* x) {\n  *x = nothing;\n}", "f");
    FAIL();
  } catch (const usmx::compile_error& error) {
    ASSERT_EQ(error.diagnostics().size(), 1U);
    const usmx::diagnostic& first = error.diagnostics().front();
    EXPECT_EQ(first.file, "<source>");
    EXPECT_EQ(first.line, 3);
    EXPECT_EQ(first.column, 8);
    EXPECT_EQ(first.severity, usmx::severity::error);
    EXPECT_NE(first.text.find("nothing"), std::string::npos) << first.text;
  }
}

TEST_F(kernel_test, warnings_are_kept_and_those_of_usmx_are_not) {
  const kernel f = compile("#warning careful\nUSMX_KERNEL(1) f(int* x) { *x = 1; }", "f");
  ASSERT_EQ(f.warnings().size(), 1U);
  EXPECT_EQ(f.warnings().front().line, 2);
  EXPECT_EQ(axpy().warnings().size(), 0U);
}

TEST_F(kernel_test, source_without_the_kernel_is_refused) {
  EXPECT_THROW(compile("USMX_KERNEL(1) f(int* x) {}", "g"), usmx::compile_error);
}

TEST_F(kernel_test, function_that_is_no_kernel_is_refused) {
  expect_error<usmx::value_error>(
      [&] { compile("void f(int* x) {}", "f"); },
      {"'f' is no kernel that can be launched: it must be declared with USMX_KERNEL, or as "
       "extern \"C\" with SYCL_EXT_ONEAPI_FUNCTION_PROPERTY, and the device must have what "
       "it needs"});
}

TEST_F(kernel_test, pointer_to_pointer_is_refused) {
  expect_error<usmx::type_error>(
      [&] { compile("USMX_KERNEL(1) f(float** x) {}", "f"); },
      {"kernel f: a parameter must be a number, a structure, a pointer to either, usmx::view or "
       "usmx::local_memory, by value, found float **"});
}

TEST_F(kernel_test, source_that_crashes_the_compiler_is_an_error) {
  if (queue().get_backend() == sycl::backend::ext_oneapi_cuda) {
    GTEST_SKIP() << "NVIDIA's compiler does not crash on these";
  }
  const std::string deep(100000, '(');
  const std::string sources[] = {
      "USMX_KERNEL(1) f(int* x) { *x = " + deep + "1" + std::string(100000, ')') + "; }",
      "#pragma clang __debug crash\nUSMX_KERNEL(1) f(int* x) {}",
      "USMX_KERNEL(1) f(__attribute__((opencl_local)) float* x) { *x = 1; }",
      "int missing(int); USMX_KERNEL(1) f(int* x) { *x = missing(1); }"};
  for (const std::string& source : sources) {
    EXPECT_THROW(compile(source, "f"), usmx::compile_error) << source.substr(0, 60);
  }
}

TEST_F(kernel_test, name_that_is_no_identifier_is_refused) {
  expect_error<usmx::value_error>(
      [&] { compile("", "f) {} int g("); },
      {"the name of a kernel must be an identifier of C++, found 'f) {} int g('"});
  expect_error<usmx::value_error>(
      [&] { compile("", "f", {.defines = {{"N(x)", "8"}}}); },
      {"the name of a macro must be an identifier of C++, found 'N(x)'"});
}

TEST_F(kernel_test, null_character_is_refused) {
  expect_error<usmx::value_error>(
      [&] { compile(std::string("USMX_KERNEL(1) f() {}\0#error", 28), "f"); },
      {"the source of a kernel must be text, found a null character at 48"});
}

// ---- the language: tests/python has the rest

TEST_F(kernel_test, groups_reduce_vote_and_exchange) {
  const kernel f = compile(
      "USMX_KERNEL(1) f(const float* x, float* y, int* z) { using namespace usmx;\n"
      "const auto i = global_id(); y[i] = group_reduce_add(x[i]) + "
      "group_exclusive_scan_add(1.0f);\n"
      "z[i] = subgroup_shuffle(int(i), 0) + subgroup_local_id() + 1000 * group_any(i == 70); }",
      "f");
  const array y = floats(128, 0);
  const array z = usmx::zeros({128}, usmx::int32, queue());
  f(range(128, 64), floats(128, 2), y, z);
  const std::vector<float> sums = usmx::to_vector<float>(y);
  const std::vector<int> places = usmx::to_vector<int>(z);
  for (int k = 0; k < 128; ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_EQ(sums[at], 128 + k % 64);
    EXPECT_EQ(places[at], k + (k < 64 ? 0 : 1000));
  }
}

TEST_F(kernel_test, elements_of_one_byte_are_changed_atomically) {
  const kernel f = compile(
      "USMX_KERNEL(1) f(unsigned char* x) { usmx::atomic_add(x[usmx::global_id() % 3], 1); }", "f");
  const array x = usmx::zeros({5}, usmx::uint8, queue());
  f(range(300, 30), x);
  EXPECT_EQ(usmx::to_vector<std::uint8_t>(x), (std::vector<std::uint8_t>{100, 100, 100, 0, 0}));
}

TEST_F(kernel_test, printf_writes_to_the_standard_output) {
  const kernel f =
      compile("USMX_KERNEL(1) f(float x) { usmx::printf(\"%d of %.2f\\n\", 3, x); }", "f");
  testing::internal::CaptureStdout();
  f(range(1, 1), 0.25).wait();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "3 of 0.25\n");
}

TEST_F(kernel_test, references_are_refused_with_what_to_write) {
  try {
    compile("USMX_KERNEL(1) f(const float& x) {}", "f");
    FAIL();
  } catch (const std::exception& refused) {
    support::expect_contains(refused.what(), "by value");
  }
}

// ---- what is checked before each launch

TEST_F(kernel_test, arguments_are_counted) {
  const array x = floats(8, 0);
  const kernel f = axpy();
  f(range(8, 8), 1, x, x).wait();
  expect_error<usmx::type_error>([&] { f(range(8, 8), 1, x); },
                                 {"axpy(float, const float*, float*) takes 3 arguments, found 2"});
}

TEST_F(kernel_test, element_types_are_compared) {
  const array x = floats(8, 0);
  expect_error<usmx::type_error>(
      [&] { axpy()(range(8, 8), 1, usmx::zeros({8}, usmx::float64, queue()), x); },
      {"axpy(float, const float*, float*), argument 2 (const float*): expected elements of "
       "float32, found float64"});
}

TEST_F(kernel_test, kinds_of_arguments_are_compared) {
  const array x = floats(8, 0);
  expect_error<usmx::type_error>(
      [&] { axpy()(range(8, 8), x, x, x); },
      {"axpy(float, const float*, float*), argument 1 (float): expected a number for float, "
       "found an array"});
  expect_error<usmx::type_error>(
      [&] { axpy()(range(8, 8), 1, 2, x); },
      {"axpy(float, const float*, float*), argument 2 (const float*): expected an array in USM, "
       "found a number"});
}

TEST_F(kernel_test, read_only_array_is_not_written) {
  const array x = floats(8, 0);
  axpy()(range(8, 8), 1, x.as_readonly(), x).wait();
  expect_error<usmx::read_only_error>(
      [&] { axpy()(range(8, 8), 1, x, x.as_readonly()); },
      {"axpy(float, const float*, float*), argument 3 (float*): expected an array that the "
       "kernel may write, found a read-only one"});
}

TEST_F(kernel_test, strided_array_is_refused_for_a_pointer) {
  const array x = floats(8, 0);
  expect_error<usmx::value_error>(
      [&] { axpy()(range(4, 4), 1, x.slice(usmx::range(0, 8, 2)), x); },
      {"axpy(float, const float*, float*), argument 2 (const float*): expected a "
       "C-contiguous array, found shape (4,) with strides (2,) in elements"});
}

TEST_F(kernel_test, memory_of_another_context_is_refused) {
  if (!support::contexts_are_apart(queue())) {
    GTEST_SKIP() << "contexts share memory";
  }
  const array x = floats(8, 0);
  const sycl::queue elsewhere(new_context(), device());
  const array y = usmx::zeros({8}, usmx::float32, elsewhere);
  expect_error<usmx::value_error>(
      [&] { axpy()(range(8, 8), 1, x, y); },
      {"axpy(float, const float*, float*), argument 3 (float*): expected memory of the "
       "kernel's context, found an array of another context"});
}

TEST_F(kernel_test, memory_out_of_the_devices_reach_is_refused) {
  const auto both = support::device_pair::find();
  if (!both) {
    GTEST_SKIP() << "no two devices in one context";
  }
  const sycl::device near = both->first.get_device();
  const sycl::device far = both->second.get_device();
  const kernel of_first = kernel::compile(both->first, axpy_source, "axpy");
  const array x = usmx::zeros({8}, usmx::float32, both->first);
  const array y = usmx::zeros({8}, usmx::float32, both->second);
  const usmx::kernel_argument all[] = {1, x, y};
  const auto launch = [&] {
    of_first.launch(usmx::launch_sizes::of(range(8, 8)), all, &both->first).wait();
  };
  if (usmx::can_access_peer(near, far)) {
    launch();
  } else {
    expect_error<usmx::value_error>(
        launch, {"argument 3 (float*): expected memory in reach of " + usmx::describe(near) +
                 ", found an array on " + usmx::describe(far)});
  }
}

TEST_F(kernel_test, arrays_of_two_queues_are_refused) {
  const array x = floats(8, 0);
  const array y = usmx::zeros({8}, usmx::float32, new_queue());
  expect_error<usmx::placement_error>(
      [&] { axpy()(range(8, 8), 1, x, y); },
      {"axpy: arguments must be on the same queue, found argument 2 on <queue on '",
       " and argument 3 on <queue on '", "usmx::clone(array, queue) moves an array"});
  const usmx::kernel_argument all[] = {1, x, y};
  const sycl::queue where = queue();
  axpy().launch(usmx::launch_sizes::of(range(8, 8)), all, &where).wait();
}

TEST_F(kernel_test, pointers_must_be_usm_of_the_right_type) {
  const array x = floats(8, 2);
  const array y = floats(8, 1);
  const auto* in = reinterpret_cast<const float*>(x.data());
  auto* out = reinterpret_cast<float*>(y.data());
  axpy()(range(8, 8), 1, in, out).wait();
  EXPECT_EQ(usmx::to_vector<float>(y), std::vector<float>(8, 3));
  expect_error<usmx::type_error>(
      [&] { axpy()(range(8, 8), 1, in, in); },
      {"axpy(float, const float*, float*), argument 3 (float*): expected a pointer that the "
       "kernel may write through, found one to const"});
  expect_error<usmx::type_error>(
      [&] { axpy()(range(8, 8), 1, in, reinterpret_cast<double*>(out)); },
      {"axpy(float, const float*, float*), argument 3 (float*): expected a pointer to "
       "float32, found one to float64"});
  EXPECT_THROW(axpy()(range(8, 8), 1, in, static_cast<float*>(nullptr)), usmx::value_error);
  for (const void* garbage : support::garbage_pointers()) {
    EXPECT_THROW(axpy()(range(8, 8), 1, static_cast<const float*>(garbage), out),
                 usmx::value_error);
  }
}

TEST_F(kernel_test, sizes_must_divide) {
  const array x = floats(8, 0);
  const kernel f = axpy();
  expect_error<usmx::value_error>(
      [&] { f(range(8, 3), 1, x, x); },
      {"axpy(float, const float*, float*): expected a local size that divides the global "
       "size (8,), found (3,)"});
  EXPECT_THROW(f(range(8, 0), 1, x, x), usmx::value_error);
  EXPECT_THROW(f(range(std::size_t{1} << 20, std::size_t{1} << 20), 1, x, x), usmx::value_error);
}

TEST_F(kernel_test, no_work_items_do_nothing_once_the_arguments_are_checked) {
  const array none = floats(0, 0);
  const kernel f = axpy();
  f(sycl::range<1>(0), 1, none, none).wait();
  f(range(0, 4), 1, none, none).wait();
  f.as<void(float, const float*, float*)>()(range(0, 4), 1.0F, nullptr, nullptr).wait();
  f.launch_async({.global = {0}}, std::vector<usmx::kernel_argument>{1, none, none}).wait();
  EXPECT_FALSE(none.may_be_busy());
  expect_error<usmx::type_error>([&] { f(sycl::range<1>(0), 1, none, 2); },
                                 {"argument 3 (float*)"});
  EXPECT_THROW(f(range(0, 0), 1, none, none), usmx::value_error);
}

TEST_F(kernel_test, lazy_kernel_is_compiled_where_it_runs) {
  const usmx::lazy_kernel f(axpy_source, "axpy");
  for (const sycl::queue& where : {queue(), sycl::queue(new_context(), device())}) {
    const array x = usmx::zeros({8}, usmx::float32, where);
    usmx::fill(x, 3);
    f(sycl::range<1>(8), 2, x, x);
    EXPECT_EQ(usmx::to_vector<float>(x), std::vector<float>(8, 9));
    f.launch({.global = {8}}, {1, x, x}, &where);
    EXPECT_EQ(usmx::to_vector<float>(x), std::vector<float>(8, 18));
    f(range(0, 1), 2, x, x).wait();
    f.prepare(where);
  }
}

TEST_F(kernel_test, lazy_kernel_that_cannot_be_compiled_says_so_each_time) {
  const usmx::lazy_kernel wrong("USMX_KERNEL(1) f() { nothing; }", "f");
  EXPECT_THROW(wrong(sycl::range<1>(8)), usmx::compile_error);
  EXPECT_THROW(wrong.prepare(queue()), usmx::compile_error);
  const array x = floats(8, 0);
  EXPECT_THROW(usmx::lazy_kernel(axpy_source, "axpy")(sycl::range<1>(8), 1, x,
                                                      usmx::zeros({8}, usmx::float32, new_queue())),
               usmx::placement_error);
}

TEST_F(kernel_test, dimensions_are_those_of_the_kernel) {
  const array x = floats(8, 0);
  expect_error<usmx::value_error>(
      [&] { axpy()(sycl::nd_range<2>({2, 4}, {1, 4}), 1, x, x); },
      {"axpy(float, const float*, float*): expected sizes of 1 dimension, as in the "
       "kernel, found 2"});
}

TEST_F(kernel_test, sizes_beyond_the_dimensions_are_refused) {
  const array x = floats(8, 0);
  const usmx::kernel_argument all[] = {1, x, x};
  for (const usmx::launch_sizes& sizes : {usmx::launch_sizes{.global = {4, 2}},
                                          usmx::launch_sizes{.global = {8}, .local = {{8, 2}}}}) {
    expect_error<usmx::value_error>([&] { axpy().launch(sizes, all); },
                                    {"expected .dimensions = 2 with so many sizes, found 1"});
  }
}

TEST_F(kernel_test, local_size_is_chosen) {
  const array x = floats(1000, 1);
  const array y = floats(1000, 1);
  const usmx::kernel_argument all[] = {1, x, y};
  axpy().launch({1, {1000}}, all);
  EXPECT_EQ(usmx::to_vector<float>(y), std::vector<float>(1000, 2));
}

TEST_F(kernel_test, local_memory_beyond_the_device_is_refused) {
  const kernel f = compile("USMX_KERNEL(1) f(usmx::local_memory<float> s) { s[0] = 1; }", "f");
  const auto most = device().get_info<sycl::info::device::local_mem_size>();
  EXPECT_THROW(f(range(1, 1), usmx::local_memory{usmx::float32, most}), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), usmx::local_memory{usmx::float32, SIZE_MAX}), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), usmx::local_memory{usmx::float32, 0}), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), usmx::local_memory{usmx::int32, 4}), usmx::type_error);
}

// ---- numbers

TEST_F(kernel_test, numbers_keep_their_value) {
  const kernel f = compile(
      "USMX_KERNEL(1) f(signed char a, unsigned short b, float c, bool d, _Float16 e, double* out) "
      "{"
      " out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; }",
      "f");
  const array out = usmx::zeros({5}, usmx::float64, queue());
  f(range(1, 1), -128, 65535, 0.1, 1, 2049.5, out);
  EXPECT_EQ(usmx::to_vector<double>(out), (std::vector<double>{-128, 65535, 0.1f, 1, 2050}));
  f(range(1, 1), 3.0, 7U, std::numeric_limits<double>::infinity(), true, 2048, out);
  EXPECT_EQ(usmx::to_vector<double>(out),
            (std::vector<double>{3, 7, std::numeric_limits<double>::infinity(), 1, 2048}));
  expect_error<usmx::value_error>(
      [&] { f(range(1, 1), 128, 0, 0, 0, 0, out); },
      {"f(signed char, unsigned short, float, bool, _Float16, double*), argument 1 (signed "
       "char): expected an integer from -128 to 127, found 128"});
  EXPECT_THROW(f(range(1, 1), 2.5, 0, 0, 0, 0, out), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), std::nan(""), 0, 0, 0, 0, out), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, -1, 0, 0, 0, out), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0, 1e300, 0, 0, out), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0, (1 << 24) + 1, 0, 0, out), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0, 0, 2, 0, out), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0, 0, 0, 2049, out), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0, 0, 0, 1e6, out), usmx::value_error);
}

TEST_F(kernel_test, integers_are_exact_at_their_limits) {
  const kernel f = compile("USMX_KERNEL(1) f(long a, unsigned long b, double c) {}", "f");
  f(range(1, 1), INT64_MIN, UINT64_MAX, std::int64_t{1} << 62).wait();
  EXPECT_THROW(f(range(1, 1), UINT64_MAX, 0, 0), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0x1p63, 0, 0), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0x1p64, 0), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0, INT64_MAX), usmx::value_error);
  EXPECT_THROW(f(range(1, 1), 0, 0, UINT64_MAX), usmx::value_error);
}

}  // namespace
