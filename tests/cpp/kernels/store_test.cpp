// src/kernels/store.hpp: kernels come from the disk cache, the package or their source, and are all
// there.
#include "kernels/store.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <thread>

#include "kernels/compile/packaged_programs.hpp"
#include "kernels/compile/program_store.hpp"
#include "kernels/group_programs.hpp"
#include "runtime/contexts.hpp"
#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "support/draws.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace usmx::detail;

/// Of every device, whoever builds them.
class device_kernels_test : public support::device_test {};

class kernel_store_test : public support::device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (!IsSkipped() && shape_for(device()) == kernel_shape::tiled) {
      GTEST_SKIP() << "this device's kernels are the driver's, which keeps them itself";
    }
  }

  static cached_program cached(kernel_group group, kernel_shape shape = kernel_shape::narrow) {
    return {name_of(group, shape), program_of(group, shape), device(), target_for(device())};
  }
  /// Whether a context that has built nothing yet finds the group's kernels.
  static bool is_found(kernel_group group, kernel_shape shape = kernel_shape::narrow) {
    return device_kernels(context(), device(), shape).find({group, 0}) != nullptr;
  }
  static std::size_t count_of_fills(compiled_program compiled) {
    const auto names = program_of(kernel_group::fill, kernel_shape::narrow).kernels;
    return load_code(compiled.executable, names, context(), device()).size();
  }

  support::temporary_folder folder_;
  support::environment_variable directory_{"USMX_CACHE_DIR", folder_.path() / "usmx"};
};

TEST_F(kernel_store_test, package_brings_an_object_with_the_kernels_of_every_group) {
  for (const kernel_group group : all_kernel_groups) {
    for (const kernel_shape shape : all_kernel_shapes) {
      const auto found = packaged_programs::installed().find(program_of(group, shape));
      ASSERT_TRUE(found) << name_of(group, shape);
      for (const std::string name : names_of(group)) {
        EXPECT_NE(found->object.find(name + '\0'), std::string::npos) << name;
      }
    }
  }
}

TEST_F(kernel_store_test, each_origin_has_all_kernels) {
  const cached_program entry = cached(kernel_group::fill);
  EXPECT_FALSE(entry.load());
  EXPECT_TRUE(is_found(kernel_group::fill));
  const std::size_t count = names_of(kernel_group::fill).size();
  const auto kept = entry.load();
  ASSERT_TRUE(kept);
  EXPECT_EQ(count_of_fills(*kept), count);
  const program source = program_of(kernel_group::fill, kernel_shape::narrow);
  const compile_target target = target_for(device());
  const auto packaged = linked_from_package(source, target, context());
  ASSERT_TRUE(packaged);
  EXPECT_EQ(count_of_fills(*packaged), count);
  EXPECT_EQ(count_of_fills(compile(source, target, {})), count);
}

/// Whether the processes below have a group: to build all takes the driver most of a minute under a
/// sanitizer.
bool is_drawn(kernel_group group) { return support::is_drawn(static_cast<std::size_t>(group)); }

// What each of the processes below does: it loads the groups, in every shape, from the first origin
// that has them. Outside of these processes it is one group.
TEST_F(kernel_store_test, groups_are_loaded_as_by_a_process) {
  const char* const shared = std::getenv("USMX_TEST_ALL_GROUPS");
  const support::environment_variable directory(
      "USMX_CACHE_DIR", shared == nullptr ? std::getenv("USMX_CACHE_DIR") : shared);
  for (const kernel_group group : all_kernel_groups) {
    if (shared == nullptr ? group != kernel_group::fill : !is_drawn(group)) {
      continue;
    }
    for (const kernel_shape shape : all_kernel_shapes) {
      const bool is_kept = cached(group, shape).load().has_value();
      EXPECT_TRUE(is_found(group, shape));
      std::cout << name_of(group, shape) << (is_kept ? " kept" : " built") << std::endl;
    }
  }
}

TEST_F(kernel_store_test, second_and_third_process_build_nothing_of_any_group) {
  std::string all[2];
  for (const kernel_group group : all_kernel_groups) {
    if (!is_drawn(group)) {
      continue;
    }
    for (const kernel_shape shape : all_kernel_shapes) {
      all[0] += name_of(group, shape) + " built\n";
      all[1] += name_of(group, shape) + " kept\n";
    }
  }
  const std::string settings =
      "USMX_TEST_ALL_GROUPS='" + (folder_.path() / "shared").string() + "'";
  for (int process = 0; process < 3; ++process) {
    const auto done =
        support::run_test(settings, "kernel_store_test.groups_are_loaded_as_by_a_process");
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_NE(done.output.find(all[process == 0 ? 0 : 1]), std::string::npos) << done.output;
    EXPECT_EQ(done.output.find("damaged"), std::string::npos) << done.output;
  }
}

TEST_F(kernel_store_test, entry_without_kernels_is_replaced) {
  cached(kernel_group::fill).store({std::string(5000, 'x'), {}});
  testing::internal::CaptureStderr();
  EXPECT_TRUE(is_found(kernel_group::fill));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is damaged and is built again"),
            std::string::npos);
  EXPECT_NE(cached(kernel_group::fill).load()->executable, std::string(5000, 'x'));
}

TEST_F(kernel_store_test, entry_of_another_group_is_replaced) {
  EXPECT_TRUE(is_found(kernel_group::fill));
  cached(kernel_group::copy).store(*cached(kernel_group::fill).load());
  testing::internal::CaptureStderr();
  EXPECT_TRUE(is_found(kernel_group::copy));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("usmx_copy_1"), std::string::npos);
}

TEST_F(kernel_store_test, identities_tell_groups_and_shapes_apart_and_name_the_driver) {
  std::set<std::string> identities;
  for (const kernel_group group : all_kernel_groups) {
    for (const kernel_shape shape : all_kernel_shapes) {
      const cached_program entry = cached(group, shape);
      ASSERT_NE(entry.identity(), nullptr) << name_of(group, shape);
      EXPECT_TRUE(identities.insert(*entry.identity()).second) << name_of(group, shape);
      EXPECT_NE(entry.identity()->find(device().get_info<sycl::info::device::driver_version>()),
                std::string::npos);
    }
  }
}

TEST_F(device_kernels_test, threads_get_the_same_kernels) {
  device_kernels kernels(context(), device(), shape_for(device()));
  std::array<const usmx::detail::device_kernel*, 8> found{};
  {
    std::vector<std::jthread> threads;
    for (auto& slot : found) {
      threads.emplace_back([&] { slot = kernels.find(fill_kernel(4)); });
    }
  }
  for (const auto* kernel : found) {
    EXPECT_NE(kernel, nullptr);
    EXPECT_EQ(kernel, found[0]);
  }
}

TEST_F(device_kernels_test, context_keeps_the_kernels_of_each_device) {
  const auto kernels = kernels_of(sycl::queue(context(), device()));
  EXPECT_EQ(kernels_of(sycl::queue(context(), device())), kernels);
  EXPECT_EQ(kernels->find(fill_kernel(8)), kernels->find(fill_kernel(8)));
}

TEST_F(device_kernels_test, kernels_that_somebody_holds_live_while_other_contexts_come) {
  const auto held = kernels_of(sycl::queue(sycl::context(device()), device()));
  for (int count = 0; count < 200; ++count) {
    usmx::detail::state_of(sycl::context(device()));
  }
  EXPECT_NE(held->find(fill_kernel(4)), nullptr);
}

}  // namespace
