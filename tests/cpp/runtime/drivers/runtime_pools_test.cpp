// src/runtime/drivers/usm_driver.hpp: what the answers of the SYCL runtime's pools mean. No such
// pools are needed: a stand-in answers.
#include "runtime/drivers/usm_driver.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace {

using usmx::allocation_info;
using usmx::usm_kind;
namespace runtime_pools = usmx::detail::runtime_pools;
using runtime_pools::narrowed_to_chunk;
using runtime_pools::result;

constexpr result not_found = 4;  // any that is no success

/// A slab of the stand-in, whose last chunk is no whole one.
struct {
  std::byte slab[1000];
  std::size_t chunk;
  result find_result;
  result usable_result;
} stand_in;

result find_pool(const void*, umf_memory_pool_handle_t* pool) {
  *pool = reinterpret_cast<umf_memory_pool_handle_t>(&stand_in);
  return stand_in.find_result;
}

result usable_nbytes(umf_memory_pool_handle_t, const void* pointer, std::size_t* nbytes) {
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - stand_in.slab);
  *nbytes = stand_in.chunk - offset % stand_in.chunk;
  return stand_in.usable_result;
}

result usable_nbytes_of_a_block_by_itself(umf_memory_pool_handle_t, const void*,
                                          std::size_t* nbytes) {
  *nbytes = sizeof stand_in.slab;
  return runtime_pools::success;
}

class runtime_pools_test : public testing::Test {
 protected:
  void SetUp() override {
    stand_in.chunk = 300;
    stand_in.find_result = runtime_pools::success;
    stand_in.usable_result = runtime_pools::success;
  }

  static allocation_info whole() {
    return {usm_kind::device, stand_in.slab, sizeof stand_in.slab, true};
  }
  static allocation_info narrowed(std::size_t offset) {
    return narrowed_to_chunk({find_pool, usable_nbytes}, whole(), stand_in.slab + offset);
  }
  static void expect_bounds(const allocation_info& found, std::size_t first, std::size_t nbytes) {
    EXPECT_EQ(found.kind, usm_kind::device);
    EXPECT_TRUE(found.bounds_known);
    EXPECT_EQ(found.base - stand_in.slab, static_cast<std::ptrdiff_t>(first));
    EXPECT_EQ(found.nbytes, nbytes);
  }
};

TEST_F(runtime_pools_test, bounds_are_those_of_the_chunk_around_the_pointer) {
  expect_bounds(narrowed(0), 0, 300);
  expect_bounds(narrowed(299), 0, 300);
  expect_bounds(narrowed(300), 300, 300);
  expect_bounds(narrowed(777), 600, 300);
}

TEST_F(runtime_pools_test, rest_of_a_slab_that_is_no_chunk_keeps_the_drivers_bounds) {
  expect_bounds(narrowed(950), 0, 1000);
}

TEST_F(runtime_pools_test, block_by_itself_keeps_the_drivers_bounds) {
  expect_bounds(narrowed_to_chunk({find_pool, usable_nbytes_of_a_block_by_itself}, whole(),
                                  stand_in.slab + 10),
                0, 1000);
}

TEST_F(runtime_pools_test, memory_of_no_pool_keeps_the_drivers_bounds) {
  stand_in.find_result = not_found;
  expect_bounds(narrowed(10), 0, 1000);
}

TEST_F(runtime_pools_test, pool_that_does_not_tell_changes_nothing) {
  stand_in.usable_result = not_found;
  expect_bounds(narrowed(10), 0, 1000);
  stand_in.usable_result = runtime_pools::success;
  stand_in.chunk = 2000;
  expect_bounds(narrowed(10), 0, 1000);
}

TEST_F(runtime_pools_test, unknown_bounds_stay_unknown) {
  const allocation_info found =
      narrowed_to_chunk({find_pool, usable_nbytes}, {.kind = usm_kind::shared}, stand_in.slab + 10);
  EXPECT_EQ(found.kind, usm_kind::shared);
  EXPECT_FALSE(found.bounds_known);
}

TEST(runtime_pools, functions_are_there_exactly_where_the_library_is_loaded) {
  const bool loaded = dlopen("libumf.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  EXPECT_EQ(runtime_pools::find_functions().has_value(), loaded);
}

}  // namespace
