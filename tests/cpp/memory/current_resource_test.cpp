// usmx/memory/current_resource.hpp: where new buffers have their memory from.
#include "usmx/memory/current_resource.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/resources.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using usmx::any_resource;
using usmx::buffer;
using usmx::usm_kind;
using usmx::value_error;

class current_resource_test : public support::device_test {
 protected:
  /// Sets a resource until the test ends.
  void use(any_resource resource) {
    const usm_kind kind = resource.kind();
    const any_resource before = usmx::set_current_resource(queue(), std::move(resource));
    if (!first_[static_cast<std::size_t>(kind)]) {
      first_[static_cast<std::size_t>(kind)] = before;
    }
  }
  void TearDown() override {
    for (std::optional<any_resource>& each : first_) {
      if (each) {
        usmx::set_current_resource(queue(), *each);
      }
    }
  }

  std::optional<any_resource> first_[4];
};

TEST_F(current_resource_test, new_buffers_come_from_the_pool_of_their_kind) {
  for (const usm_kind kind : all_kinds) {
    const auto pool = usmx::default_pool(queue(), kind);
    const std::size_t before = pool->statistics().used;
    const buffer made = buffer::allocate(1000, kind, queue());
    EXPECT_EQ(pool->statistics().used - before, 1024U) << name(kind);
  }
}

TEST_F(current_resource_test, freed_block_is_used_again_without_the_runtime) {
  const std::byte* first = buffer::allocate(3000, usm_kind::device, queue()).data();
  const auto pool = usmx::default_pool(queue(), usm_kind::device);
  const std::size_t total = pool->statistics().total;
  for (int round = 0; round < 100; ++round) {
    EXPECT_EQ(buffer::allocate(3000, usm_kind::device, queue()).data(), first);
  }
  EXPECT_EQ(pool->statistics().total, total);
}

TEST_F(current_resource_test, memory_of_another_context_is_of_another_pool) {
  const sycl::queue other(new_context(), device());
  EXPECT_NE(usmx::default_pool(other, usm_kind::device),
            usmx::default_pool(queue(), usm_kind::device));
  const buffer made = buffer::allocate(64, usm_kind::device, other);
  EXPECT_EQ(usmx::pointer_kind(made.data(), other.get_context()), usm_kind::device);
}

TEST_F(current_resource_test, buffer_gives_its_memory_to_where_it_came_from) {
  const auto counting = std::make_shared<usmx::statistics_resource>(
      std::make_shared<usmx::usm_resource>(usm_kind::shared));
  use(counting);
  {
    const buffer made = buffer::allocate(100, usm_kind::shared, queue());
    EXPECT_EQ(counting->counts().nbytes.current, 100U);
    TearDown();
    const buffer elsewhere = buffer::allocate(100, usm_kind::shared, queue());
    EXPECT_EQ(counting->counts().nbytes.current, 100U);
  }
  EXPECT_EQ(counting->counts().nbytes.current, 0U);
  EXPECT_EQ(counting->counts().blocks.total, 1U);
}

TEST_F(current_resource_test, other_kinds_keep_theirs) {
  const any_resource host = usmx::current_resource(queue(), usm_kind::host);
  use(std::make_shared<usmx::usm_resource>(usm_kind::shared));
  EXPECT_EQ(usmx::current_resource(queue(), usm_kind::host), host);
}

TEST_F(current_resource_test, setting_gives_the_one_before) {
  const any_resource plain = std::make_shared<usmx::usm_resource>(usm_kind::host);
  const any_resource before = usmx::current_resource(queue(), usm_kind::host);
  EXPECT_EQ(usmx::set_current_resource(queue(), plain), before);
  EXPECT_EQ(usmx::set_current_resource(queue(), before), plain);
}

TEST_F(current_resource_test, unknown_kind_is_an_error) {
  expect_error<value_error>([] { usmx::current_resource(queue(), usm_kind::unknown); },
                            {"unknown"});
}

TEST_F(current_resource_test, failed_allocation_is_tried_again_after_memory_went_back) {
  int failures = 1;
  use(std::make_shared<usmx::failing_resource>(
      std::make_shared<usmx::usm_resource>(usm_kind::shared),
      [&](std::size_t) { return failures-- > 0; }));
  EXPECT_EQ(buffer::allocate(100, usm_kind::shared, queue()).nbytes(), 100U);
}

TEST_F(current_resource_test, failure_for_good_is_an_error_with_all_figures) {
  use(std::make_shared<usmx::failing_resource>(
      std::make_shared<usmx::usm_resource>(usm_kind::shared), [](std::size_t) { return true; }));
  expect_error<usmx::allocation_error>(
      [] { buffer::allocate(100, usm_kind::shared, queue()); },
      {"100 bytes", "shared", usmx::describe(device()), "in use", "keep", "wait"});
}

TEST_F(current_resource_test, neighbours_and_dead_blocks_of_a_slab_are_no_memory_of_anybody) {
  for (const usm_kind kind : all_kinds) {
    auto first = std::make_optional(buffer::allocate(100, kind, queue()));
    const buffer second = buffer::allocate(100, kind, queue());
    std::byte* const at = first->data();
    EXPECT_EQ(usmx::check_access(at, 100, context()), kind);
    expect_error<value_error>([&] { usmx::check_access(at, 101, context()); }, {"inside"});
    expect_error<value_error>([&] { usmx::check_access(at + 100, 1, context()); }, {"not USM"});
    EXPECT_EQ(usmx::pointer_kind(at + 100, context()), usm_kind::unknown);
    first.reset();
    expect_error<value_error>([&] { usmx::check_access(at, 1, context()); }, {"not USM"});
    EXPECT_EQ(usmx::pointer_kind(at, context()), usm_kind::unknown);
    expect_error<value_error>([&] { buffer::adopt(at, 64, queue(), [](void*) {}); }, {"not USM"});
    EXPECT_EQ(usmx::check_access(second.data(), 100, context()), kind);
  }
}

TEST_F(current_resource_test, large_dead_block_is_no_memory_of_anybody) {
  std::byte* const at = buffer::allocate(1'000'000, usm_kind::shared, queue()).data();
  EXPECT_EQ(usmx::pointer_kind(at, context()), usm_kind::unknown);
  usmx::default_pool(queue(), usm_kind::shared)->free_all_blocks();
  EXPECT_EQ(usmx::pointer_kind(at, context()), usm_kind::unknown);
}

TEST_F(current_resource_test, pool_of_another_context_or_device_is_refused_and_nothing_set) {
  const auto pool = std::make_shared<usmx::pool_resource>(
      std::make_shared<usmx::usm_resource>(usm_kind::shared), queue());
  const auto above = std::make_shared<usmx::statistics_resource>(pool);
  std::vector<sycl::queue> others{sycl::queue(new_context(), device())};
  for (const sycl::device& half : support::halves_of(device())) {
    others.emplace_back(half);
  }
  for (const sycl::queue& other : others) {
    const any_resource before = usmx::current_resource(other, usm_kind::shared);
    for (const any_resource& each : {any_resource(pool), any_resource(above)}) {
      expect_error<value_error>([&] { usmx::set_current_resource(other, each); },
                                {usmx::describe(context()), usmx::describe(other.get_context())});
    }
    EXPECT_EQ(usmx::current_resource(other, usm_kind::shared), before);
  }
}

TEST_F(current_resource_test, default_resource_is_known_until_another_one_is_set) {
  EXPECT_TRUE(usmx::uses_default_resource(queue(), usm_kind::host));
  use(std::make_shared<usmx::usm_resource>(usm_kind::host));
  EXPECT_FALSE(usmx::uses_default_resource(queue(), usm_kind::host));
  EXPECT_TRUE(usmx::uses_default_resource(queue(), usm_kind::shared));
  TearDown();
  EXPECT_TRUE(usmx::uses_default_resource(queue(), usm_kind::host));
}

/// More contexts than usmx keeps states of.
void meet_many_contexts() {
  for (int count = 0; count < 200; ++count) {
    const sycl::device device = usmx::default_device();
    usmx::default_pool(sycl::queue(sycl::context(device), device), usm_kind::host);
  }
}

TEST_F(current_resource_test, limits_of_a_pool_stay_while_other_contexts_come) {
  for (const auto set : {+[](usmx::pool_resource& pool) { pool.set_limit(12345); },
                         +[](usmx::pool_resource& pool) { pool.set_keep_limit(23456); }}) {
    const sycl::queue own(new_context(), device());
    set(*usmx::default_pool(own, usm_kind::shared));
    const void* const first = usmx::default_pool(own, usm_kind::shared).get();
    meet_many_contexts();
    const auto pool = usmx::default_pool(own, usm_kind::shared);
    EXPECT_EQ(pool.get(), first);
    EXPECT_TRUE(pool->limit() == 12345U || pool->keep_limit() == 23456U);
  }
}

TEST_F(current_resource_test, resource_that_was_set_stays_while_other_contexts_come) {
  const sycl::queue own(new_context(), device());
  const any_resource chosen = std::make_shared<usmx::usm_resource>(usm_kind::shared);
  usmx::set_current_resource(own, chosen);
  meet_many_contexts();
  EXPECT_EQ(usmx::current_resource(own, usm_kind::shared), chosen);
}

TEST_F(current_resource_test, pool_that_somebody_holds_stays_while_other_contexts_come) {
  const sycl::queue own(new_context(), device());
  const auto held = usmx::default_pool(own, usm_kind::shared);
  meet_many_contexts();
  EXPECT_EQ(usmx::default_pool(own, usm_kind::shared), held);
}

TEST_F(current_resource_test, pool_that_nobody_has_set_or_holds_ends) {
  std::weak_ptr<usmx::pool_resource> pool;
  {
    const sycl::queue own(new_context(), device());
    pool = usmx::default_pool(own, usm_kind::shared);
    usmx::default_pool(own, usm_kind::shared)->set_limit(12345);
    usmx::default_pool(own, usm_kind::shared)->set_limit(std::nullopt);
  }
  meet_many_contexts();
  EXPECT_TRUE(pool.expired());
}

TEST_F(current_resource_test, emptying_the_cache_reaches_all_pools_that_live) {
  const auto counting = std::make_shared<usmx::statistics_resource>(
      std::make_shared<usmx::usm_resource>(usm_kind::host));
  const auto lower = std::make_shared<usmx::pool_resource>(counting, queue());
  usmx::pool_resource upper(lower, queue());
  upper.deallocate(upper.allocate(1'000'000, 0, queue()), 1'000'000, 0, queue());
  EXPECT_EQ(counting->counts().blocks.current, 1U);
  usmx::empty_cache();
  EXPECT_EQ(counting->counts().blocks.current, 0U);
}

TEST_F(current_resource_test, pools_may_come_and_go_while_the_cache_is_emptied) {
  const auto counting = std::make_shared<usmx::statistics_resource>(
      std::make_shared<usmx::usm_resource>(usm_kind::host));
  std::atomic<bool> done = false;
  std::thread emptying([&] {
    while (!done) {
      usmx::empty_cache();
    }
  });
  for (int round = 0; round < 200; ++round) {
    usmx::pool_resource pool(counting, queue());
    pool.deallocate(pool.allocate(100'000, 0, queue()), 100'000, 0, queue());
  }
  done = true;
  emptying.join();
  EXPECT_EQ(counting->counts().blocks.current, 0U);
}

TEST_F(current_resource_test, resource_that_was_moved_from_is_refused_and_changes_nothing) {
  const any_resource before = usmx::current_resource(queue(), usm_kind::shared);
  any_resource resource = std::make_shared<usmx::usm_resource>(usm_kind::shared);
  const any_resource taken = std::move(resource);
  expect_error<value_error>(
      [&] { usmx::set_current_resource(queue(), resource); },  // NOLINT: moved from on purpose
      {"one that was moved from"});
  EXPECT_EQ(usmx::current_resource(queue(), usm_kind::shared), before);
}

// ---- using_resource

/// A resource that counts, of a kind.
std::shared_ptr<usmx::statistics_resource> counting(usm_kind kind) {
  return std::make_shared<usmx::statistics_resource>(std::make_shared<usmx::usm_resource>(kind));
}

TEST_F(current_resource_test, using_resource_serves_new_memory_as_long_as_it_lives) {
  const auto outer = counting(usm_kind::host);
  const auto inner = counting(usm_kind::host);
  const any_resource before = usmx::current_resource(queue(), usm_kind::host);
  {
    const usmx::using_resource first(queue(), outer);
    const buffer one = buffer::allocate(100, usm_kind::host, queue());
    {
      const usmx::using_resource second(queue(), inner);
      EXPECT_EQ(usmx::current_resource(queue(), usm_kind::host), any_resource(inner));
      const buffer two = buffer::allocate(100, usm_kind::host, queue());
      EXPECT_EQ(inner->counts().blocks.current, 1U);
    }
    EXPECT_EQ(usmx::current_resource(queue(), usm_kind::host), any_resource(outer));
    EXPECT_EQ(outer->counts().blocks.current, 1U);
    const buffer other = buffer::allocate(100, usm_kind::shared, queue());
    EXPECT_EQ(outer->counts().blocks.total, 1U);
  }
  EXPECT_EQ(usmx::current_resource(queue(), usm_kind::host), before);
  EXPECT_EQ(inner->counts().blocks.total, 1U);
}

TEST_F(current_resource_test, using_resource_holds_for_its_thread_device_and_context_alone) {
  const auto counted = counting(usm_kind::host);
  const usmx::using_resource scope(queue(), counted);
  std::thread([&] { (void)buffer::allocate(100, usm_kind::host, queue()); }).join();
  (void)buffer::allocate(100, usm_kind::host, sycl::queue(new_context(), device()));
  EXPECT_EQ(counted->counts().blocks.total, 0U);
  (void)buffer::allocate(100, usm_kind::host, new_queue());  // of the same context
  EXPECT_EQ(counted->counts().blocks.total, 1U);
}

TEST_F(current_resource_test, using_resource_goes_before_the_resource_that_is_set) {
  const auto set = counting(usm_kind::host);
  const auto scoped = counting(usm_kind::host);
  const usmx::using_resource scope(queue(), scoped);
  use(set);
  (void)buffer::allocate(100, usm_kind::host, queue());
  EXPECT_EQ(scoped->counts().blocks.total, 1U);
  EXPECT_EQ(set->counts().blocks.total, 0U);
}

TEST_F(current_resource_test, using_resource_refuses_what_cannot_serve) {
  const sycl::queue other(new_context(), device());
  expect_error<value_error>(
      [&] { usmx::using_resource(queue(), usmx::default_pool(other, usm_kind::host)); });
  any_resource moved = counting(usm_kind::host);
  const any_resource taken = std::move(moved);
  expect_error<value_error>([&] { usmx::using_resource(queue(), moved); });
}

// ---- A resource for one allocation

TEST_F(current_resource_test, buffer_comes_from_the_resource_that_is_named) {
  const auto counted = counting(usm_kind::shared);
  {
    const buffer one = buffer::allocate(100, queue(), counted, 128);
    const auto two = buffer::allocate_shared(200, queue(), any_resource(counted));
    EXPECT_EQ(one.kind(), usm_kind::shared);
    EXPECT_EQ(counted->counts().nbytes.current, 300U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data()) % 128, 0U);
  }
  usmx::synchronize();
  EXPECT_EQ(counted->counts().nbytes.current, 0U);
  EXPECT_EQ(buffer::allocate(100, queue(), usm_kind::host).kind(), usm_kind::host);
}

TEST_F(current_resource_test, resource_that_is_named_must_serve_the_queue) {
  const sycl::queue other(new_context(), device());
  const auto pool = usmx::default_pool(other, usm_kind::host);
  expect_error<value_error>([&] { (void)buffer::allocate(100, queue(), pool); });
  any_resource moved = counting(usm_kind::host);
  const any_resource taken = std::move(moved);
  expect_error<value_error>([&] { (void)buffer::allocate(8, queue(), moved); });
  expect_error<value_error>(
      [&] { (void)buffer::allocate(8, queue(), std::shared_ptr<usmx::usm_resource>()); });
}

TEST_F(current_resource_test, failure_of_the_resource_that_is_named_is_the_callers) {
  const auto failing = std::make_shared<usmx::failing_resource>(counting(usm_kind::host),
                                                                [](std::size_t) { return true; });
  expect_error<usmx::allocation_error>([&] { (void)buffer::allocate(100, queue(), failing); });
}

TEST_F(current_resource_test, pool_takes_the_queue_first_too) {
  usmx::pool_resource pool(queue(), counting(usm_kind::host), 0);
  EXPECT_EQ(pool.keep_limit(), 0U);
  EXPECT_EQ(pool.kind(), usm_kind::host);
}

}  // namespace
