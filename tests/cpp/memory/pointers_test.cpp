// usmx/usm.hpp: what pointers are, and which byte ranges are vouched for.
#include "usmx/memory/usm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/slabs.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::runtime_block;
using support::text;
using usmx::allocation_info;
using usmx::check_access;
using usmx::check_device;
using usmx::host_may_touch;
using usmx::pointer_device;
using usmx::pointer_kind;
using usmx::query_allocation;
using usmx::usm_kind;
using usmx::value_error;
using usmx::internal::host_may_view;

// Memory of usmx itself, which its registry knows.
class own_block {
 public:
  own_block(std::size_t nbytes, usm_kind kind, const sycl::queue& queue)
      : bytes_(usmx::buffer::allocate(nbytes, kind, queue)) {}

  std::byte* data() const noexcept { return bytes_.data(); }

 private:
  usmx::buffer bytes_;
};

// Both kinds of owners, in turn.
template <class Block>
class usm_test : public support::device_test {
 protected:
  /// What the SYCL runtime's pools have chunks for: its bounds are those of the chunk.
  static constexpr std::size_t nbytes = 1024;
};

struct block_names {
  template <class Block>
  static std::string GetName(int) {
    return std::is_same_v<Block, own_block> ? "own_memory" : "runtime_memory";
  }
};

using both_owners = testing::Types<own_block, runtime_block>;
TYPED_TEST_SUITE(usm_test, both_owners, block_names);

TYPED_TEST(usm_test, allocation_is_known_by_any_of_its_bytes) {
  for (const usm_kind kind : all_kinds) {
    const TypeParam block(this->nbytes, kind, this->queue());
    for (const std::size_t offset :
         {std::size_t{0}, std::size_t{1}, std::size_t{500}, this->nbytes - 1}) {
      const allocation_info found = query_allocation(block.data() + offset, this->context());
      EXPECT_EQ(found.kind, kind) << offset;
      EXPECT_TRUE(found.bounds_known);
      EXPECT_EQ(found.base, block.data());
      EXPECT_EQ(found.nbytes, this->nbytes);
      EXPECT_EQ(pointer_kind(block.data() + offset, this->context()), kind);
    }
  }
}

TYPED_TEST(usm_test, one_past_the_end_is_not_of_the_allocation) {
  for (const usm_kind kind : all_kinds) {
    const TypeParam block(this->nbytes, kind, this->queue());
    EXPECT_NE(query_allocation(block.data() + this->nbytes, this->context()).base, block.data());
    EXPECT_NE(query_allocation(block.data() - 1, this->context()).base, block.data());
  }
}

TYPED_TEST(usm_test, memory_of_another_context_is_unknown) {
  if (!support::contexts_are_apart(this->queue())) {
    GTEST_SKIP() << "all contexts of this device share their memory";
  }
  const sycl::context other = this->new_context();
  for (const usm_kind kind : all_kinds) {
    const TypeParam block(this->nbytes, kind, this->queue());
    EXPECT_EQ(pointer_kind(block.data(), other), usm_kind::unknown) << name(kind);
    const allocation_info found = query_allocation(block.data(), other);
    EXPECT_FALSE(found.bounds_known);
    EXPECT_EQ(found.base, nullptr);
    EXPECT_EQ(found.nbytes, 0U);
  }
}

TYPED_TEST(usm_test, freed_memory_is_unknown) {
  for (const usm_kind kind : all_kinds) {
    const std::byte* pointer = nullptr;
    {
      const TypeParam block(support::beyond_runtime_pools, kind, this->queue());
      pointer = block.data();
    }
    EXPECT_EQ(pointer_kind(pointer, this->context()), usm_kind::unknown) << name(kind);
    expect_error<value_error>([&] { check_access(pointer, 1, this->context()); }, {text(pointer)});
  }
}

TYPED_TEST(usm_test, access_up_to_both_edges_of_the_allocation_is_vouched_for) {
  const sycl::context context = this->context();
  for (const usm_kind kind : all_kinds) {
    const TypeParam block(this->nbytes, kind, this->queue());
    EXPECT_EQ(check_access(block.data(), this->nbytes, context), kind);
    EXPECT_EQ(check_access(block.data(), 1, context), kind);
    EXPECT_EQ(check_access(block.data() + 1, this->nbytes - 1, context), kind);
    EXPECT_EQ(check_access(block.data() + this->nbytes - 1, 1, context), kind);
  }
}

TYPED_TEST(usm_test, access_beyond_the_end_is_an_error_with_both_ranges) {
  const sycl::context context = this->context();
  for (const usm_kind kind : all_kinds) {
    const TypeParam block(this->nbytes, kind, this->queue());
    const std::byte* base = block.data();
    const std::byte* last = base + this->nbytes - 1;
    const std::string allocation =
        text(static_cast<const void*>(base)) + " to " + text(static_cast<const void*>(last));
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, this->nbytes - 1}) {
      const std::size_t one_too_many = this->nbytes - first + 1;
      expect_error<value_error>(
          [&] { check_access(base + first, one_too_many, context); },
          {text(static_cast<const void*>(base + first)) + " to " +
               text(static_cast<const void*>(last + 1)),
           allocation, "1024 bytes", text(name(kind)), usmx::describe(context)});
    }
  }
}

TYPED_TEST(usm_test, access_that_starts_one_past_the_end_is_an_error) {
  const TypeParam block(support::beyond_runtime_pools, usm_kind::device, this->queue());
  const void* end = block.data() + support::beyond_runtime_pools;
  expect_error<value_error>([&] { check_access(end, 1, this->context()); }, {text(end)});
}

TYPED_TEST(usm_test, access_to_more_bytes_than_there_are_addresses_is_an_error) {
  const TypeParam block(this->nbytes, usm_kind::shared, this->queue());
  for (const std::size_t absurd : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 1000}) {
    expect_error<value_error>([&] { check_access(block.data() + 10, absurd, this->context()); },
                              {"1024 bytes"});
  }
}

TYPED_TEST(usm_test, access_from_another_context_is_an_error_naming_pointer_and_context) {
  if (!support::contexts_are_apart(this->queue())) {
    GTEST_SKIP() << "all contexts of this device share their memory";
  }
  const TypeParam block(this->nbytes, usm_kind::shared, this->queue());
  const sycl::context other = this->new_context();
  const void* pointer = block.data();
  expect_error<value_error>([&] { check_access(pointer, 1, other); },
                            {text(pointer), "not USM", usmx::describe(other)});
}

TYPED_TEST(usm_test, pointer_belongs_to_the_device_it_was_allocated_on) {
  for (const usm_kind kind : all_kinds) {
    const TypeParam block(this->nbytes, kind, this->queue());
    EXPECT_EQ(pointer_device(block.data() + 10, this->context()), this->device()) << name(kind);
  }
}

TYPED_TEST(usm_test, queue_of_the_owning_device_passes_the_device_check) {
  for (const usm_kind kind : all_kinds) {
    const TypeParam block(this->nbytes, kind, this->queue());
    EXPECT_NO_THROW(check_device(block.data(), kind, this->queue())) << name(kind);
  }
}

class pointer_test : public support::device_test {};

TEST_F(pointer_test, null_is_unknown) {
  const allocation_info found = query_allocation(nullptr, context());
  EXPECT_EQ(found.kind, usm_kind::unknown);
  EXPECT_EQ(found.base, nullptr);
  EXPECT_EQ(found.nbytes, 0U);
  EXPECT_FALSE(found.bounds_known);
}

TEST_F(pointer_test, garbage_is_unknown_and_never_read) {
  for (const void* pointer : support::garbage_pointers()) {
    EXPECT_EQ(pointer_kind(pointer, context()), usm_kind::unknown) << pointer;
    EXPECT_FALSE(query_allocation(pointer, context()).bounds_known) << pointer;
  }
}

TEST_F(pointer_test, ordinary_host_memory_is_unknown) {
  const auto heap = std::make_unique<int>();
  const int stack = 0;
  EXPECT_EQ(pointer_kind(heap.get(), context()), usm_kind::unknown);
  EXPECT_EQ(pointer_kind(&stack, context()), usm_kind::unknown);
}

TEST_F(pointer_test, access_to_what_is_not_usm_is_an_error_naming_pointer_and_context) {
  for (const void* pointer : support::garbage_pointers()) {
    expect_error<value_error>([&] { check_access(pointer, 1, context()); },
                              {text(pointer), "not USM", usmx::describe(context())});
  }
  expect_error<value_error>([&] { check_access(nullptr, 1, context()); }, {"not USM"});
}

TEST_F(pointer_test, what_is_not_usm_has_no_device) {
  for (const void* pointer : support::garbage_pointers()) {
    expect_error<value_error>([&] { pointer_device(pointer, context()); },
                              {text(pointer), "not USM"});
  }
}

// The SYCL runtime cuts small allocations out of slabs, which are what some drivers know.
TEST_F(pointer_test, bytes_of_a_small_allocations_neighbours_are_refused) {
  constexpr std::size_t nbytes = 1024;
  for (const usm_kind kind : all_kinds) {
    std::vector<runtime_block> blocks;
    for (int k = 0; k < 8; ++k) {
      blocks.emplace_back(nbytes, kind, queue());
    }
    for (const runtime_block& block : blocks) {
      EXPECT_EQ(check_access(block.data(), nbytes, context()), kind);
      expect_error<value_error>([&] { check_access(block.data(), nbytes + 1, context()); },
                                {"not all inside the", "(1024 bytes)"});
      expect_error<value_error>([&] { check_access(block.data() + 1000, 25, context()); },
                                {"not all inside the", "(1024 bytes)"});
    }
  }
}

TEST_F(pointer_test, allocation_of_one_byte_has_that_byte_only) {
  const own_block block(1, usm_kind::device, queue());
  EXPECT_EQ(check_access(block.data(), 1, context()), usm_kind::device);
  expect_error<value_error>([&] { check_access(block.data(), 2, context()); }, {"(1 bytes)"});
}

TEST_F(pointer_test, inside_a_larger_allocation_of_the_runtime_only_a_registered_block_is_memory) {
  const runtime_block slab(4096, usm_kind::device, queue());
  std::byte* base = slab.data() + 1024;
  usmx::registry::add({base, 64, usm_kind::device, context()});
  EXPECT_EQ(query_allocation(base + 63, context()).nbytes, 64U);
  expect_error<value_error>([&] { check_access(base, 65, context()); }, {"64 bytes"});
  usmx::registry::remove(base, 64);
}

TEST_F(pointer_test, host_may_touch_memory_that_it_can_access_by_contract) {
  EXPECT_TRUE(host_may_touch(usm_kind::shared, device()));
  EXPECT_TRUE(host_may_touch(usm_kind::host, device()));
  EXPECT_TRUE(host_may_touch(usm_kind::unknown, device()));
}

TEST_F(pointer_test, host_may_touch_device_memory_only_of_its_own_cpu) {
  for (const sycl::device& any : usmx::get_devices()) {
    EXPECT_EQ(host_may_touch(usm_kind::device, any),
              any.is_cpu() && any.get_backend() == sycl::backend::opencl)
        << usmx::describe(any);
  }
}

TEST_F(pointer_test, host_views_what_it_may_touch_unless_its_access_is_strict) {
  for (const usm_kind kind : all_kinds) {
    EXPECT_EQ(host_may_view(kind, device()), host_may_touch(kind, device()));
  }
  const support::strict_host_access strict;
  for (const usm_kind kind : all_kinds) {
    EXPECT_EQ(host_may_view(kind, device()), kind != usm_kind::device);
  }
}

// Where the test above says so, it had better work.
TEST_F(pointer_test, device_memory_that_the_host_may_touch_can_be_written_and_read) {
  if (!host_may_touch(usm_kind::device, device())) {
    GTEST_SKIP() << "the host may not touch memory of this device";
  }
  const own_block block(64, usm_kind::device, queue());
  std::fill_n(block.data(), 64, std::byte{7});
  EXPECT_EQ(support::download(block.data(), 64, queue()), std::vector(64, std::byte{7}));
}

class sub_device_test : public support::device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (!IsSkipped()) {
      parts_ = support::two_sub_devices::of(device());
      if (!parts_) {
        GTEST_SKIP() << "the device cannot be partitioned";
      }
    }
  }

  std::optional<support::two_sub_devices> parts_;
};

TEST_F(sub_device_test, pointer_belongs_to_its_own_sub_device) {
  for (const sycl::device& part : {parts_->first, parts_->second}) {
    for (const usm_kind kind : {usm_kind::device, usm_kind::shared}) {
      const runtime_block block(64, kind, sycl::queue(parts_->context, part));
      EXPECT_EQ(pointer_device(block.data(), parts_->context), part) << name(kind);
    }
  }
}

TEST_F(sub_device_test, queue_of_the_same_sub_device_passes) {
  const sycl::queue queue(parts_->context, parts_->second);
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(64, kind, queue);
    EXPECT_NO_THROW(check_device(block.data(), kind, queue)) << name(kind);
  }
}

TEST_F(sub_device_test, queue_of_a_sibling_is_an_error_naming_pointer_and_both_devices) {
  const sycl::queue owner(parts_->context, parts_->first);
  const sycl::queue sibling(parts_->context, parts_->second);
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared}) {
    const runtime_block block(64, kind, owner);
    expect_error<value_error>([&] { check_device(block.data(), kind, sibling); },
                              {text(name(kind)), text(static_cast<void*>(block.data())),
                               usmx::describe(parts_->first), usmx::describe(parts_->second)});
  }
}

TEST_F(sub_device_test, host_memory_belongs_to_every_device_of_the_context) {
  const runtime_block block(64, usm_kind::host, sycl::queue(parts_->context, parts_->first));
  EXPECT_NO_THROW(
      check_device(block.data(), usm_kind::host, sycl::queue(parts_->context, parts_->second)));
  EXPECT_EQ(pointer_device(block.data(), parts_->context), parts_->context.get_devices().front());
}

TEST_F(sub_device_test, memory_of_the_parent_passes_on_a_sub_device) {
  std::optional<sycl::queue> parent;
  std::optional<sycl::queue> part;
  try {
    const sycl::context both({device(), parts_->first});
    parent.emplace(both, device());
    part.emplace(both, parts_->first);
  } catch (const sycl::exception& refused) {
    GTEST_SKIP() << "no context of a device and its part: " << refused.what();
  }
  const runtime_block block(64, usm_kind::device, *parent);
  EXPECT_NO_THROW(check_device(block.data(), usm_kind::device, *part));
}

TEST_F(sub_device_test, memory_of_the_sub_devices_context_is_unknown_in_the_parents) {
  if (!support::contexts_are_apart(queue())) {
    GTEST_SKIP() << "all contexts of this device share their memory";
  }
  const runtime_block block(64, usm_kind::device, sycl::queue(parts_->context, parts_->first));
  EXPECT_EQ(pointer_kind(block.data(), context()), usm_kind::unknown);
}

}  // namespace
