// usmx/memory/release_action.hpp: it is done once, whatever becomes of it on the way.
#include "usmx/memory/release_action.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <type_traits>

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

}  // namespace
