// src/runtime/contexts.hpp: what is kept for each context, for how long, and for which
// threads.
#include "runtime/contexts.hpp"
#include "runtime/devices.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using usmx::detail::context_state;
using usmx::detail::slot_of;
using usmx::detail::state_of;

constexpr int more_than_are_kept = 200;

class context_state_test : public testing::Test {
 protected:
  void SetUp() override {
    if (usmx::get_devices().empty()) {
      GTEST_SKIP() << "no SYCL device";
    }
  }

  static sycl::context new_context() { return sycl::context(usmx::default_device()); }

  static void meet_many_contexts() {
    for (int count = 0; count < more_than_are_kept; ++count) {
      state_of(new_context());
    }
  }
};

TEST_F(context_state_test, same_context_has_the_same_state) {
  const sycl::context context = new_context();
  EXPECT_EQ(state_of(context), state_of(context));
}

TEST_F(context_state_test, copy_of_a_context_has_the_same_state) {
  const sycl::context context = new_context();
  const sycl::context copy = context;
  EXPECT_EQ(state_of(context), state_of(copy));
}

TEST_F(context_state_test, contexts_of_the_same_device_have_states_of_their_own) {
  EXPECT_NE(state_of(new_context()), state_of(new_context()));
}

TEST_F(context_state_test, state_knows_its_context_and_devices) {
  const sycl::context context = new_context();
  EXPECT_TRUE(state_of(context)->context() == context);
  EXPECT_EQ(state_of(context)->devices(), context.get_devices());
}

TEST_F(context_state_test, short_lived_contexts_never_get_the_state_of_an_earlier_one) {
  for (int count = 0; count < more_than_are_kept; ++count) {
    const sycl::context context = new_context();
    ASSERT_TRUE(state_of(context)->context() == context);
  }
}

TEST_F(context_state_test, contexts_met_once_are_let_go) {
  std::weak_ptr<context_state> first = state_of(new_context());
  meet_many_contexts();
  EXPECT_TRUE(first.expired());
}

TEST_F(context_state_test, state_that_somebody_holds_is_kept) {
  const sycl::context context = new_context();
  const std::shared_ptr<context_state> held = state_of(context);
  meet_many_contexts();
  EXPECT_EQ(state_of(context), held);
}

TEST_F(context_state_test, queue_that_somebody_holds_is_kept) {
  const sycl::context context = new_context();
  const sycl::queue held = usmx::cached_queue(context, usmx::default_device());
  meet_many_contexts();
  EXPECT_TRUE(usmx::cached_queue(context, usmx::default_device()) == held);
}

TEST_F(context_state_test, queue_that_nobody_holds_does_not_keep_its_state) {
  std::weak_ptr<context_state> first;
  {
    const sycl::context context = new_context();
    usmx::cached_queue(context, usmx::default_device());
    first = state_of(context);
  }
  meet_many_contexts();
  EXPECT_TRUE(first.expired());
}

TEST_F(context_state_test, context_in_steady_use_is_kept_while_others_pass) {
  const sycl::context context = new_context();
  const std::weak_ptr<context_state> first = state_of(context);
  for (int count = 0; count < more_than_are_kept; ++count) {
    state_of(new_context());
    state_of(context);
  }
  EXPECT_FALSE(first.expired());
}

TEST_F(context_state_test, more_contexts_than_are_kept_can_be_in_use) {
  std::vector<std::shared_ptr<context_state>> held;
  for (int count = 0; count < more_than_are_kept; ++count) {
    held.push_back(state_of(new_context()));
  }
  for (const std::shared_ptr<context_state>& state : held) {
    ASSERT_EQ(state_of(state->context()), state);
  }
}

TEST_F(context_state_test, threads_agree_on_the_state_and_queue_of_a_context) {
  std::vector<sycl::context> contexts;
  std::vector<std::shared_ptr<context_state>> states;
  for (int count = 0; count < 8; ++count) {
    contexts.push_back(new_context());
    states.push_back(state_of(contexts.back()));
  }
  const sycl::device device = usmx::default_device();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int id = 0; id < 16; ++id) {
    threads.emplace_back([&, id] {
      for (std::size_t round = 0; round < 500; ++round) {
        const std::size_t which = (round + static_cast<std::size_t>(id)) % contexts.size();
        const std::shared_ptr<context_state> state = state_of(contexts[which]);
        wrong += state != states[which] || state->queue_of(device) != state->queue_of(device);
        if (round % 50 == 0) {
          wrong += state_of(new_context()) == state;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(context_state_test, threads_that_meet_a_context_at_once_get_one_state) {
  for (int round = 0; round < 20; ++round) {
    const sycl::context context = new_context();
    std::vector<std::shared_ptr<context_state>> seen(8);
    std::vector<std::thread> threads;
    for (std::shared_ptr<context_state>& mine : seen) {
      threads.emplace_back([&] { mine = state_of(context); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(std::vector(8, seen.front()), seen);
  }
}

/// Counts those of its class that were made and are there.
template <int Class>
struct counted_slot : usmx::detail::context_slot {
  explicit counted_slot(const sycl::context& context) : of(context) {
    ++made;
    ++alive;
  }
  ~counted_slot() override { --alive; }

  sycl::context of;
  static inline std::atomic<int> made = 0;
  static inline std::atomic<int> alive = 0;
};

TEST_F(context_state_test, slot_is_made_once_from_the_context) {
  using slot = counted_slot<0>;
  const sycl::context context = new_context();
  const auto state = state_of(context);
  const int before = slot::made;
  const std::shared_ptr<slot> found = slot_of<slot>(state);
  EXPECT_TRUE(found->of == context);
  EXPECT_EQ(slot_of<slot>(state), found);
  EXPECT_EQ(slot::made, before + 1);
}

TEST_F(context_state_test, each_context_and_each_class_has_a_slot_of_its_own) {
  const auto state = state_of(new_context());
  const auto other = state_of(new_context());
  EXPECT_NE(slot_of<counted_slot<0>>(state).get(), slot_of<counted_slot<0>>(other).get());
  EXPECT_NE(static_cast<void*>(slot_of<counted_slot<0>>(state).get()),
            static_cast<void*>(slot_of<counted_slot<1>>(state).get()));
}

TEST_F(context_state_test, threads_that_ask_for_a_slot_at_once_get_the_same) {
  using slot = counted_slot<1>;
  for (int round = 0; round < 20; ++round) {
    const auto state = state_of(new_context());
    const int before = slot::made;
    std::vector<slot*> seen(8);
    std::vector<std::thread> threads;
    for (slot*& mine : seen) {
      threads.emplace_back([&] { mine = slot_of<slot>(state).get(); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(std::vector(8, seen.front()), seen);
    EXPECT_EQ(slot::made, before + 1);
  }
}

TEST_F(context_state_test, slots_go_with_their_state) {
  using slot = counted_slot<0>;
  const int before = slot::alive;
  {
    slot_of<slot>(std::make_shared<context_state>(new_context()));
    EXPECT_EQ(slot::alive, before);
    const auto held = slot_of<slot>(std::make_shared<context_state>(new_context()));
    EXPECT_EQ(slot::alive, before + 1);
  }
  EXPECT_EQ(slot::alive, before);
}

TEST_F(context_state_test, slot_that_somebody_holds_lives_while_other_contexts_come) {
  const sycl::context context = new_context();
  const auto held = slot_of<counted_slot<0>>(state_of(context));
  meet_many_contexts();
  EXPECT_TRUE(held->of == context);
  EXPECT_EQ(slot_of<counted_slot<0>>(state_of(context)), held);
}

struct slot_with_setting : usmx::detail::context_slot {
  explicit slot_with_setting(const sycl::context& /*of*/) {}
  bool is_in_use() const noexcept override { return is_set; }
  std::atomic<bool> is_set = false;
};

TEST_F(context_state_test, state_with_a_setting_is_kept_until_it_is_taken_back) {
  const std::weak_ptr<context_state> state = state_of(new_context());
  const slot_with_setting* const slot = slot_of<slot_with_setting>(state.lock()).get();
  slot_of<slot_with_setting>(state.lock())->is_set = true;
  meet_many_contexts();
  ASSERT_FALSE(state.expired());
  EXPECT_EQ(slot_of<slot_with_setting>(state.lock()).get(), slot);
  slot_of<slot_with_setting>(state.lock())->is_set = false;
  meet_many_contexts();
  EXPECT_TRUE(state.expired());
}

TEST_F(context_state_test, root_device_has_no_parent) {
  EXPECT_FALSE(usmx::detail::parent_of(usmx::default_device()));
}

}  // namespace
