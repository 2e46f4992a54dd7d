// usmx/memory/resources.hpp: two C functions.
#include "usmx/memory/resources.hpp"

#include <gtest/gtest.h>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/current_resource.hpp"

namespace {

using support::expect_error;
using usmx::allocation_error;
using usmx::function_resource;
using usmx::usm_kind;
using usmx::value_error;

int last_device = -1;
std::size_t last_freed_nbytes = 0;
int live_blocks = 0;

extern "C" void* usmx_test_allocate(std::size_t nbytes, int device, sycl::queue* queue) {
  last_device = device;
  ++live_blocks;
  return sycl::aligned_alloc_shared(64, nbytes, *queue);
}
extern "C" void usmx_test_free(void* block, std::size_t nbytes, sycl::queue* queue) {
  last_freed_nbytes = nbytes;
  --live_blocks;
  sycl::free(block, *queue);
}
/// Never aligned to more than 64 bytes.
extern "C" void* usmx_test_allocate_unaligned(std::size_t nbytes, int device, sycl::queue* queue) {
  return static_cast<std::byte*>(usmx_test_allocate(nbytes + 64, device, queue)) + 64;
}
extern "C" void usmx_test_free_unaligned(void* block, std::size_t nbytes, sycl::queue* queue) {
  usmx_test_free(static_cast<std::byte*>(block) - 64, nbytes + 64, queue);
}
extern "C" void* usmx_test_allocate_nothing(std::size_t, int, sycl::queue*) { return nullptr; }

class function_resource_test : public support::device_test {};

TEST_F(function_resource_test, functions_get_size_device_and_queue) {
  const function_resource resource(usm_kind::shared, usmx_test_allocate, usmx_test_free, 3);
  std::byte* block = resource.allocate(100, 0, queue());
  EXPECT_EQ(last_device, 3);
  EXPECT_EQ(sycl::get_pointer_type(block, context()), sycl::usm::alloc::shared);
  resource.deallocate(block, 100, 0, queue());
  EXPECT_EQ(last_freed_nbytes, 100U);
  EXPECT_EQ(live_blocks, 0);
}

TEST_F(function_resource_test, null_of_the_function_is_an_error) {
  const function_resource resource(usm_kind::shared, usmx_test_allocate_nothing, usmx_test_free);
  expect_error<allocation_error>([&] { resource.allocate(100, 0, queue()); },
                                 {"100 bytes", "shared", "function"});
}

TEST_F(function_resource_test, alignment_that_the_function_does_not_keep_is_an_error) {
  const function_resource resource(usm_kind::shared, usmx_test_allocate_unaligned,
                                   usmx_test_free_unaligned);
  expect_error<allocation_error>([&] { resource.allocate(100, std::size_t{1} << 40, queue()); },
                                 {"100 bytes", "align"});
  EXPECT_EQ(live_blocks, 0);
}

TEST_F(function_resource_test, pool_aligns_what_the_functions_do_not) {
  {
    usmx::pool_resource pool(
        std::make_shared<function_resource>(usm_kind::shared, usmx_test_allocate_unaligned,
                                            usmx_test_free_unaligned),
        queue());
    for (const std::size_t alignment : {64, 4096, 8192, 1 << 21}) {
      for (const std::size_t nbytes : {100, 100'000}) {
        std::byte* block = pool.allocate(nbytes, alignment, queue());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
        support::upload(std::vector(nbytes, std::byte{1}), block, queue());
        pool.deallocate(block, nbytes, alignment, queue());
      }
    }
  }
  EXPECT_EQ(live_blocks, 0);
}

TEST_F(function_resource_test, unknown_kind_and_null_functions_are_errors) {
  for (const usm_kind kind : {usm_kind::unknown, static_cast<usm_kind>(4)}) {
    expect_error<value_error>([=] { function_resource(kind, usmx_test_allocate, usmx_test_free); },
                              {"unknown"});
  }
  expect_error<value_error>([] { function_resource(usm_kind::host, nullptr, usmx_test_free); },
                            {"null"});
  expect_error<value_error>([] { function_resource(usm_kind::host, usmx_test_allocate, nullptr); },
                            {"null"});
}

}  // namespace
