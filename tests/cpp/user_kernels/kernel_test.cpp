#include "usmx/user_kernels/kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/copy/zeros.hpp"

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
    EXPECT_EQ(first.text, "use of undeclared identifier 'nothing'");
  }
}

TEST_F(kernel_test, warnings_are_kept_and_those_of_usmx_are_not) {
  const kernel f = compile("USMX_KERNEL(1) f(int* x) { int y = 1.5; *x = y; }", "f");
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
      {"kernel f: a parameter must be a number, a structure, a pointer to either or "
       "usmx::local_memory, found float **"});
}

TEST_F(kernel_test, source_that_crashes_the_compiler_is_an_error) {
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
      {"axpy(float, const float*, float*), argument 2 (const float*): expected an array, "
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

TEST_F(kernel_test, arrays_of_two_queues_are_refused) {
  const array x = floats(8, 0);
  const array y = usmx::zeros({8}, usmx::float32, new_queue());
  EXPECT_THROW(axpy()(range(8, 8), 1, x, y), usmx::value_error);
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

TEST_F(kernel_test, sizes_must_divide_and_not_be_zero) {
  const array x = floats(8, 0);
  const kernel f = axpy();
  expect_error<usmx::value_error>(
      [&] { f(range(8, 3), 1, x, x); },
      {"axpy(float, const float*, float*): expected a local size that divides the global "
       "size (8,), found (3,)"});
  expect_error<usmx::value_error>(
      [&] { f(range(0, 1), 1, x, x); },
      {"axpy(float, const float*, float*): expected a global size above 0, found (0,)"});
  EXPECT_THROW(f(range(8, 0), 1, x, x), usmx::value_error);
  EXPECT_THROW(f(range(std::size_t{1} << 20, std::size_t{1} << 20), 1, x, x), usmx::value_error);
}

TEST_F(kernel_test, dimensions_are_those_of_the_kernel) {
  const array x = floats(8, 0);
  expect_error<usmx::value_error>(
      [&] { axpy()(sycl::nd_range<2>({2, 4}, {1, 4}), 1, x, x); },
      {"axpy(float, const float*, float*): expected sizes of 1 dimensions, as in the "
       "kernel, found 2"});
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
