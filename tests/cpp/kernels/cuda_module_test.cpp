// kernels/device_kernel.hpp: what the package brings for CUDA devices. Needs no such device.
#include "kernels/device_kernel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "kernels/groups.hpp"

namespace {

using usmx::detail::kernel_group;
using usmx::detail::kernel_object;
using usmx::detail::kernel_shape;
using usmx::detail::names_of;

TEST(cuda_module, package_has_each_kernel_that_a_device_with_double_precision_needs) {
  for (const kernel_group group : usmx::detail::all_kernel_groups) {
    if (group == kernel_group::cast_integer_double) {
      continue;
    }
    const std::span<const char> ptx = kernel_object(group, kernel_shape::tiled);
    const std::string_view text(ptx.data(), ptx.size());
    for (const std::string name : names_of(group)) {
      EXPECT_NE(text.find(".visible .entry " + name + "("), text.npos) << name;
    }
  }
}

TEST(cuda_module, text_of_a_group_ends_with_a_null_character) {
  const std::span<const char> ptx = kernel_object(kernel_group::fill, kernel_shape::tiled);
  ASSERT_FALSE(ptx.empty());
  EXPECT_EQ(ptx.data()[ptx.size()], '\0');
}

}  // namespace
