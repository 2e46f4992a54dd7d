// usmx/memory_resource.hpp: blocks straight from the SYCL runtime.
#include "usmx/memory/memory_resource.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/registry_internal.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/contexts.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::text;
using usmx::allocation_error;
using usmx::usm_kind;
using usmx::usm_resource;
using usmx::value_error;
namespace registry = usmx::registry;

// What the concept asks for, and one thing less.
struct complete_resource {
  std::byte* allocate(std::size_t nbytes, std::size_t alignment);
  void deallocate(std::byte* block) noexcept;
  usm_kind kind() const noexcept;
  const sycl::queue& queue() const noexcept;
};
struct resource_that_may_throw_on_deallocate : complete_resource {
  void deallocate(std::byte* block);
};
struct resource_of_void_pointers : complete_resource {
  void* allocate(std::size_t nbytes, std::size_t alignment);
};

static_assert(usmx::memory_resource<usm_resource>);
static_assert(usmx::memory_resource<complete_resource>);
static_assert(!usmx::memory_resource<resource_that_may_throw_on_deallocate>);
static_assert(!usmx::memory_resource<resource_of_void_pointers>);
static_assert(!usmx::memory_resource<int>);

class memory_resource_test : public support::device_test {};

TEST_F(memory_resource_test, resource_knows_its_kind_and_queue) {
  for (const usm_kind kind : all_kinds) {
    const usm_resource resource(queue(), kind);
    EXPECT_EQ(resource.kind(), kind);
    EXPECT_EQ(resource.queue(), queue());
  }
}

TEST_F(memory_resource_test, unknown_kind_is_an_error) {
  expect_error<value_error>([&] { usm_resource(queue(), usm_kind::unknown); }, {"unknown"});
}

TEST_F(memory_resource_test, runtime_confirms_the_kind_of_a_block) {
  for (const usm_kind kind : all_kinds) {
    usm_resource resource(queue(), kind);
    std::byte* block = resource.allocate(100);
    EXPECT_EQ(sycl::get_pointer_type(block, context()), support::to_sycl(kind));
    resource.deallocate(block);
  }
}

TEST_F(memory_resource_test, every_byte_of_a_block_can_be_written_and_read) {
  for (const usm_kind kind : all_kinds) {
    usm_resource resource(queue(), kind);
    std::byte* block = resource.allocate(1003);
    const std::vector bytes(1003, std::byte{0x5a});
    support::upload(bytes, block, queue());
    EXPECT_EQ(support::download(block, 1003, queue()), bytes) << name(kind);
    resource.deallocate(block);
  }
}

TEST_F(memory_resource_test, block_is_registered_from_allocation_to_deallocation) {
  for (const usm_kind kind : all_kinds) {
    usm_resource resource(queue(), kind);
    const std::size_t before = registry::size();
    std::byte* block = resource.allocate(100);
    EXPECT_EQ(registry::size(), before + 1);
    const auto found = registry::find(block + 99);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->base, block);
    EXPECT_EQ(found->nbytes, 100U);
    EXPECT_EQ(found->kind, kind);
    EXPECT_EQ(found->context, context());
    EXPECT_FALSE(registry::find(block + 100));
    resource.deallocate(block);
    EXPECT_FALSE(registry::find(block));
    EXPECT_EQ(registry::size(), before);
  }
}

TEST_F(memory_resource_test, deallocated_block_goes_back_to_the_runtime) {
  usm_resource resource(queue(), usm_kind::device);
  std::byte* block = resource.allocate(100);
  resource.deallocate(block);
  EXPECT_EQ(sycl::get_pointer_type(block, context()), sycl::usm::alloc::unknown);
}

TEST_F(memory_resource_test, every_power_of_two_is_an_alignment) {
  for (const usm_kind kind : all_kinds) {
    usm_resource resource(queue(), kind);
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
      for (const std::size_t nbytes : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
        std::byte* block = resource.allocate(nbytes, alignment);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U)
            << alignment << " " << name(kind);
        EXPECT_EQ(usmx::check_access(block, nbytes, context()), kind);
        resource.deallocate(block);
      }
    }
  }
}

TEST_F(memory_resource_test, alignment_that_the_runtime_does_not_keep_is_an_error) {
  for (const usm_kind kind : all_kinds) {
    usm_resource resource(queue(), kind);
    for (int power = 32; power < 64; ++power) {
      const std::size_t alignment = std::size_t{1} << power;
      expect_error<allocation_error>([&] { resource.allocate(100, alignment); },
                                     {"100 bytes", text(alignment)});
    }
  }
}

TEST_F(memory_resource_test, without_an_alignment_every_element_type_is_aligned) {
  usm_resource resource(queue(), usm_kind::device);
  std::byte* block = resource.allocate(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
  resource.deallocate(block);
}

TEST_F(memory_resource_test, alignment_that_is_no_power_of_two_is_an_error) {
  usm_resource resource(queue(), usm_kind::device);
  for (const std::size_t alignment : {3, 6, 24, 100, 4095, 4097}) {
    expect_error<value_error>([&] { resource.allocate(64, alignment); },
                              {"alignment", text(alignment)});
  }
  expect_error<value_error>([&] { resource.allocate(64, SIZE_MAX); }, {text(SIZE_MAX)});
}

TEST_F(memory_resource_test, zero_bytes_are_an_error) {
  for (const usm_kind kind : all_kinds) {
    usm_resource resource(queue(), kind);
    expect_error<value_error>([&] { resource.allocate(0); }, {"bytes", "0"});
    expect_error<value_error>([&] { resource.allocate(0, 64); }, {"bytes", "0"});
  }
}

TEST_F(memory_resource_test, memory_that_nobody_has_is_an_error_with_bytes_kind_and_device) {
  const std::size_t before = registry::size();
  for (const usm_kind kind : all_kinds) {
    usm_resource resource(queue(), kind);
    for (const std::size_t nbytes :
         {std::size_t{1} << 62, std::size_t{1} << 63, SIZE_MAX, std::size_t{1} << 50}) {
      for (const std::size_t alignment : {0, 64, 4096}) {
        expect_error<allocation_error>(
            [&] { resource.allocate(nbytes, alignment); },
            {text(nbytes) + " bytes", text(name(kind)), usmx::describe(device())});
      }
    }
  }
  EXPECT_EQ(registry::size(), before);
}

TEST_F(memory_resource_test, resource_works_on_after_a_failed_allocation) {
  usm_resource resource(queue(), usm_kind::shared);
  EXPECT_THROW(resource.allocate(std::size_t{1} << 62), allocation_error);
  std::byte* block = resource.allocate(64);
  EXPECT_EQ(usmx::pointer_kind(block, context()), usm_kind::shared);
  resource.deallocate(block);
}

TEST_F(memory_resource_test, blocks_are_of_the_context_of_the_queue) {
  const sycl::context other = new_context();
  usm_resource resource(sycl::queue(other, device()), usm_kind::device);
  std::byte* block = resource.allocate(64);
  EXPECT_EQ(usmx::pointer_kind(block, other), usm_kind::device);
  EXPECT_EQ(usmx::pointer_kind(block, context()), usm_kind::unknown);
  resource.deallocate(block);
}

TEST_F(memory_resource_test, live_blocks_do_not_overlap) {
  usm_resource resource(queue(), usm_kind::device);
  std::vector<std::byte*> blocks;
  for (int count = 0; count < 200; ++count) {
    blocks.push_back(resource.allocate(24, count % 2 == 0 ? 0 : 8));
  }
  std::ranges::sort(blocks);
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    ASSERT_GE(blocks[k] - blocks[k - 1], 24);
  }
  for (std::byte* block : blocks) {
    resource.deallocate(block);
  }
}

TEST_F(memory_resource_test, block_may_be_deallocated_by_another_thread) {
  usm_resource resource(queue(), usm_kind::device);
  std::byte* block = resource.allocate(64);
  std::thread([&] { usm_resource(queue(), usm_kind::device).deallocate(block); }).join();
  EXPECT_FALSE(registry::find(block));
}

}  // namespace
