// usmx/memory/release_action.hpp: it is done once, whatever becomes of it on the way.
#include "usmx/memory/release_action.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/device_test.hpp"
#include "support/release_counter.hpp"
#include "usmx/memory/buffer.hpp"

namespace {

using support::release_counter;
using support::runtime_block;
using usmx::buffer;
using usmx::usm_kind;
using usmx::detail::release_action;
using release_action_test = support::device_test;

static_assert(!std::is_copy_constructible_v<release_action>);
static_assert(std::is_nothrow_move_constructible_v<release_action>);

// Throws on its n-th copy or move.
struct fragile_deleter {
  release_counter count;
  std::shared_ptr<int> copies_left;

  fragile_deleter(release_counter c, int copies)
      : count(std::move(c)), copies_left(std::make_shared<int>(copies)) {}
  fragile_deleter(const fragile_deleter& other)
      : count(other.count), copies_left(other.copies_left) {
    if ((*copies_left)-- == 0) {
      throw std::runtime_error("a deleter that cannot be copied");
    }
  }
  void operator()(void* pointer) const { count.deleter()(pointer); }
};

TEST_F(release_action_test, deleter_may_be_a_move_only_object_or_a_plain_function) {
  const runtime_block block(64, usm_kind::device, queue());
  static int calls;  // for a function without captures
  calls = 0;
  buffer::adopt(block.data(), 64, queue(), +[](void*) { ++calls; });
  buffer::adopt(block.data(), 64, queue(),
                [own = std::make_unique<int>(1)](void*) { calls += *own; });
  EXPECT_EQ(calls, 2);
}

TEST_F(release_action_test, deleter_that_cannot_be_copied_runs_once_all_the_same) {
  const runtime_block block(64, usm_kind::device, queue());
  for (int copies = 0; copies < 6; ++copies) {
    const release_counter deleted;
    bool thrown = false;
    try {
      buffer::adopt(block.data(), 64, queue(), fragile_deleter(deleted, copies));
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    EXPECT_EQ(deleted.value(), 1) << "copies before the failure: " << copies;
    EXPECT_TRUE(thrown || copies > 0);
  }
}

// An action that lets go of the next one of a chain, and of a branch beside it.
struct stage {
  std::vector<int>* order;
  int number;
  release_action next;
  release_action branch;

  static release_action make(std::vector<int>* order, int number, release_action next,
                             release_action branch = {}) {
    return {[](void* state) noexcept {
              const std::unique_ptr<stage> self(static_cast<stage*>(state));
              self->order->push_back(self->number);
            },
            new stage{order, number, std::move(next), std::move(branch)}};
  }
};

void let_go(release_action action) { const release_action now = std::move(action); }

TEST(release_action_depth, long_chain_is_let_go_in_order_and_each_action_is_done_once) {
  constexpr int length = 1'000'000;
  std::vector<int> order;
  release_action chain;
  for (int number = length; number-- > 0;) {
    chain = stage::make(&order, number, std::move(chain));
  }
  let_go(std::move(chain));
  std::vector<int> expected(length);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(release_action_depth, branches_of_a_chain_are_let_go_before_it_returns) {
  constexpr int length = 10'000;
  std::vector<int> order;
  release_action chain;
  for (int number = 0; number < length; ++number) {
    chain = stage::make(&order, number, std::move(chain), stage::make(&order, -1, {}));
  }
  let_go(std::move(chain));
  EXPECT_EQ(order.size(), 2U * length);
  EXPECT_EQ(std::ranges::count(order, -1), length);
}

TEST(release_action_depth, each_thread_lets_go_of_its_own) {
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> orders(4);
  for (std::vector<int>& order : orders) {
    threads.emplace_back([&order] {
      release_action chain;
      for (int number = 0; number < 50'000; ++number) {
        chain = stage::make(&order, number, std::move(chain));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<int>& order : orders) {
    EXPECT_EQ(order.size(), 50'000U);
  }
}

}  // namespace
