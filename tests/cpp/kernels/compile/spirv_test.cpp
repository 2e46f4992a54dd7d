#include "kernels/compile/spirv.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/kernels/compile.hpp"

namespace {

using support::expect_error;
using usmx::detail::spirv_parameters;
using usmx::internal::is_spirv;

/// Puts a module together: each call adds an instruction.
class assembler {
 public:
  explicit assembler(std::uint32_t version = 0x10000) : words_{0x07230203, version, 0, 100, 0} {}

  assembler& add(std::uint32_t code, std::initializer_list<std::uint32_t> operands,
                 const std::string& text = {}, std::initializer_list<std::uint32_t> after = {}) {
    const std::size_t begin = words_.size();
    words_.push_back(0);
    words_.insert(words_.end(), operands);
    if (!text.empty()) {
      std::vector<std::uint32_t> packed(text.size() / 4 + 1);
      std::memcpy(packed.data(), text.data(), text.size());
      words_.insert(words_.end(), packed.begin(), packed.end());
    }
    words_.insert(words_.end(), after);
    words_[begin] = static_cast<std::uint32_t>(words_.size() - begin) << 16 | code;
    return *this;
  }
  std::string bytes() const {
    return {reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof words_[0]};
  }

 private:
  std::vector<std::uint32_t> words_;
};

/// With types of the numbers 11 to 19, and a kernel "f" with these parameters.
std::string module_with(std::initializer_list<std::uint32_t> parameters) {
  assembler made;
  made.add(15, {6, 1}, "f").add(71, {101, 38, 6}).add(71, {18, 10});
  made.add(21, {10, 8, 0}).add(21, {11, 32, 0}).add(22, {12, 32}).add(22, {13, 64});
  made.add(23, {14, 12, 3}).add(30, {15, 10, 13, 11}).add(32, {16, 5, 12}).add(32, {17, 5, 10});
  made.add(30, {18, 10, 13}).add(32, {19, 4, 12}).add(32, {20, 7, 15}).add(32, {21, 7, 18});
  made.add(32, {22, 8, 12}).add(20, {23}).add(21, {24, 64, 0}).add(32, {25, 0, 11});
  made.add(43, {11, 26, 6}).add(28, {27, 24, 26}).add(21, {28, 24, 0}).add(30, {29});
  made.add(54, {2, 1, 0, 3});
  std::uint32_t id = 100;
  for (const std::uint32_t type : parameters) {
    made.add(55, {type, id++});
  }
  return made.add(56, {}).bytes();
}

std::string signature_of(std::initializer_list<std::uint32_t> parameters) {
  return to_string(usmx::kernel_signature{"f", spirv_parameters(module_with(parameters), "f")});
}

TEST(spirv_test, numbers_keep_width_and_lose_sign) {
  EXPECT_EQ(signature_of({10, 11, 24, 12, 13}), "f(i8, i32, i64, float, double)");
  const auto all = spirv_parameters(module_with({11, 12}), "f");
  EXPECT_TRUE(all[0].is_signless);
  EXPECT_EQ(all[0].type, usmx::type_code::int32);
  EXPECT_FALSE(all[1].is_signless);
  EXPECT_EQ(signature_of({}), "f()");
}

TEST(spirv_test, pointers_are_global_or_local) {
  EXPECT_EQ(signature_of({16, 16, 17, 19, 25}),
            "f(float*, const float*, void*, usmx::local_memory<float>, const i32*)");
}

TEST(spirv_test, structures_and_vectors_have_a_size) {
  const auto all = spirv_parameters(module_with({20, 21, 14, 27}), "f");
  EXPECT_EQ(all[0].size, 24U);
  EXPECT_EQ(all[0].alignment, 8U);
  EXPECT_EQ(all[1].size, 9U);
  EXPECT_EQ(all[2].size, 16U);
  EXPECT_EQ(all[3].size, 48U);
  EXPECT_EQ(all[0].form, usmx::parameter_form::value);
}

TEST(spirv_test, parameter_that_no_launch_can_set_is_refused) {
  for (const std::uint32_t type : {22U, 23U, 28U, 29U, 99U}) {
    EXPECT_THROW(signature_of({type}), usmx::type_error) << type;
  }
}

TEST(spirv_test, bytes_that_are_no_module_are_refused) {
  EXPECT_FALSE(is_spirv(""));
  EXPECT_FALSE(is_spirv("#include"));
  EXPECT_TRUE(is_spirv(module_with({})));
  expect_error<usmx::value_error>([] { spirv_parameters(module_with({}).substr(0, 16), "f"); },
                                  {"expected at least 5 words of 4 bytes, found 16 bytes"});
  expect_error<usmx::value_error>([] { spirv_parameters(assembler(0x20000).bytes(), "f"); },
                                  {"expected version 1.0 to 1.6, found 2.0"});
  expect_error<usmx::value_error>([] { spirv_parameters(module_with({}), "g"); },
                                  {"expected a kernel 'g', found 'f'"});
  expect_error<usmx::value_error>([] { spirv_parameters(assembler().bytes(), "g"); },
                                  {"expected a kernel 'g', found none"});
  expect_error<usmx::value_error>(
      [] { spirv_parameters(assembler().add(15, {6, 1}, "f").bytes(), "f"); },
      {"expected the function of the kernel 'f', found none"});
  expect_error<usmx::value_error>(
      [] { spirv_parameters(assembler().bytes() + std::string(4, '\0'), "f"); },
      {"expected an instruction of 1 to 1 words, found 0"});
  expect_error<usmx::value_error>([] { spirv_parameters(assembler().add(54, {}).bytes(), "f"); },
                                  {"expected more than 0 operands in instruction 54"});
  expect_error<usmx::value_error>(
      [] { spirv_parameters(assembler().add(15, {6, 1, 0x41414141}).bytes(), "f"); },
      {"expected a name that ends"});
}

TEST(spirv_test, structures_within_structures_end) {
  assembler made;
  made.add(15, {6, 1}, "f").add(30, {200, 200, 200}).add(30, {300});
  for (std::uint32_t k = 301; k < 360; ++k) {
    made.add(30, {k, k - 1, k - 1});
  }
  made.add(54, {2, 1, 0, 3}).add(55, {200, 100});
  EXPECT_THROW(spirv_parameters(made.bytes(), "f"), usmx::type_error);
  made.add(54, {2, 1, 0, 3}).add(55, {359, 100});
  EXPECT_THROW(spirv_parameters(made.bytes(), "f"), usmx::type_error);
}

TEST(spirv_test, module_cut_anywhere_is_read_or_refused) {
  const std::string whole = module_with({10, 16, 20, 27});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      spirv_parameters(whole.substr(0, size), "f");
    } catch (const std::invalid_argument&) {
    }
  }
}

/// A function of that name that the module imports (1) or exports (0).
std::string module_linking(const std::string& name, std::uint32_t linkage) {
  return assembler().add(71, {1, 41}, name, {linkage}).bytes();
}

TEST(spirv_test, what_no_module_defines_is_refused_by_name) {
  const std::string imports[] = {module_linking("getpid", 1), module_linking("_ZSt9terminatev", 1)};
  const std::string_view modules[] = {imports[0], imports[1]};
  try {
    usmx::detail::require_definitions(modules);
    FAIL() << "nothing was refused";
  } catch (const usmx::compile_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("no definition: 'std::terminate()', 'getpid'"), text.npos) << text;
  }
}

TEST(spirv_test, what_another_module_or_the_runtime_defines_may_be_used) {
  for (const char* name :
       {"__spirv_BuiltInGlobalInvocationId", "_Z20__spirv_SomeFunctioni", "__devicelib_sinf"}) {
    const std::string imports = module_linking(name, 1);
    const std::string_view modules[] = {imports};
    EXPECT_NO_THROW(usmx::detail::require_definitions(modules)) << name;
  }
  const std::string both[] = {module_linking("sin", 1), module_linking("sin", 0)};
  const std::string_view modules[] = {both[0], both[1]};
  EXPECT_NO_THROW(usmx::detail::require_definitions(modules));
}

}  // namespace
