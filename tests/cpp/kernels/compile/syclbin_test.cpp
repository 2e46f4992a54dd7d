#include "kernels/compile/spirv.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "usmx/base/error.hpp"

namespace {

using usmx::detail::modules_of_syclbin;

template <class Number>
void add(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

const std::string module_bytes = "\x03\x02\x23\x07 and the rest";

/// An object of one group of one module, with 3 bytes of texts before it.
std::string object_with(const std::string& module, std::uint32_t version = 1) {
  std::string image = "IBYS";
  for (const std::uint32_t each : {version, 1U, 1U, 0U, 0U}) {
    add(image, each);
  }
  for (const std::uint64_t each : {std::uint64_t{3}, std::uint64_t{module.size()}}) {
    add(image, each);
  }
  image.append(16 + 32 + 16, '\0');  // global texts, the group, the module's texts
  add(image, std::uint64_t{0});
  add(image, std::uint64_t{module.size()});
  image += "abc";
  image.resize((image.size() + 7) / 8 * 8);
  image += module;
  std::string binary = "\x10\xff\x10\xad";
  add(binary, std::uint32_t{2});
  for (const std::uint64_t each :
       {std::size_t{72} + image.size(), std::size_t{32}, std::size_t{1}, std::size_t{0},
        std::size_t{0}, std::size_t{0}, std::size_t{72}, image.size()}) {
    add(binary, each);
  }
  return binary + image;
}

TEST(syclbin_test, module_is_found) {
  const std::string object = object_with(module_bytes);
  const auto found = modules_of_syclbin(object);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], module_bytes);
}

TEST(syclbin_test, image_that_is_written_is_read_again) {
  const std::string object =
      usmx::detail::write_syclbin("global", {"of the kernels", "of it", module_bytes});
  const auto found = usmx::detail::read_syclbin(object);
  EXPECT_EQ(found.metadata, "global");
  ASSERT_EQ(found.images.size(), 1U);
  EXPECT_EQ(found.images[0].metadata, "of the kernels");
  EXPECT_EQ(found.images[0].module_metadata, "of it");
  EXPECT_EQ(found.images[0].module, module_bytes);
}

TEST(syclbin_test, modules_are_replaced_by_longer_ones) {
  const std::string object =
      usmx::detail::write_syclbin("global", {"of the kernels", "of it", module_bytes});
  const std::vector<std::string> modules{module_bytes + " and more"};
  const std::string changed = usmx::detail::with_modules(object, modules);
  const auto found = usmx::detail::read_syclbin(changed);
  EXPECT_EQ(found.images[0].metadata, "of the kernels");
  EXPECT_EQ(found.images[0].module, modules[0]);
  EXPECT_EQ(usmx::detail::with_modules(changed, std::vector{module_bytes}), object);
  EXPECT_THROW(usmx::detail::with_modules(object, {}), std::runtime_error);
}

TEST(syclbin_test, signature_is_taken_out_as_that_of_the_first_kernel) {
  // A float by value, and a pointer to int.
  const std::string words[] = {
      "NS0_5wordsIJLm67110050ELm402655456ELm499848736870ELm7630441"
      "ELm0ELm0ELm0ELm0ELm0ELm0EEEEEEvv"};
  const std::string object = "xx6detail9signatureILm7E" + words[0] + "yy";
  const std::string first = usmx::detail::signature_at(object, 7);
  EXPECT_EQ(first, "6detail9signatureILm0E" + words[0]);
  EXPECT_THROW(usmx::detail::signature_at(object, 0), usmx::value_error);
  const auto parameters = usmx::detail::parameters_in("--" + first + "--", 0, "f");
  EXPECT_EQ(parameters.size(), usmx::detail::parameters_in(object, 7, "f").size());
}

TEST(syclbin_test, no_bytes_have_no_modules) { EXPECT_TRUE(modules_of_syclbin({}).empty()); }

TEST(syclbin_test, other_versions_and_modules_are_refused) {
  EXPECT_THROW(modules_of_syclbin(object_with(module_bytes, 2)), std::runtime_error);
  EXPECT_THROW(modules_of_syclbin(object_with("LLVM bitcode")), std::runtime_error);
}

TEST(syclbin_test, object_cut_anywhere_is_refused) {
  const std::string whole = object_with(module_bytes);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_THROW(modules_of_syclbin(std::string_view(whole).substr(0, size)), std::runtime_error)
        << size;
  }
}

TEST(syclbin_test, byte_of_any_value_anywhere_is_read_or_refused) {
  const std::string whole = object_with(module_bytes);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[at] = value;
      try {
        for (const std::string_view module : modules_of_syclbin(changed)) {
          EXPECT_LE(module.end(), changed.data() + changed.size());
        }
      } catch (const std::runtime_error&) {
      }
    }
  }
}

}  // namespace
