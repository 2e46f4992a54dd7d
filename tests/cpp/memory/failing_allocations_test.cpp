// What usmx knows of memory, when an allocation fails while something is entered or taken out.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "memory/buffer.hpp"
#include "memory/observer.hpp"
#include "memory/pending_work.hpp"
#include "memory/reclaim.hpp"
#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/failing_allocations.hpp"
#include "support/gate.hpp"
#include "support/memory_log_lines.hpp"
#include "support/temporary_folder.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/resources.hpp"

namespace {

using namespace std::chrono_literals;
using support::failing_allocation;
using support::fails;
using support::gate;
using support::with_every_allocation;
using usmx::buffer;
using usmx::logging_resource;
using usmx::memory_action;
using usmx::memory_source;
using usmx::usm_kind;
using usmx::detail::access;
using usmx::detail::access_history;
using usmx::detail::memory_log;
namespace registry = usmx::registry;

using history = access_history<int>;

history of_one_write_and_one_read() {
  history known;
  known.add({0, 100}, access::write, 1, 0);
  known.add({50, 150}, access::read, 2, known.latest());
  return known;
}

TEST(failing_access_history_test, no_byte_loses_its_work_when_an_addition_fails) {
  for (const access made : {access::read, access::write}) {
    with_every_allocation([&](int number) {
      history known = of_one_write_and_one_read();
      fails(number, [&] { known.add({20, 120}, made, 3, known.latest()); });
      for (std::uintptr_t byte = 0; byte < 150; byte += 10) {
        ASSERT_FALSE(known.find({byte, byte + 1}, access::write).empty()) << byte;
      }
    });
  }
}

TEST(failing_access_history_test, addition_that_fails_leaves_no_bytes_without_work) {
  with_every_allocation([](int number) {
    history known;
    if (fails(number, [&] { known.add({20, 120}, access::write, 1, 0); })) {
      ASSERT_TRUE(known.empty());
    }
  });
}

TEST(failing_access_history_test, no_other_byte_loses_its_work_when_taking_some_out_fails) {
  with_every_allocation([](int number) {
    history known = of_one_write_and_one_read();
    fails(number, [&] { known.take({20, 120}); });
    ASSERT_FALSE(known.find({10, 11}, access::write).empty());
    ASSERT_FALSE(known.find({130, 131}, access::write).empty());
  });
}

class failing_registry_test : public support::device_test {};

TEST_F(failing_registry_test, addition_that_fails_leaves_it_as_it_was) {
  auto* const start = reinterpret_cast<std::byte*>(std::uintptr_t{0x5000'0000'4000});
  const std::size_t before = registry::size();
  int failures = 0;
  for (std::ptrdiff_t k = 0; k < 3000; ++k) {
    const usmx::registered_block block{start + k * 64, 64, usm_kind::device, context()};
    const bool failed = fails(1, [&] { registry::add(block); });
    if (failed) {
      ++failures;
      EXPECT_FALSE(registry::find(start + k * 64));
      EXPECT_EQ(registry::size(), before + static_cast<std::size_t>(k));
      registry::add(block);
    }
    EXPECT_TRUE(registry::find(start + k * 64));
  }
  EXPECT_GT(failures, 0);
  for (std::ptrdiff_t k = 0; k < 3000; ++k) {
    EXPECT_TRUE(registry::find(start + k * 64));
    registry::remove(start + k * 64, 64);
  }
  EXPECT_EQ(registry::size(), before);
}

class failing_release_test : public support::device_test {
 protected:
  /// Lets go of three parts of a block on which there is work, on a thread that leaves them to
  /// others.
  void let_go_with_work(const sycl::event& work) {
    std::vector<buffer> parts;
    for (std::ptrdiff_t k = 0; k < 3; ++k) {
      parts.push_back(buffer::adopt(block_.data() + k * 64, 64, queue(),
                                    usmx::detail::release_action::of(
                                        nullptr, [this](void*) { ++(open_ ? late_ : early_); })));
      parts.back().record(work);
    }
    std::thread([last = std::move(parts)]() mutable { last.clear(); }).join();
  }

  support::runtime_block block_{192, usm_kind::device, queue()};
  std::atomic<bool> open_ = false;
  std::atomic<int> early_ = 0;
  std::atomic<int> late_ = 0;
};

TEST_F(failing_release_test, nothing_is_released_before_its_work_when_looking_for_it_fails) {
  with_every_allocation([this](int number) {
    open_ = false;
    late_ = 0;
    gate work(context());
    let_go_with_work(work.event());
    fails(number, [] { usmx::detail::release_finished(); });
    ASSERT_EQ(early_, 0);
    open_ = true;
    work.open();
    usmx::synchronize();
    ASSERT_EQ(late_, 3);
    ASSERT_EQ(usmx::detail::deferred_nbytes(), 0U);
  });
}

TEST_F(failing_release_test, nothing_is_released_before_its_work_when_waiting_for_all_fails) {
  with_every_allocation([this](int number) {
    open_ = false;
    late_ = 0;
    gate work(context());
    let_go_with_work(work.event());
    std::thread opening([&] {
      std::this_thread::sleep_for(10ms);
      open_ = true;
      work.open();
    });
    fails(number, [] { usmx::detail::release_all(); });
    opening.join();
    ASSERT_EQ(early_, 0);
    usmx::synchronize();
    ASSERT_EQ(late_, 3);
    ASSERT_EQ(usmx::detail::deferred_nbytes(), 0U);
  });
}

// It would ask for the block's work again and again, and allocate each time.
TEST_F(failing_release_test, who_gives_all_blocks_back_sleeps_while_another_thread_looks_at_one) {
  usmx::synchronize();
  gate other_work(context());
  buffer busy = buffer::allocate(64, usm_kind::host, queue());
  busy.record(other_work.event());
  gate work(context());
  {
    const auto block = usmx::internal::new_buffer::allocate(1 << 20, queue(), usm_kind::device, 0,
                                                            usmx::internal::first_use::in_order);
    block->record(work.event());
  }
  ASSERT_GT(usmx::detail::deferred_nbytes(), 0U);
  work.open();
  std::promise<void> looks;
  std::promise<void> goes_on;
  std::thread looking([&] {
    // The first allocation is for the block's work, and the second one for what is finished of it.
    int count = 0;
    const support::told_allocations told([&] {
      if (++count == 2) {
        looks.set_value();
        goes_on.get_future().wait();
      }
    });
    usmx::detail::release_all_finished();
  });
  looks.get_future().wait();
  std::atomic<int> allocations = 0;
  std::thread returning([&] {
    const support::told_allocations told([&] { ++allocations; });
    usmx::detail::release_all();
  });
  for (int k = 0; k < 50 && allocations < 1000; ++k) {
    std::this_thread::sleep_for(1ms);
  }
  goes_on.set_value();
  looking.join();
  returning.join();
  EXPECT_LT(allocations, 1000);
  EXPECT_EQ(usmx::detail::deferred_nbytes(), 0U);
  other_work.open();
}

class failing_memory_log_test : public support::device_test {
 protected:
  support::temporary_folder folder_;
  const std::filesystem::path path_ = folder_.path() / "memory.csv";
};

TEST_F(failing_memory_log_test, line_of_a_free_needs_no_memory) {
  logging_resource resource(std::make_shared<usmx::usm_resource>(usm_kind::host), path_);
  const sycl::queue at = queue();
  std::byte* block = resource.allocate(100, 0, at);
  {
    const failing_allocation failing(1);
    resource.deallocate(block, 100, 0, at);
    EXPECT_FALSE(failing_allocation::has_happened());
  }
  EXPECT_EQ(support::memory_log_lines(path_).size(), 2U);
}

TEST_F(failing_memory_log_test, line_without_memory_for_the_device_has_all_else) {
  with_every_allocation([&](int number) {
    const sycl::queue at = queue();
    const std::byte byte{};
    memory_log log(path_.string());
    ASSERT_FALSE(fails(number, [&] {
      log.write({memory_action::allocate, memory_source::pool, usm_kind::host, 100, &byte, at});
    }));
    const auto lines = support::memory_log_lines(path_);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].nbytes(), 100U);
  });
}

TEST_F(failing_release_test, letting_go_with_work_allocates_nothing) {
  gate work(context());
  std::vector<buffer> made;
  for (int count = 0; count < 1000; ++count) {
    made.push_back(buffer::allocate(64, usm_kind::device, queue()));
  }
  made.front().record(work.event());
  bool allocated = true;
  std::thread([&] {
    const support::failing_allocation failing(1);
    made.clear();
    allocated = support::failing_allocation::has_happened();
  }).join();
  EXPECT_FALSE(allocated);
  EXPECT_EQ(usmx::detail::deferred_nbytes(), 64'000U);
  work.open();
  usmx::synchronize();
  EXPECT_EQ(usmx::detail::deferred_nbytes(), 0U);
}

}  // namespace
