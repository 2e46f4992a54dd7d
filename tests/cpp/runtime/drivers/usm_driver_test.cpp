// src/runtime/drivers/usm_driver.hpp: what each back end says of an allocation.
#include "runtime/drivers/usm_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "support/device_test.hpp"

namespace {

using support::all_kinds;
using support::runtime_block;
using usmx::allocation_info;
using usmx::usm_kind;

class usm_backend_test : public support::device_test {};

TEST_F(usm_backend_test, generic_driver_knows_the_kind_but_not_the_bounds) {
  const auto backend = usmx::detail::make_generic_driver(context());
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(256, kind, queue());
    for (const std::byte* pointer : {block.data(), block.data() + 100}) {
      const allocation_info found = backend->query(pointer);
      EXPECT_EQ(found.kind, kind);
      EXPECT_FALSE(found.bounds_known);
      EXPECT_EQ(found.base, nullptr);
      EXPECT_EQ(found.nbytes, 0U);
    }
  }
}

TEST_F(usm_backend_test, opencl_driver_knows_kind_and_bounds) {
  if (context().get_backend() != sycl::backend::opencl) {
    GTEST_SKIP() << "not an OpenCL context";
  }
  const auto backend = usmx::detail::make_opencl_driver(context());
  ASSERT_NE(backend, nullptr);
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(256, kind, queue());
    const allocation_info found = backend->query(block.data() + 100);
    EXPECT_EQ(found.kind, kind);
    EXPECT_TRUE(found.bounds_known);
    EXPECT_EQ(found.base, block.data());
    EXPECT_EQ(found.nbytes, 256U);
  }
}

TEST_F(usm_backend_test, every_backend_knows_the_owning_device) {
  std::vector<std::unique_ptr<usmx::detail::usm_driver>> backends;
  backends.push_back(usmx::detail::make_generic_driver(context()));
  if (context().get_backend() == sycl::backend::opencl) {
    backends.push_back(usmx::detail::make_opencl_driver(context()));
  }
  for (const auto& backend : backends) {
    for (const usm_kind kind : all_kinds) {
      const runtime_block block(256, kind, queue());
      EXPECT_EQ(backend->owner(block.data() + 100), device()) << name(kind);
    }
  }
}

TEST_F(usm_backend_test, garbage_is_unknown_to_every_backend) {
  std::vector<std::unique_ptr<usmx::detail::usm_driver>> backends;
  backends.push_back(usmx::detail::make_generic_driver(context()));
  if (context().get_backend() == sycl::backend::opencl) {
    backends.push_back(usmx::detail::make_opencl_driver(context()));
  }
  for (const auto& backend : backends) {
    for (const void* pointer : support::garbage_pointers()) {
      EXPECT_EQ(backend->query(pointer).kind, usm_kind::unknown) << pointer;
      EXPECT_FALSE(backend->query(pointer).bounds_known) << pointer;
    }
  }
}

TEST_F(usm_backend_test, bytes_inside_of_one_allocation_have_its_kind) {
  if (context().get_backend() != sycl::backend::opencl) {
    GTEST_SKIP() << "not an OpenCL context";
  }
  const auto backend = usmx::detail::make_opencl_driver(context());
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(256, kind, queue());
    EXPECT_EQ(backend->kind_around(block.data(), 256), kind);
    EXPECT_EQ(backend->kind_around(block.data(), 1), kind);
    EXPECT_EQ(backend->kind_around(block.data() + 255, 1), kind);
    EXPECT_EQ(backend->kind_around(block.data() + 100, 156), kind);
  }
}

TEST_F(usm_backend_test, bytes_beyond_an_allocation_have_no_kind) {
  if (context().get_backend() != sycl::backend::opencl) {
    GTEST_SKIP() << "not an OpenCL context";
  }
  const auto backend = usmx::detail::make_opencl_driver(context());
  for (const usm_kind kind : all_kinds) {
    // The next allocation may follow at once: what lies in both is in neither.
    const runtime_block block(256, kind, queue());
    const runtime_block other(256, kind, queue());
    const std::byte* first = std::min(block.data(), other.data(), std::less<>());
    const std::byte* second = std::max(block.data(), other.data(), std::less<>());
    const auto distance = static_cast<std::size_t>(second - first);
    for (const std::size_t nbytes : {std::size_t{257}, distance + 1, distance + 256,
                                     static_cast<std::size_t>(PTRDIFF_MAX), SIZE_MAX}) {
      EXPECT_EQ(backend->kind_around(first, nbytes), usm_kind::unknown) << nbytes;
    }
    EXPECT_EQ(backend->kind_around(second - 1, 2), usm_kind::unknown);
  }
}

TEST_F(usm_backend_test, garbage_has_no_kind_of_any_size) {
  std::vector<std::unique_ptr<usmx::detail::usm_driver>> backends;
  backends.push_back(usmx::detail::make_generic_driver(context()));
  if (context().get_backend() == sycl::backend::opencl) {
    backends.push_back(usmx::detail::make_opencl_driver(context()));
  }
  for (const auto& backend : backends) {
    for (const void* pointer : support::garbage_pointers()) {
      for (const std::size_t nbytes : {std::size_t{1}, std::size_t{4096}, SIZE_MAX}) {
        EXPECT_EQ(backend->kind_around(pointer, nbytes), usm_kind::unknown) << pointer;
      }
    }
  }
}

TEST_F(usm_backend_test, backend_without_bounds_tells_the_kind_of_the_first_byte) {
  const auto backend = usmx::detail::make_generic_driver(context());
  const runtime_block block(256, usm_kind::shared, queue());
  EXPECT_EQ(backend->kind_around(block.data() + 100, 100000), usm_kind::shared);
}

TEST(usm_backend, back_end_that_is_not_in_the_table_has_the_traits_of_those_without_a_driver) {
  EXPECT_EQ(&usmx::detail::traits_of(sycl::backend::all),
            &usmx::detail::traits_of(sycl::backend::ext_oneapi_native_cpu));
}

TEST(usm_backend, each_driver_states_its_own_traits) {
  std::vector<const usmx::detail::backend_traits*> stated;
  for (const usmx::detail::back_end& known : usmx::detail::back_ends) {
    if (known.make_driver != usmx::detail::make_generic_driver) {
      stated.push_back(known.traits);
    }
  }
  std::ranges::sort(stated);
  EXPECT_EQ(std::ranges::adjacent_find(stated), stated.end());
}

TEST(usm_backend, bounds_are_known_from_the_first_to_the_last_byte) {
  const std::array<std::byte, 16> block{};
  for (const std::byte* pointer : {&block.front(), &block.back()}) {
    const allocation_info found =
        usmx::detail::with_bounds(usm_kind::device, pointer, block.data(), block.size());
    EXPECT_EQ(found.kind, usm_kind::device);
    EXPECT_TRUE(found.bounds_known);
    EXPECT_EQ(found.base, block.data());
    EXPECT_EQ(found.nbytes, block.size());
  }
}

TEST(usm_backend, bounds_without_base_or_size_are_unknown) {
  const std::array<std::byte, 16> block{};
  for (const allocation_info& found :
       {usmx::detail::with_bounds(usm_kind::host, block.data(), nullptr, block.size()),
        usmx::detail::with_bounds(usm_kind::host, block.data(), block.data(), 0)}) {
    EXPECT_EQ(found.kind, usm_kind::host);
    EXPECT_FALSE(found.bounds_known);
  }
}

TEST(usm_backend, driver_that_puts_the_pointer_outside_of_its_allocation_vouches_for_nothing) {
  const std::array<std::byte, 16> block{};
  const std::byte* inner = block.data() + 4;
  for (const std::byte* pointer : {inner - 1, inner + 8}) {
    const allocation_info found = usmx::detail::with_bounds(usm_kind::device, pointer, inner, 8);
    EXPECT_EQ(found.kind, usm_kind::unknown);
    EXPECT_FALSE(found.bounds_known);
  }
}

TEST(usm_backend, bounds_up_to_the_end_of_the_address_space_do_not_wrap) {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
  const auto found = usmx::detail::with_bounds(usm_kind::device, at(UINTPTR_MAX - 1),
                                               at(UINTPTR_MAX - 15), SIZE_MAX);
  EXPECT_TRUE(found.bounds_known);
  EXPECT_EQ(usmx::detail::with_bounds(usm_kind::device, at(8), at(UINTPTR_MAX - 15), 64).kind,
            usm_kind::unknown);
}

}  // namespace
