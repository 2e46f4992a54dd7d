// kernels/compile/compiler.hpp for CUDA devices: NVIDIA's compiler needs none of them to compile.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kernels/compile/compiler.hpp"
#include "kernels/compile/program.hpp"
#include "kernels/compile/spirv.hpp"
#include "support/draws.hpp"
#include "usmx/base/error.hpp"

namespace {

using usmx::compile_error;
using usmx::compile_options;
using usmx::detail::compile_limits;
using usmx::detail::compiled_program;
using usmx::detail::cuda_target;
using usmx::detail::find_nvrtc;
using usmx::detail::make_program;
using usmx::detail::parse_diagnostics;
using usmx::detail::program;

constexpr const char* every_feature = R"(
#include <usmx/kernel.hpp>
struct point { float x; double y; };
USMX_KERNEL(1) axpy(float a, const float* x, float* y) {
  const auto i = usmx::global_id();
  y[i] += a * x[i];
}
USMX_KERNEL(2) views(usmx::view<const float, 2> x, usmx::view<double, 1> y, point p, bool b,
                     _Float16 h) {
  const auto [i, j] = usmx::global_id<2>();
  y[i] += x(i, j) * p.x + p.y + usmx::global_size<2>().j;
  if (b) y(0) = h + h * h;
}
USMX_KERNEL(3) local(usmx::local_memory<float> m, usmx::local_memory<long> n, float* x,
                     const void* nothing) {
  usmx::local_array<float, 16> a, b;
  usmx::local_array<int, 4, 5> c;
  const auto l = usmx::local_id<3>();
  m[l.k] = x[l.k]; n[l.k] = l.j; a[l.k] = 1; b[l.k] = 2; c[l.i][l.j] = 3;
  usmx::barrier();
  x[l.k] = m[15 - l.k] + n[15 - l.k] + a[15 - l.k] + b.data()[0] + c[l.j][l.i];
}
template <class T>
void change(T& x) {
  usmx::atomic_add(x, 1); usmx::atomic_min(x, 1); usmx::atomic_max(x, 1);
  usmx::atomic_exchange(x, 1); usmx::atomic_compare_exchange(x, T(1), T(2));
}
template <class T>
void change_bits(T& x) {
  change(x);
  usmx::atomic_and(x, 1); usmx::atomic_or(x, 1); usmx::atomic_xor(x, 1);
}
USMX_KERNEL(1) atomics(int* a, unsigned* b, long* c, unsigned long* d, float* e, double* f) {
  change_bits(*a); change_bits(*b); change_bits(*c); change_bits(*d); change(*e); change(*f);
}
USMX_KERNEL(1) functions(float* x, double* y, _Float16* z) {
  using namespace usmx;
  x[0] = sqrt(x[1]) + rsqrt(x[1]) + exp2(x[1]) + erf(x[1]) + pow(x[1], x[2]) + fma(x[1], x[2], x[3]);
  y[0] = sqrt(y[1]) + hypot(y[1], y[2]) + fmin(y[1], 2.0);
  z[0] = z[1] * z[2] + z[3]; z[1] += 1; z[2] = z[2] + x[0]; z[3] = -z[4]; z[5] = z[6] < z[7] ? 1 : 0;
}
)";

const std::vector<std::string> names{"axpy", "views", "local", "atomics", "functions"};

class nvrtc_test : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      find_nvrtc(13, 90);
    } catch (const compile_error& missing) {
      GTEST_SKIP() << missing.what();
    }
  }

  static compiled_program compile(const std::string& source,
                                  const std::vector<std::string>& kernels, int capability = 90,
                                  const compile_options& options = {},
                                  const compile_limits& limits = {}) {
    return usmx::detail::compile(make_program(source, kernels, options),
                                 cuda_target{find_nvrtc(13, 90), capability}, {}, limits);
  }
  static compiled_program compile_one(const std::string& source) {
    return compile("#include <usmx/kernel.hpp>\n" + source, {"f"});
  }
  static std::string error_of(const std::string& source) {
    try {
      compile_one(source);
    } catch (const compile_error& failed) {
      return failed.what();
    }
    return {};
  }
  static std::string signature_in(const compiled_program& made, std::size_t place) {
    return to_string(usmx::kernel_signature{
        names[place], usmx::detail::parameters_in(made.executable, place, names[place])});
  }
};

TEST_F(nvrtc_test, every_feature_of_the_header_compiles_for_each_generation) {
  for (const int capability : {75, 80, 90}) {
    const compiled_program made = compile(every_feature, names, capability);
    EXPECT_EQ(made.executable.substr(1, 3), "ELF") << capability;
  }
}

/// Statements that call each mathematical function with two numbers, as docs/reference lists them.
/// Those of one number are calls of a share of the functions (support/draws.hpp): each number has
/// another share, and all together have every function.
std::string calls_of_every_function(const std::string& x, const std::string& y,
                                    std::size_t number) {
  std::string text;
  const auto add = [&](std::initializer_list<const char*> names, const std::string& arguments) {
    for (const char* name : names) {
      if (support::is_drawn(number++)) {
        text += std::string("*out += double(") + name + arguments + ") + double(usmx::" + name +
                arguments + ");\n";
      }
    }
  };
  add({"sqrt",  "rsqrt", "cbrt",  "exp",      "exp2",      "exp10",  "expm1", "log",   "log2",
       "log10", "log1p", "sin",   "cos",      "tan",       "asin",   "acos",  "atan",  "sinh",
       "cosh",  "tanh",  "asinh", "acosh",    "atanh",     "sinpi",  "cospi", "erf",   "erfc",
       "fabs",  "abs",   "floor", "ceil",     "trunc",     "round",  "rint",  "logb",  "tgamma",
       "ilogb", "isnan", "isinf", "isfinite", "signbit",   "erfinv", "real",  "conj",  "norm",
       "arg",   "sqrtf", "sinf",  "erfcinv",  "nearbyint", "lgamma", "imag",  "ilogbf"},
      "(" + x + ")");
  add({"pow", "atan2", "hypot", "fmod", "remainder", "fmin", "fmax", "min", "max", "fdim",
       "copysign", "nextafter", "powf", "nextafterf"},
      "(" + x + ", " + y + ")");
  add({"fma", "clamp", "fmaf"}, "(" + x + ", " + y + ", " + x + ")");
  return text + "{ int e; float w; *out += double(frexp(" + x + ", &e)) + e + double(ldexp(" + x +
         ", 2)) + frexpf(" + x + ", &e) + ldexpf(" + x + ", 2) + modff(" + x + ", &w) + w; }\n";
}

TEST_F(nvrtc_test, every_function_takes_every_type_and_mixed_ones) {
  std::string body;
  const std::vector<std::string> numbers{"d", "f", "h", "l", "s", "u", "b"};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::string& x = numbers[k];
    body += calls_of_every_function(x, x, k) + calls_of_every_function(x, "d", k + 1);
  }
  const compiled_program made = compile(
      "#include <usmx/kernel.hpp>\nusing namespace usmx;\n"
      "USMX_KERNEL(1) f(double* out, double d, float f, half h, long l, short s, unsigned u, bool "
      "b)"
      "{\n" +
          body +
          "float whole; *out += modf(f, &whole) + popcount(u) + clz(l) + ctz(s) + "
          "rotl(u, 3) + rotr(s, 2) + INFINITY + NAN + M_PI + numeric_limits<half>::max(); }",
      {"f"});
  EXPECT_FALSE(made.executable.empty());
}

TEST_F(nvrtc_test, what_groups_do_together_compiles_for_every_type) {
  std::string body;
  for (const char* x : {"b", "s", "i", "u", "l", "h", "f", "d"}) {
    for (const char* name : {"reduce_add", "reduce_min", "reduce_max", "inclusive_scan_add",
                             "exclusive_scan_add", "any", "all"}) {
      body += std::string("*out += double(group_") + name + "(" + x + ") + subgroup_" + name + "(" +
              x + "));\n";
    }
    for (const char* name : {"shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"}) {
      body += std::string("*out += double(subgroup_") + name + "(" + x + ", 1));\n";
    }
  }
  EXPECT_FALSE(
      compile("#include <usmx/kernel.hpp>\nusing namespace usmx;\nUSMX_KERNEL(3) f(double* out, "
              "bool b, short s, int i, unsigned u, long l, half h, float f, double d) {\n" +
                  body +
                  "local_array<int, 2, 3, 4> t; t[1][2][3] = subgroup_size() + subgroup_id() + "
                  "subgroup_count(); barrier(); *out += t[0][0][0]; "
                  "atomic_compare_exchange(*out, 1.0, 2); }",
              {"f"})
          .executable.empty());
}

TEST_F(nvrtc_test, atomic_operations_of_every_number_and_printf_compile) {
  std::string body;
  for (const char* x : {"b", "c", "s", "i", "u", "l", "h", "f", "d"}) {
    for (const char* name : {"add", "min", "max", "exchange"}) {
      body += std::string("usmx::atomic_") + name + "(*" + x + ", 1);\n";
    }
    body += std::string("atomic_compare_exchange(*") + x + ", *" + x + ", 1);\n";
    body +=
        std::string("printf(\"%d\", *") + x + "); usmx::printf(\"%d %s\", *" + x + ", \"a\");\n";
  }
  for (const char* x : {"b", "c", "s", "i", "u", "l"}) {
    for (const char* name : {"and", "or", "xor"}) {
      body += std::string("atomic_") + name + "(*" + x + ", 1);\n";
    }
  }
  EXPECT_FALSE(
      compile_one("using namespace usmx;\nUSMX_KERNEL(1) f(bool* b, signed char* c, short* "
                  "s, int* i, unsigned* u, long* l, half* h, float* f, double* d, "
                  "complex<float>* z) {\n" +
                  body + "atomic_compare_exchange(*z, *z, complex<float>(1, 2)); printf(\"\"); }")
          .executable.empty());
}

TEST_F(nvrtc_test, constants_and_structures_of_arrays_compile) {
  EXPECT_FALSE(compile_one("constexpr float weights[3] = {1, 2, 3};\nconst int shifts[] = {4, 5};\n"
                           "struct table { float values[8]; };\nUSMX_KERNEL(1) f(table t, double* "
                           "y) { const auto i = usmx::global_id();\ny[i] = weights[i % 3] + "
                           "shifts[i % 2] + t.values[i]; }")
                   .executable.empty());
}

TEST_F(nvrtc_test, references_are_refused_as_parameters) {
  const compiled_program made =
      compile_one("struct point { float x; };\nUSMX_KERNEL(1) f(const point& p, float* x) {}");
  try {
    usmx::detail::parameters_in(made.executable, 0, "f");
    FAIL();
  } catch (const usmx::type_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("by value, found const point &"), std::string::npos)
        << refused.what();
  }
}

TEST_F(nvrtc_test, functions_of_complex_numbers_compile) {
  std::string body;
  for (const char* name :
       {"exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "conj"}) {
    body += std::string("z[0] *= usmx::") + name + "(z[1]) + " + name + "(c[1]);\n";
  }
  EXPECT_FALSE(
      compile("#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(usmx::complex<double>* z, "
              "usmx::complex<float>* c) {\nusing namespace usmx;\n" +
                  body +
                  "z[2] = pow(z[0], 2) + pow(z[0], z[1]) + pow(2.5, z[1]) + norm(z[0]) + "
                  "abs(z[1]) + arg(c[0]) + isnan(c[0]); c[1] = usmx::complex<float>(z[1]); }",
              {"f"})
          .executable.empty());
}

TEST_F(nvrtc_test, signatures_are_in_the_code) {
  const compiled_program made = compile(every_feature, names);
  EXPECT_EQ(signature_in(made, 0), "axpy(float, const float*, float*)");
  EXPECT_EQ(signature_in(made, 1),
            "views(usmx::view<const float, 2>, usmx::view<double, 1>, point, bool, _Float16)");
  EXPECT_EQ(signature_in(made, 2),
            "local(usmx::local_memory<float>, usmx::local_memory<long>, float*, const void*)");
  EXPECT_EQ(usmx::detail::parameters_in(made.executable, 1, "views")[2].size, 16U);
}

TEST_F(nvrtc_test, dimensions_are_reported_and_users_see_no_warning) {
  const program source = make_program(every_feature, names, {});
  const auto said = parse_diagnostics(compile(every_feature, names).log);
  EXPECT_EQ(dimensions_in(said, source, 0), 1);
  EXPECT_EQ(dimensions_in(said, source, 1), 2);
  EXPECT_EQ(dimensions_in(said, source, 2), 3);
  const auto seen = usmx::detail::for_users(said);
  EXPECT_TRUE(seen.empty()) << seen.front().text;
}

TEST_F(nvrtc_test, views_that_are_checked_compile) {
  EXPECT_FALSE(compile(every_feature, names, 90, {.debug = true}).executable.empty());
}

TEST_F(nvrtc_test, device_newer_than_the_compiler_gets_ptx) {
  const compiled_program made = compile(every_feature, names, 999);
  EXPECT_NE(made.executable.find(".visible .entry axpy("), std::string::npos);
  EXPECT_EQ(signature_in(made, 0), "axpy(float, const float*, float*)");
}

TEST_F(nvrtc_test, device_older_than_the_compiler_is_refused) {
  try {
    compile(every_feature, names, 10);
    FAIL();
  } catch (const compile_error& failed) {
    EXPECT_NE(std::string(failed.what()).find("no code for devices that are so old"),
              std::string::npos);
  }
}

TEST_F(nvrtc_test, macros_and_headers_are_seen) {
  const compiled_program made = compile(
      "#include \"mine/value.hpp\"\nUSMX_KERNEL(1) f(int* x) { *x = N + value; }", {"f"}, 90,
      {.defines = {{"N", "8"}}, .headers = {{"mine/value.hpp", "constexpr int value = 1;"}}});
  EXPECT_FALSE(made.executable.empty());
}

TEST_F(nvrtc_test, errors_name_the_users_line) {
  EXPECT_NE(error_of("USMX_KERNEL(1) f(int* x) {\n  x[0] = nothing; }")
                .find("<source>:3:10: identifier \"nothing\" is undefined"),
            std::string::npos);
}

TEST_F(nvrtc_test, options_that_it_does_not_know_are_errors_without_a_place) {
  try {
    compile("USMX_KERNEL(1) f(int* x) {}", {"f"}, 90, {.options = {"-O1"}});
    FAIL();
  } catch (const compile_error& failed) {
    ASSERT_EQ(failed.diagnostics().size(), 1U);
    EXPECT_EQ(failed.diagnostics()[0].file, "");
    EXPECT_NE(failed.diagnostics()[0].text.find("-O1"), std::string::npos);
  }
}

TEST_F(nvrtc_test, contraction_is_an_option_by_the_name_of_the_runtimes_compiler) {
  const auto code = [](const char* option) {
    return compile(
               "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(float* x) { *x = x[1] * x[2] + x[3]; "
               "}",
               {"f"}, 999, {.options = {option}})
        .executable;
  };
  EXPECT_EQ(code("-ffp-contract=off").find("fma.rn"), std::string::npos);
  EXPECT_NE(code("-ffp-contract=fast").find("fma.rn"), std::string::npos);
}

TEST_F(nvrtc_test, functions_without_a_definition_are_named) {
  EXPECT_NE(
      error_of("int missing(int); USMX_KERNEL(1) f(int* x) { *x = missing(1); }").find("missing"),
      std::string::npos);
}

TEST_F(nvrtc_test, headers_of_sycl_are_refused_with_the_reason) {
  EXPECT_NE(error_of("#include <sycl/sycl.hpp>\nUSMX_KERNEL(1) f(int* x) {}")
                .find("does not take the headers of SYCL: <usmx/kernel.hpp> has what kernels need"),
            std::string::npos);
}

TEST_F(nvrtc_test, modules_of_spirv_are_refused_with_the_reason) {
  const std::string magic("\x03\x02\x23\x07", 4);
  EXPECT_THROW(
      usmx::detail::compile({magic, {"f"}, {}, {}, 0}, cuda_target{find_nvrtc(13, 90), 90}, {}),
      compile_error);
}

TEST_F(nvrtc_test, compiler_that_takes_too_much_memory_is_ended) {
  EXPECT_THROW(compile(every_feature, names, 90, {}, {.memory_nbytes = 1 << 20}), compile_error);
}

TEST_F(nvrtc_test, other_compilers_and_devices_have_other_places_in_the_cache) {
  const auto identity = [](const cuda_target& target) { return usmx::detail::identity_of(target); };
  const cuda_target one{find_nvrtc(13, 90), 90};
  EXPECT_NE(identity(one), identity({one.compiler, 80}));
  EXPECT_NE(identity(one), identity({{"/bin/sh"}, 90}));
}

TEST(nvrtc_library_test, what_is_missing_is_named_with_how_to_install_it) {
  try {
    find_nvrtc(11, 90);  // no compiler is old enough for that driver
    FAIL();
  } catch (const compile_error& missing) {
    EXPECT_NE(std::string(missing.what()).find("pip install usmx[cuda]"), std::string::npos);
  }
}

}  // namespace
