// src/kernels/store.hpp: kernels come from the disk cache, the package or their source, and are all
// there.
#include "kernels/store.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "kernels/groups.hpp"
#include "runtime/contexts.hpp"
#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using usmx::value_error;
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

  cache_files cache() const { return cache_files(folder_.path() / "usmx"); }
  std::vector<sycl::kernel> load(kernel_origin origin, kernel_group group,
                                 kernel_shape shape = kernel_shape::narrow) const {
    return load_kernels(origin, context(), device(), group, shape, cache());
  }
  std::size_t cached_nbytes(kernel_group group) const {
    const auto found = cache().load(cache_key_of(device(), group, kernel_shape::narrow));
    return found ? found->size() : 0;
  }

  support::temporary_folder folder_;
};

TEST_F(kernel_store_test, package_brings_an_object_of_every_group) {
  for (const kernel_group group : all_kernel_groups) {
    for (const kernel_shape shape : all_kernel_shapes) {
      EXPECT_GT(kernel_object(group, shape).size(), 1000U) << name_of(group, shape);
    }
  }
}

TEST_F(kernel_store_test, each_origin_has_all_kernels) {
  expect_error<value_error>([&] { load(kernel_origin::disk_cache, kernel_group::fill); },
                            {"no entry for fill in the disk cache"});
  const std::size_t count = names_of(kernel_group::fill).size();
  EXPECT_EQ(load(kernel_origin::package, kernel_group::fill).size(), count);
  EXPECT_GT(cached_nbytes(kernel_group::fill), 1000U);
  EXPECT_EQ(load(kernel_origin::disk_cache, kernel_group::fill).size(), count);
  EXPECT_EQ(load(kernel_origin::source, kernel_group::fill).size(), count);
  EXPECT_EQ(load(kernel_origin::disk_cache, kernel_group::fill).size(), count);
}

// What each of the processes below does: it loads every group, in every shape, from the first
// origin that has it. To build them all takes the driver most of a minute under a sanitizer, so
// outside of these processes it is one group.
TEST_F(kernel_store_test, groups_are_loaded_as_by_a_process) {
  const bool all = std::getenv("USMX_TEST_ALL_GROUPS") != nullptr;
  for (const kernel_group group : all_kernel_groups) {
    if (!all && group != kernel_group::fill) {
      continue;
    }
    for (const kernel_shape shape : all_kernel_shapes) {
      const bool is_kept = cache_files().load(cache_key_of(device(), group, shape)).has_value();
      const auto origin = is_kept ? kernel_origin::disk_cache : kernel_origin::package;
      EXPECT_EQ(load_kernels(origin, context(), device(), group, shape, cache_files()).size(),
                names_of(group).size());
      std::cout << name_of(group, shape) << (is_kept ? " kept" : " built") << std::endl;
    }
  }
}

TEST_F(kernel_store_test, second_and_third_process_build_nothing_of_any_group) {
  std::string all[2];
  for (const kernel_group group : all_kernel_groups) {
    for (const kernel_shape shape : all_kernel_shapes) {
      all[0] += name_of(group, shape) + " built\n";
      all[1] += name_of(group, shape) + " kept\n";
    }
  }
  const std::string settings =
      "USMX_TEST_ALL_GROUPS=1 USMX_CACHE_DIR='" + (folder_.path() / "shared").string() + "'";
  for (int process = 0; process < 3; ++process) {
    const auto done =
        support::run_test(settings, "kernel_store_test.groups_are_loaded_as_by_a_process");
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_NE(done.output.find(all[process == 0 ? 0 : 1]), std::string::npos) << done.output;
    EXPECT_EQ(done.output.find("damaged"), std::string::npos) << done.output;
  }
}

TEST_F(kernel_store_test, entry_without_kernels_is_discarded) {
  const kernel_cache_key key = cache_key_of(device(), kernel_group::fill, kernel_shape::narrow);
  cache().store(key, std::vector<char>(5000, 'x'));
  testing::internal::CaptureStderr();
  EXPECT_ANY_THROW(load(kernel_origin::disk_cache, kernel_group::fill));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is damaged and is built again"),
            std::string::npos);
  EXPECT_EQ(cache().load(key), std::nullopt);
}

TEST_F(kernel_store_test, entry_of_another_group_is_discarded) {
  load(kernel_origin::package, kernel_group::fill);
  const auto other = cache().load(cache_key_of(device(), kernel_group::fill, kernel_shape::narrow));
  const kernel_cache_key key = cache_key_of(device(), kernel_group::copy, kernel_shape::narrow);
  cache().store(key, *other);
  testing::internal::CaptureStderr();
  EXPECT_ANY_THROW(load(kernel_origin::disk_cache, kernel_group::copy));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("usmx_copy_1"), std::string::npos);
  EXPECT_EQ(cache().load(key), std::nullopt);
}

TEST_F(kernel_store_test, keys_tell_groups_and_shapes_apart_and_name_the_device) {
  const auto key = cache_key_of(device(), kernel_group::copy, kernel_shape::narrow);
  EXPECT_EQ(key.device, device().get_info<sycl::info::device::name>());
  EXPECT_NE(key.group, cache_key_of(device(), kernel_group::copy, kernel_shape::wide).group);
  EXPECT_NE(key.rest, cache_key_of(device(), kernel_group::fill, kernel_shape::narrow).rest);
  EXPECT_NE(key.rest.find(device().get_info<sycl::info::device::driver_version>()), key.rest.npos);
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
