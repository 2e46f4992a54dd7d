// usmx/memory/memory_resource.hpp: what a resource is, and any resource as a value.
#include "usmx/memory/memory_resource.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/device_test.hpp"

namespace {

using usmx::any_resource;
using usmx::usm_kind;

// What the concept asks for, and one thing less.
struct complete_resource {
  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  usm_kind kind() const noexcept;
};
struct resource_that_may_throw_on_deallocate : complete_resource {
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue);
};
struct resource_of_void_pointers : complete_resource {
  void* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
};

static_assert(usmx::memory_resource<complete_resource>);
static_assert(!usmx::memory_resource<resource_that_may_throw_on_deallocate>);
static_assert(!usmx::memory_resource<resource_of_void_pointers>);
static_assert(!usmx::memory_resource<int>);

/// Remembers what it was called with.
struct recording_resource {
  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue&) {
    allocated = {nbytes, alignment};
    return &block;
  }
  void deallocate(std::byte* freed, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue&) noexcept {
    freed_block = freed;
    deallocated = {nbytes, alignment};
  }
  usm_kind kind() const noexcept { return usm_kind::shared; }

  std::byte block{};
  std::byte* freed_block = nullptr;
  std::array<std::size_t, 2> allocated{};
  std::array<std::size_t, 2> deallocated{};
};

class any_resource_test : public support::device_test {};

TEST_F(any_resource_test, calls_go_to_the_resource_with_all_arguments) {
  const auto recording = std::make_shared<recording_resource>();
  const any_resource any(recording);
  EXPECT_EQ(any.kind(), usm_kind::shared);
  EXPECT_EQ(any.allocate(100, 32, queue()), &recording->block);
  EXPECT_EQ(recording->allocated, (std::array<std::size_t, 2>{100, 32}));
  any.deallocate(&recording->block, 100, 32, queue());
  EXPECT_EQ(recording->freed_block, &recording->block);
  EXPECT_EQ(recording->deallocated, (std::array<std::size_t, 2>{100, 32}));
}

TEST_F(any_resource_test, copies_are_equal_and_keep_the_resource) {
  auto recording = std::make_shared<recording_resource>();
  const std::weak_ptr<recording_resource> alive = recording;
  auto first = std::make_unique<any_resource>(std::move(recording));
  const any_resource second = *first;
  EXPECT_EQ(*first, second);
  first.reset();
  EXPECT_FALSE(alive.expired());
}

TEST_F(any_resource_test, two_resources_are_not_equal) {
  EXPECT_FALSE(any_resource(std::make_shared<recording_resource>()) ==
               any_resource(std::make_shared<recording_resource>()));
}

}  // namespace
