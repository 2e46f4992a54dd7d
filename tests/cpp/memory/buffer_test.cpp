// usmx/buffer.hpp: who frees memory, when, and how often; and which work is waited for.
#include "usmx/memory/buffer.hpp"
#include "runtime/queues.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "memory/buffer.hpp"
#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"
#include "support/release_counter.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::gate;
using support::release_counter;
using support::runtime_block;
using support::text;
using usmx::allocation_error;
using usmx::buffer;
using usmx::usm_kind;
using usmx::value_error;
using usmx::detail::release_action;
namespace registry = usmx::registry;

static_assert(!std::is_copy_constructible_v<buffer>);
static_assert(!std::is_copy_assignable_v<buffer>);
static_assert(std::is_nothrow_move_constructible_v<buffer>);
static_assert(std::is_nothrow_move_assignable_v<buffer>);

class buffer_test : public support::device_test {
 protected:
  static std::shared_ptr<buffer> shared_buffer(std::size_t nbytes = 64) {
    return std::make_shared<buffer>(buffer::allocate(nbytes, usm_kind::device, queue()));
  }
  // usmx looks at what was let go, with work unfinished at that time, when it allocates.
  static void allocate_something() { buffer::allocate(1, usm_kind::host, queue()); }
};

TEST_F(buffer_test, allocated_buffer_has_the_bytes_kind_and_queue_asked_for) {
  for (const usm_kind kind : all_kinds) {
    const buffer made = buffer::allocate(100, kind, queue());
    EXPECT_EQ(made.nbytes(), 100U);
    EXPECT_EQ(made.kind(), kind);
    EXPECT_EQ(made.queue(), queue());
    EXPECT_FALSE(made.readonly());
    EXPECT_EQ(usmx::check_access(made.data(), 100, context()), kind);
  }
}

TEST_F(buffer_test, allocated_buffer_has_the_alignment_asked_for) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    const buffer made = buffer::allocate(100, usm_kind::device, queue(), alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made.data()) % alignment, 0U) << alignment;
  }
}

TEST_F(buffer_test, allocating_zero_bytes_is_an_error) {
  expect_error<value_error>([&] { buffer::allocate(0, usm_kind::device, queue()); }, {"0"});
}

TEST_F(buffer_test, allocating_with_an_alignment_of_no_power_of_two_is_an_error) {
  expect_error<value_error>([&] { buffer::allocate(64, usm_kind::device, queue(), 48); }, {"48"});
}

TEST_F(buffer_test, allocating_unknown_memory_is_an_error) {
  expect_error<value_error>([&] { buffer::allocate(64, usm_kind::unknown, queue()); }, {"unknown"});
}

TEST_F(buffer_test, allocating_more_than_there_is_is_an_error_with_bytes_kind_and_device) {
  const std::size_t nbytes = std::size_t{1} << 62;
  expect_error<allocation_error>([&] { buffer::allocate(nbytes, usm_kind::shared, queue()); },
                                 {text(nbytes), "shared", usmx::describe(device())});
}

TEST_F(buffer_test, allocated_bytes_live_as_long_as_the_buffer) {
  allocate_something();  // frees what earlier tests have left
  const std::size_t before = registry::size();
  const std::byte* pointer = nullptr;
  {
    const buffer made = buffer::allocate(100, usm_kind::device, queue());
    pointer = made.data();
    EXPECT_EQ(registry::size(), before + 1);
  }
  EXPECT_EQ(registry::size(), before);
  EXPECT_EQ(usmx::pointer_kind(pointer, context()), usm_kind::unknown);
}

TEST_F(buffer_test, adopted_buffer_has_the_bytes_given_and_finds_out_their_kind) {
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(256, kind, queue());
    const buffer adopted = buffer::adopt(block.data() + 16, 100, queue(), [](void*) {});
    EXPECT_EQ(adopted.data(), block.data() + 16);
    EXPECT_EQ(adopted.nbytes(), 100U);
    EXPECT_EQ(adopted.kind(), kind);
    EXPECT_EQ(adopted.queue(), queue());
    EXPECT_FALSE(adopted.readonly());
  }
}

TEST_F(buffer_test, deleter_gets_the_adopted_pointer) {
  const runtime_block block(64, usm_kind::host, queue());
  void* deleted = nullptr;
  {
    buffer::adopt(block.data() + 8, 16, queue(), [&](void* pointer) { deleted = pointer; });
  }
  EXPECT_EQ(deleted, block.data() + 8);
}

TEST_F(buffer_test, deleter_can_free_the_memory) {
  std::byte* pointer = runtime_block(64, usm_kind::shared, queue()).release();
  {
    const buffer adopted = buffer::adopt(
        pointer, 64, queue(), [free_in = context()](void* p) { sycl::free(p, free_in); });
    EXPECT_EQ(usmx::pointer_kind(pointer, context()), usm_kind::shared);
  }
  EXPECT_EQ(usmx::pointer_kind(pointer, context()), usm_kind::unknown);
}

TEST_F(buffer_test, deleter_runs_once_when_the_buffer_is_gone) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter deleted;
  {
    const buffer adopted = buffer::adopt(block.data(), 64, queue(), deleted.deleter());
    EXPECT_EQ(deleted.value(), 0);
  }
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, adopting_zero_bytes_is_an_error_and_the_deleter_runs_once) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter deleted;
  expect_error<value_error>([&] { buffer::adopt(block.data(), 0, queue(), deleted.deleter()); },
                            {"0"});
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, adopting_what_is_not_usm_is_an_error_and_the_deleter_runs_once) {
  int ordinary = 0;
  const release_counter deleted;
  expect_error<value_error>([&] { buffer::adopt(&ordinary, 4, queue(), deleted.deleter()); },
                            {text(&ordinary), "not USM"});
  EXPECT_EQ(deleted.value(), 1);
  expect_error<value_error>([&] { buffer::adopt(nullptr, 4, queue(), deleted.deleter()); });
  EXPECT_EQ(deleted.value(), 2);
}

TEST_F(buffer_test, adopting_more_than_the_allocation_is_an_error_and_the_deleter_runs_once) {
  const runtime_block block(1024, usm_kind::device, queue());  // a chunk of the runtime's pools
  for (const std::size_t nbytes : {std::size_t{1025}, std::size_t{1} << 40, SIZE_MAX}) {
    const release_counter deleted;
    expect_error<value_error>(
        [&] { buffer::adopt(block.data(), nbytes, queue(), deleted.deleter()); }, {"1024 bytes"});
    EXPECT_EQ(deleted.value(), 1);
  }
}

TEST_F(buffer_test, adopting_memory_of_another_context_is_an_error_and_the_deleter_runs_once) {
  if (!support::contexts_are_apart(queue())) {
    GTEST_SKIP() << "all contexts of this device share their memory";
  }
  const runtime_block block(64, usm_kind::host, sycl::queue(new_context(), device()));
  const release_counter deleted;
  expect_error<value_error>([&] { buffer::adopt(block.data(), 64, queue(), deleted.deleter()); },
                            {"not USM", usmx::describe(context())});
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, adopting_memory_of_a_sibling_device_is_an_error_and_the_deleter_runs_once) {
  const auto parts = support::two_sub_devices::of(device());
  if (!parts) {
    GTEST_SKIP() << "the device cannot be partitioned";
  }
  const runtime_block block(64, usm_kind::device, sycl::queue(parts->context, parts->first));
  const sycl::queue sibling(parts->context, parts->second);
  const release_counter deleted;
  expect_error<value_error>([&] { buffer::adopt(block.data(), 64, sibling, deleted.deleter()); },
                            {usmx::describe(parts->second)});
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, checked_adoption_of_nothing_asks_nobody) {
  const release_counter deleted;
  {
    const auto nothing =
        buffer::adopt_checked(nullptr, 0, usm_kind::device, queue(), deleted.action());
    EXPECT_EQ(nothing->data(), nullptr);
    EXPECT_EQ(nothing->nbytes(), 0U);
    EXPECT_EQ(nothing->kind(), usm_kind::device);
  }
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, checked_adoption_keeps_the_read_only_flag) {
  const runtime_block block(64, usm_kind::shared, queue());
  for (const bool readonly : {false, true}) {
    const auto adopted =
        buffer::adopt_checked(block.data(), 64, usm_kind::shared, queue(), {}, readonly);
    EXPECT_EQ(adopted->readonly(), readonly);
  }
}

TEST_F(buffer_test, adopted_buffer_knows_the_owner_that_its_release_action_names) {
  const runtime_block block(64, usm_kind::shared, queue());
  int released = 0;
  auto* const owner = reinterpret_cast<usmx::detail::foreign_owner*>(&released);
  {
    buffer adopted =
        buffer::adopt(block.data(), 64, queue(),
                      release_action([](void* count) noexcept { ++*static_cast<int*>(count); },
                                     &released, owner));
    EXPECT_EQ(adopted.foreign_owner(), owner);
    const buffer moved = std::move(adopted);
    EXPECT_EQ(moved.foreign_owner(), owner);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(buffer_test, memory_of_its_own_has_no_foreign_owner) {
  EXPECT_EQ(buffer::allocate(64, usm_kind::shared, queue()).foreign_owner(), nullptr);
}

TEST_F(buffer_test, moved_buffer_takes_everything_and_leaves_nothing) {
  const runtime_block block(64, usm_kind::shared, queue());
  const release_counter deleted;
  {
    buffer old = std::move(*buffer::adopt_checked(block.data(), 64, usm_kind::shared, queue(),
                                                  deleted.action(), true));
    {
      const buffer young = std::move(old);
      EXPECT_EQ(young.data(), block.data());
      EXPECT_EQ(young.nbytes(), 64U);
      EXPECT_EQ(young.kind(), usm_kind::shared);
      EXPECT_TRUE(young.readonly());
      EXPECT_EQ(old.data(), nullptr);  // NOLINT: what is left is said in the test's name
      EXPECT_EQ(old.nbytes(), 0U);
      EXPECT_EQ(deleted.value(), 0);
    }
    EXPECT_EQ(deleted.value(), 1);
  }
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, assigned_buffer_frees_its_old_memory_at_once_and_the_new_once) {
  const runtime_block block(128, usm_kind::device, queue());
  const release_counter first;
  const release_counter second;
  {
    buffer target = buffer::adopt(block.data(), 64, queue(), first.deleter());
    buffer source = buffer::adopt(block.data() + 64, 32, queue(), second.deleter());
    target = std::move(source);
    EXPECT_EQ(first.value(), 1);
    EXPECT_EQ(second.value(), 0);
    EXPECT_EQ(target.data(), block.data() + 64);
    EXPECT_EQ(target.nbytes(), 32U);
    EXPECT_EQ(source.data(), nullptr);  // NOLINT: moved from on purpose
  }
  EXPECT_EQ(first.value(), 1);
  EXPECT_EQ(second.value(), 1);
}

TEST_F(buffer_test, buffer_assigned_to_itself_keeps_its_memory) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter deleted;
  {
    buffer one = buffer::adopt(block.data(), 64, queue(), deleted.deleter());
    buffer& same = one;
    one = std::move(same);
    EXPECT_EQ(one.data(), block.data());
    EXPECT_EQ(deleted.value(), 0);
  }
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, moved_buffer_takes_the_pending_work_along) {
  buffer old = buffer::allocate(64, usm_kind::device, queue());
  old.record(sycl::event());
  const buffer young = std::move(old);
  EXPECT_TRUE(young.may_be_busy());
  EXPECT_FALSE(old.may_be_busy());  // NOLINT: moved from on purpose
}

TEST_F(buffer_test, last_reference_may_go_on_another_thread) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter deleted;
  auto shared =
      std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), deleted.deleter()));
  std::thread([last = std::move(shared)]() mutable {
    allocate_something();
    last.reset();
  }).join();
  EXPECT_EQ(deleted.value(), 1);
}

TEST_F(buffer_test, many_threads_allocate_and_free_at_once) {
  allocate_something();  // frees what earlier tests have left
  const std::size_t before = registry::size();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int id = 0; id < 16; ++id) {
    threads.emplace_back([&, id] {
      for (std::size_t round = 1; round <= 50; ++round) {
        buffer made =
            buffer::allocate(round * 8, all_kinds[static_cast<std::size_t>(id) % 3], queue());
        if (round % 2 == 0) {
          made.record(sycl::event());
        }
        wrong += usmx::check_access(made.data(), made.nbytes(), context()) != made.kind();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  allocate_something();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(registry::size(), before);
}

// ---- Parts

TEST_F(buffer_test, bytes_on_another_queue_are_the_same_bytes) {
  const auto whole = shared_buffer();
  const sycl::queue other = new_queue();
  const buffer there = buffer::on_queue(whole, other);
  EXPECT_EQ(there.data(), whole->data());
  EXPECT_EQ(there.nbytes(), whole->nbytes());
  EXPECT_EQ(there.kind(), whole->kind());
  EXPECT_EQ(there.queue(), other);
  EXPECT_FALSE(there.readonly());
  EXPECT_TRUE(there.may_be_busy());
}

TEST_F(buffer_test, bytes_on_another_queue_are_kept_alive_and_keep_the_read_only_flag) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter gone;
  {
    auto whole =
        buffer::adopt_checked(block.data(), 64, usm_kind::device, queue(), gone.action(), true);
    const buffer there = buffer::on_queue(std::move(whole), new_queue());
    EXPECT_TRUE(there.readonly());
    EXPECT_EQ(gone.value(), 0);
  }
  usmx::synchronize();
  EXPECT_EQ(gone.value(), 1);
}

TEST_F(buffer_test, queue_of_another_context_is_an_error) {
  const sycl::queue foreign(new_context(), device());
  expect_error<value_error>([&] { buffer::on_queue(shared_buffer(), foreign); }, {"context"});
}

TEST_F(buffer_test, part_is_some_bytes_of_the_whole) {
  const auto whole = shared_buffer();
  const buffer part = buffer::part_of(whole, whole->data() + 8, 16, false, {});
  EXPECT_EQ(part.data(), whole->data() + 8);
  EXPECT_EQ(part.nbytes(), 16U);
  EXPECT_EQ(part.kind(), whole->kind());
  EXPECT_EQ(part.queue(), whole->queue());
}

TEST_F(buffer_test, part_keeps_the_whole_alive_and_its_own_action_runs_besides) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter whole_gone;
  const release_counter part_gone;
  {
    auto whole =
        std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), whole_gone.deleter()));
    const buffer part =
        buffer::part_of(std::move(whole), block.data(), 8, false, part_gone.action());
    EXPECT_EQ(whole_gone.value(), 0);
  }
  EXPECT_EQ(whole_gone.value(), 1);
  EXPECT_EQ(part_gone.value(), 1);
}

TEST_F(buffer_test, parts_action_does_not_wait_for_the_whole) {
  const auto whole = shared_buffer();
  const release_counter part_gone;
  buffer::part_of(whole, whole->data(), 8, false, part_gone.action());
  EXPECT_EQ(part_gone.value(), 1);
}

TEST_F(buffer_test, part_of_a_part_keeps_the_whole_alive) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter whole_gone;
  auto whole =
      std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), whole_gone.deleter()));
  auto part =
      std::make_shared<buffer>(buffer::part_of(std::move(whole), block.data() + 8, 32, false, {}));
  auto inner =
      std::make_shared<buffer>(buffer::part_of(std::move(part), block.data() + 16, 8, false, {}));
  EXPECT_EQ(whole_gone.value(), 0);
  inner.reset();
  EXPECT_EQ(whole_gone.value(), 1);
}

TEST_F(buffer_test, part_says_itself_whether_it_is_read_only) {
  const auto whole = shared_buffer();
  EXPECT_FALSE(buffer::part_of(whole, whole->data(), 8, false, {}).readonly());
  EXPECT_TRUE(buffer::part_of(whole, whole->data(), 8, true, {}).readonly());
}

TEST_F(buffer_test, moved_part_keeps_the_whole_alive) {
  const runtime_block block(64, usm_kind::device, queue());
  const release_counter whole_gone;
  {
    auto whole =
        std::make_shared<buffer>(buffer::adopt(block.data(), 64, queue(), whole_gone.deleter()));
    buffer part = buffer::part_of(std::move(whole), block.data(), 8, false, {});
    buffer moved = std::move(part);
    buffer assigned = buffer::allocate(8, usm_kind::device, queue());
    assigned = std::move(moved);
    EXPECT_EQ(whole_gone.value(), 0);
    EXPECT_EQ(assigned.data(), block.data());
  }
  EXPECT_EQ(whole_gone.value(), 1);
}

TEST_F(buffer_test, work_recorded_on_a_part_is_pending_on_the_whole_and_not_on_other_parts) {
  const auto whole = shared_buffer();
  gate work(context());
  buffer part = buffer::part_of(whole, whole->data(), 8, false, {});
  buffer same = buffer::part_of(whole, whole->data() + 7, 8, false, {});
  const buffer other = buffer::part_of(whole, whole->data() + 8, 8, false, {});
  part.record(work.event());
  EXPECT_TRUE(whole->may_be_busy());
  EXPECT_TRUE(same.may_be_busy());
  EXPECT_FALSE(other.may_be_busy());
  work.open();
  whole->wait();
  EXPECT_FALSE(part.may_be_busy());
}

TEST_F(buffer_test, work_recorded_on_a_part_of_a_part_is_pending_on_the_whole) {
  const auto whole = shared_buffer();
  const auto part =
      std::make_shared<buffer>(buffer::part_of(whole, whole->data() + 8, 32, false, {}));
  buffer inner = buffer::part_of(part, whole->data() + 16, 8, false, {});
  inner.record(sycl::event());
  EXPECT_TRUE(whole->may_be_busy());
  whole->wait();
  EXPECT_FALSE(inner.may_be_busy());
}

TEST_F(buffer_test, exposing_a_part_exposes_the_whole) {
  const auto whole = std::make_shared<buffer>(buffer::allocate(64, usm_kind::device, new_queue()));
  buffer part = buffer::part_of(whole, whole->data(), 8, false, {});
  EXPECT_FALSE(whole->may_be_busy());
  part.expose();
  EXPECT_TRUE(whole->may_be_busy());
}

TEST_F(buffer_test, part_of_memory_that_never_left_is_not_busy) {
  const auto whole = shared_buffer();
  EXPECT_FALSE(buffer::part_of(whole, whole->data(), 8, false, {}).may_be_busy());
}

// ---- Pending work that is over soon

TEST_F(buffer_test, fresh_memory_is_not_busy) {
  buffer fresh = buffer::allocate(64, usm_kind::device, queue());
  EXPECT_FALSE(fresh.may_be_busy());
  fresh.wait();
  EXPECT_FALSE(fresh.may_be_busy());
}

TEST_F(buffer_test, adopted_memory_may_be_busy_from_the_start_and_for_ever) {
  const runtime_block block(64, usm_kind::device, queue());
  buffer adopted = buffer::adopt(block.data(), 64, queue(), [](void*) {});
  EXPECT_TRUE(adopted.may_be_busy());
  adopted.wait();
  EXPECT_TRUE(adopted.may_be_busy());
}

TEST_F(buffer_test, exposed_memory_on_somebody_elses_queue_may_be_busy_for_ever) {
  buffer made = buffer::allocate(64, usm_kind::device, new_queue());
  EXPECT_FALSE(made.may_be_busy());
  made.expose();
  EXPECT_TRUE(made.may_be_busy());
  made.wait();
  EXPECT_TRUE(made.may_be_busy());
}

TEST_F(buffer_test, exposed_memory_on_usmxs_own_queue_may_be_busy_once_that_was_handed_out) {
  buffer made = buffer::allocate(64, usm_kind::device, queue());
  made.expose();
  EXPECT_EQ(made.may_be_busy(),
            usmx::internal::cached_queues_exposed());  // for good: by other tests
  static_cast<void>(usmx::default_queue());            // hands one out
  EXPECT_TRUE(made.may_be_busy());
  made.wait();
  EXPECT_TRUE(made.may_be_busy());
}

TEST_F(buffer_test, a_queue_taken_from_a_buffer_exposes_the_bytes) {
  const buffer private_still = buffer::allocate(64, usm_kind::device, queue());
  static_cast<void>(usmx::internal::private_queue(private_still));
  EXPECT_FALSE(private_still.may_be_busy());
  const buffer made = buffer::allocate(64, usm_kind::device, queue());
  EXPECT_EQ(made.queue(), usmx::internal::handed_out(queue()));
  EXPECT_TRUE(made.may_be_busy());
}

TEST_F(buffer_test, recorded_work_is_pending_until_it_was_waited_for) {
  buffer made = buffer::allocate(64, usm_kind::device, queue());
  made.record(queue().memset(made.data(), 1, 64));
  EXPECT_TRUE(made.may_be_busy());
  made.wait();
  EXPECT_FALSE(made.may_be_busy());
}

TEST_F(buffer_test, wait_sees_what_recorded_work_has_written) {
  const std::size_t nbytes = std::size_t{1} << 22;
  buffer made = buffer::allocate(nbytes, usm_kind::shared, queue());
  sycl::queue work = new_queue();
  for (int value = 1; value <= 5; ++value) {
    made.record(work.memset(made.data(), value, nbytes));
    made.wait();
    ASSERT_EQ(made.data()[0], static_cast<std::byte>(value));
    ASSERT_EQ(made.data()[nbytes - 1], static_cast<std::byte>(value));
  }
}

TEST_F(buffer_test, threads_record_and_wait_at_once) {
  const auto made = shared_buffer(std::size_t{1} << 16);
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id) {
    threads.emplace_back([&, id] {
      sycl::queue work = new_queue();
      std::byte* mine = made->data() + id * 64;
      for (int round = 0; round < 50; ++round) {
        made->record(work.memset(mine, id, 64));
        if (round % 4 == 0) {
          made->wait();
        }
        made->may_be_busy();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  made->wait();
  EXPECT_FALSE(made->may_be_busy());
  for (int id = 0; id < 8; ++id) {
    EXPECT_EQ(support::download(made->data() + id * 64, 64, queue()),
              std::vector(64, static_cast<std::byte>(id)));
  }
}

// ---- Pending work that is over when the test says so

class pending_work_test : public buffer_test {
 protected:
  // Whether `wait` returns only after the gate was opened by another thread.
  template <class Wait>
  static bool waits_for(support::gate& gate, Wait wait) {
    std::atomic<bool> opened = false;
    std::atomic<bool> begun = false;
    std::thread opener([&] {
      while (!begun) {
        std::this_thread::yield();
      }
      opened = true;
      gate.open();
    });
    begun = true;
    wait();
    const bool was_open = opened;
    opener.join();
    return was_open;
  }
};

TEST_F(pending_work_test, wait_returns_after_the_recorded_work) {
  for (int round = 0; round < 20; ++round) {
    support::gate gate(context());
    buffer made = buffer::allocate(64, usm_kind::device, queue());
    made.record(gate.event());
    EXPECT_TRUE(waits_for(gate, [&] { made.wait(); }));
    EXPECT_FALSE(made.may_be_busy());
  }
}

TEST_F(pending_work_test, wait_on_a_part_returns_after_the_work_recorded_on_the_whole) {
  support::gate gate(context());
  const auto whole = shared_buffer();
  buffer part = buffer::part_of(whole, whole->data(), 8, false, {});
  whole->record(gate.event());
  EXPECT_TRUE(waits_for(gate, [&] { part.wait(); }));
}

TEST_F(pending_work_test, wait_returns_after_all_of_the_recorded_work) {
  support::gate first(context());
  support::gate second(context());
  buffer made = buffer::allocate(64, usm_kind::device, queue());
  made.record(second.event());
  made.record(first.event());
  first.open();
  EXPECT_TRUE(waits_for(second, [&] { made.wait(); }));
}

TEST_F(pending_work_test, wait_of_exposed_memory_returns_after_unrecorded_work_on_its_queue) {
  for (const bool in_order : {true, false}) {
    for (int round = 0; round < 20; ++round) {
      sycl::queue queue = in_order ? new_queue() : sycl::queue(context(), device());
      support::gate gate(context());
      buffer made = buffer::allocate(64, usm_kind::device, queue);
      made.expose();
      queue.memset(made.data(), 1, 64, gate.event());
      EXPECT_TRUE(waits_for(gate, [&] { made.wait(); }));
    }
  }
}

TEST_F(pending_work_test, wait_of_exposed_memory_returns_after_work_on_the_queue_handed_out) {
  support::gate gate(context());
  buffer made = buffer::allocate(64, usm_kind::device, queue());
  made.expose();
  static_cast<void>(usmx::default_queue());  // hands one out
  queue().memset(made.data(), 1, 64, gate.event());
  EXPECT_TRUE(waits_for(gate, [&] { made.wait(); }));
}

TEST_F(pending_work_test, wait_of_memory_that_never_left_ignores_its_queue) {
  support::gate gate(context());
  sycl::queue queue = new_queue();
  buffer made = buffer::allocate(64, usm_kind::device, queue);
  const buffer other = buffer::allocate(64, usm_kind::device, queue);
  queue.memset(other.data(), 1, 64, gate.event());
  made.wait();  // would not come back
  gate.open();
  queue.wait();
}

TEST_F(buffer_test, part_of_no_buffer_is_refused) {
  for (const auto& make : std::vector<std::function<void()>>{
           [] { buffer::part_of(nullptr, nullptr, 0, false, {}); },
           [] { buffer::part_on_queue(nullptr, nullptr, 0, queue(), false, {}); },
           [] { buffer::on_queue(nullptr, queue()); }, [] { buffer::lent_out(nullptr); }}) {
    expect_error<value_error>(make, {"buffer::", "expected a buffer, found null"});
  }
}

TEST_F(buffer_test, deleter_without_a_function_is_refused) {
  const runtime_block block(64, usm_kind::device, queue());
  using function = void (*)(void*);
  expect_error<value_error>([&] { buffer::adopt(block.data(), 64, queue(), function(nullptr)); },
                            {"deleter", "expected a function, found null"});
  expect_error<value_error>(
      [&] { buffer::adopt(block.data(), 64, queue(), std::function<void(void*)>()); },
      {"deleter", "expected a function, found null"});
}

}  // namespace
