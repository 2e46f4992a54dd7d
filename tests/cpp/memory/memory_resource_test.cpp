// usmx/memory/memory_resource.hpp: what a resource is, and any resource as a value.
#include "usmx/memory/memory_resource.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/resources.hpp"

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

// ---- on top of each other

/// Passes all calls on.
struct resource_on_another {
  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue) {
    return below.allocate(nbytes, alignment, queue);
  }
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept {
    below.deallocate(block, nbytes, alignment, queue);
  }
  usm_kind kind() const noexcept { return below.kind(); }
  const any_resource& upstream() const noexcept { return below; }

  any_resource below;
};

TEST_F(any_resource_test, resource_below_is_known_where_it_is_told) {
  const any_resource lowest = std::make_shared<recording_resource>();
  EXPECT_EQ(lowest.upstream(), nullptr);
  const any_resource above = std::make_shared<resource_on_another>(lowest);
  ASSERT_NE(above.upstream(), nullptr);
  EXPECT_EQ(*above.upstream(), lowest);
}

TEST_F(any_resource_test, so_many_resources_may_lie_on_top_of_each_other_and_no_more) {
  any_resource top = std::make_shared<recording_resource>();
  for (int depth = 1; depth < usmx::max_resource_depth; ++depth) {
    top = std::make_shared<usmx::statistics_resource>(top);
  }
  const std::initializer_list<std::string> parts{"at most 16 memory resources", "found 16"};
  using support::expect_error;
  using usmx::value_error;
  expect_error<value_error>([&] { usmx::statistics_resource{top}; }, parts);
  expect_error<value_error>([&] { usmx::limiting_resource(top, 1); }, parts);
  expect_error<value_error>([&] { usmx::tracking_resource{top}; }, parts);
  expect_error<value_error>([&] { usmx::failing_resource(top, {}); }, parts);
  expect_error<value_error>([&] { usmx::logging_resource(top, "/dev/null"); }, parts);
  expect_error<value_error>([&] { usmx::pool_resource(top, queue()); }, parts);
  const any_resource of_user = std::make_shared<resource_on_another>(top);
  expect_error<value_error>([&] { usmx::statistics_resource{of_user}; }, {"found 17"});
}

template <class Resource>
void expect_null_refused() {
  support::expect_error<usmx::value_error>([] { any_resource{std::shared_ptr<Resource>()}; },
                                           {"expected a memory resource, found null"});
}

TEST_F(any_resource_test, no_resource_is_refused) {
  expect_null_refused<recording_resource>();
  expect_null_refused<usmx::pool_resource>();
  expect_null_refused<usmx::limiting_resource>();
}

class resource_below_test : public support::device_test {};

TEST_F(resource_below_test, resource_that_was_moved_from_is_refused) {
  any_resource taken = std::make_shared<recording_resource>();
  const any_resource other = std::move(taken);
  const auto expect_refused = [&](auto make) {
    support::expect_error<usmx::value_error>(make, {"another one to lie on, found null"});
  };
  expect_refused([&] { usmx::pool_resource(taken, queue()); });
  expect_refused([&] { usmx::limiting_resource(taken, 100); });
  expect_refused([&] { usmx::statistics_resource{taken}; });
  expect_refused([&] { usmx::tracking_resource{taken}; });
  expect_refused([&] { usmx::logging_resource(taken, "/dev/null"); });
}

TEST_F(resource_below_test, tracking_needs_a_function) {
  const any_resource below = std::make_shared<recording_resource>();
  support::expect_error<usmx::value_error>([&] { usmx::tracking_resource(below, nullptr); },
                                           {"found null"});
}

class moved_resource_test : public support::device_test {};

TEST_F(moved_resource_test, value_that_was_moved_from_has_no_memory_and_is_refused) {
  any_resource resource = std::make_shared<recording_resource>();
  const any_resource taken = std::move(resource);
  EXPECT_EQ(taken.kind(), usm_kind::shared);
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_EQ(resource.kind(), usm_kind::unknown);
  EXPECT_EQ(resource.identity(), nullptr);
  EXPECT_EQ(resource.upstream(), nullptr);
  EXPECT_FALSE(resource.is_pool());
  EXPECT_EQ(resource.try_allocate(8, 0, queue()), nullptr);
  support::expect_error<usmx::value_error>([&] { resource.allocate(8, 0, queue()); },
                                           {"one that was moved from"});
  support::expect_error<usmx::value_error>([&] { resource.require_place(queue()); },
                                           {"one that was moved from"});
  resource = taken;
  EXPECT_EQ(resource.kind(), usm_kind::shared);
  // NOLINTEND(bugprone-use-after-move)
}

}  // namespace
