// kernels/group_programs.hpp: usmx's own kernels for CUDA devices. Needs no such device.
#include <gtest/gtest.h>

#include <string>

#include "kernels/compile/compiler.hpp"
#include "kernels/compile/packaged_programs.hpp"
#include "kernels/group_programs.hpp"

namespace {

using namespace usmx::detail;

TEST(cuda_module, package_has_each_kernel_that_a_device_with_double_precision_needs) {
  for (const kernel_group group : all_kernel_groups) {
    if (group == kernel_group::cast_integer_double) {
      continue;
    }
    const auto ptx = packaged_programs::installed().find(program_of(group, kernel_shape::tiled));
    ASSERT_TRUE(ptx);
    for (const std::string name : names_of(group)) {
      EXPECT_NE(ptx->object.find(".visible .entry " + name + "("), std::string::npos) << name;
    }
  }
}

TEST(cuda_module, group_is_compiled_where_the_package_lacks_it) {
  nvrtc_library compiler;
  try {
    compiler = find_nvrtc(13, 90);
  } catch (const usmx::compile_error& missing) {
    GTEST_SKIP() << missing.what();
  }
  const auto made =
      compile(program_of(kernel_group::fill, kernel_shape::tiled), cuda_target{compiler, 90}, {});
  EXPECT_GT(made.executable.size(), 1000U);
}

}  // namespace
