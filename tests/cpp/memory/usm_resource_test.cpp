// usmx/memory/resources.hpp: blocks straight from the SYCL runtime.
#include "usmx/memory/resources.hpp"

#include <gtest/gtest.h>

#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/slabs.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/usm.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::text;
using usmx::allocation_error;
using usmx::usm_kind;
using usmx::usm_resource;
using usmx::value_error;

class usm_resource_test : public support::device_test {};

TEST_F(usm_resource_test, unknown_kind_is_an_error) {
  expect_error<value_error>([] { usm_resource unknown(usm_kind::unknown); }, {"unknown"});
}

TEST_F(usm_resource_test, deallocated_block_goes_back_to_the_runtime) {
  constexpr std::size_t nbytes = support::beyond_runtime_pools;
  const usm_resource resource(usm_kind::device);
  std::byte* block = resource.allocate(nbytes, 0, queue());
  resource.deallocate(block, nbytes, 0, queue());
  EXPECT_EQ(sycl::get_pointer_type(block, context()), sycl::usm::alloc::unknown);
}

TEST_F(usm_resource_test, block_of_no_buffer_is_no_registered_one) {
  const usm_resource resource(usm_kind::device);
  std::byte* block = resource.allocate(100, 0, queue());
  EXPECT_FALSE(usmx::registry::find(block));
  EXPECT_EQ(usmx::check_access(block, 100, context()), usm_kind::device);
  resource.deallocate(block, 100, 0, queue());
}

TEST_F(usm_resource_test, alignment_that_the_runtime_does_not_keep_is_an_error) {
  for (const usm_kind kind : all_kinds) {
    const usm_resource resource(kind);
    for (int power = 32; power < 64; ++power) {
      const std::size_t alignment = std::size_t{1} << power;
      expect_error<allocation_error>([&] { resource.allocate(100, alignment, queue()); },
                                     {"100 bytes", text(alignment)});
    }
  }
}

TEST_F(usm_resource_test, blocks_are_of_the_context_of_the_queue) {
  if (!support::contexts_are_apart(queue())) {
    GTEST_SKIP() << "all contexts of this device share their memory";
  }
  const sycl::queue other(new_context(), device());
  const usm_resource resource(usm_kind::device);
  std::byte* block = resource.allocate(64, 0, other);
  EXPECT_EQ(usmx::pointer_kind(block, other.get_context()), usm_kind::device);
  EXPECT_EQ(usmx::pointer_kind(block, context()), usm_kind::unknown);
  resource.deallocate(block, 64, 0, other);
}

}  // namespace
