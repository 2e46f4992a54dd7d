// usmx/array/submit.hpp: work of one's own, in order and without waiting.
#include "usmx/array/submit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <future>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "memory/buffer.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"
#include "support/seed.hpp"
#include "usmx/array/in.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/buffer.hpp"

namespace {

using namespace std::chrono_literals;
using support::expect_error;
using support::gate;
using usmx::array;
using usmx::pending_events;
using usmx::submit;
using bytes = usmx::write<std::uint8_t, 1>;

constexpr std::ptrdiff_t count = 1000;

bool is_complete(const sycl::event& event) {
  return event.get_info<sycl::info::event::command_execution_status>() ==
         sycl::info::event_command_status::complete;
}

class submit_test : public support::device_test {
 protected:
  static bytes made(const sycl::queue& on, std::uint8_t value = 0) {
    bytes made(usmx::empty({count}, usmx::uint8, on));
    support::upload(all(value), reinterpret_cast<std::byte*>(made.data()), idle_queue());
    return made;
  }
  static bytes made(std::uint8_t value = 0) { return made(queue(), value); }
  /// An out-of-order queue on which nothing else is, so that a look at memory comes after nothing.
  /// It is kept: the OpenCL CPU driver may wait for ever for the end of a queue that has just
  /// worked.
  static sycl::queue idle_queue() {
    static const sycl::queue& kept = *new sycl::queue(context(), device());
    return kept;
  }
  static sycl::queue out_of_order_queue() {
    static const sycl::queue& kept = *new sycl::queue(context(), device());
    return kept;
  }
  static std::vector<std::byte> now_in(const bytes& x) {
    return support::download(reinterpret_cast<std::byte*>(x.data()), count, idle_queue());
  }
  static std::vector<std::byte> later_in(const bytes& x) {
    x.array().wait();
    return now_in(x);
  }
  static std::vector<std::byte> all(std::uint8_t value) {
    return std::vector(count, static_cast<std::byte>(value));
  }

  static sycl::event copy(const sycl::queue& on, const bytes& from, const bytes& to) {
    return submit(on, {from}, {to},
                  [&](sycl::handler& command) { command.memcpy(to.data(), from.data(), count); });
  }
  static sycl::event set(const sycl::queue& on, const bytes& x, int value) {
    return submit(on, {}, {x},
                  [&](sycl::handler& command) { command.memset(x.data(), value, count); });
  }
  /// Work that nobody has submitted by usmx, behind a gate, which sets all elements.
  static void set_behind(gate& work, const bytes& x, int value) {
    x.array().record_write(idle_queue().memset(x.data(), value, count, work.event()));
  }
};

TEST_F(submit_test, a_read_comes_after_a_write) {
  const bytes x = made(1);
  const bytes y = made(2);
  gate work(context());
  set_behind(work, x, 5);
  const sycl::event copied = copy(queue(), x, y);
  EXPECT_FALSE(is_complete(copied));
  EXPECT_EQ(now_in(y), all(2));
  work.open();
  EXPECT_EQ(later_in(y), all(5));
}

TEST_F(submit_test, a_write_comes_after_a_write) {
  const bytes x = made();
  gate work(context());
  set_behind(work, x, 5);
  set(queue(), x, 7);
  work.open();
  EXPECT_EQ(later_in(x), all(7));
}

TEST_F(submit_test, a_write_comes_after_a_read) {
  const bytes x = made(1);
  gate work(context());
  x.array().record_read(work.event());
  const sycl::event written = set(queue(), x, 7);
  EXPECT_FALSE(is_complete(written));
  EXPECT_EQ(now_in(x), all(1));
  work.open();
  EXPECT_EQ(later_in(x), all(7));
}

TEST_F(submit_test, a_read_does_not_wait_for_a_read) {
  const bytes x = made(3);
  const bytes y = made();
  gate work(context());
  x.array().record_read(work.event());
  copy(queue(), x, y).wait();
  EXPECT_EQ(now_in(y), all(3));
}

TEST_F(submit_test, other_elements_of_the_memory_are_not_waited_for) {
  const array whole = usmx::empty({2, count}, usmx::uint8, queue());
  const bytes first(whole.slice(0));
  const bytes second(whole.slice(1));
  gate work(context());
  set_behind(work, first, 5);
  set(queue(), second, 6).wait();
  EXPECT_EQ(now_in(second), all(6));
}

// On one queue: the OpenCL CPU driver may lose commands of two queues that wait for a user event.
TEST_F(submit_test, dependent_commands_are_submitted_while_the_first_one_runs) {
  const std::vector<bytes> chain{made(1), made(2), made(3)};
  gate work(context());
  set_behind(work, chain[0], 9);
  std::vector<sycl::event> submitted;
  for (std::size_t k = 0; k < 10; ++k) {
    submitted.push_back(copy(queue(), chain[k % 3], chain[(k + 1) % 3]));
  }
  EXPECT_TRUE(std::ranges::none_of(submitted, is_complete));
  work.open();
  for (const bytes& each : chain) {
    EXPECT_EQ(later_in(each), all(9));
  }
}

TEST_F(submit_test, library_gets_the_events_and_its_event_is_recorded) {
  const bytes x = made();
  gate before(context());
  gate work(context());
  x.array().record_write(before.event());
  std::vector<sycl::event> after;
  const sycl::event done = submit(queue(), {}, {x}, [&](const std::vector<sycl::event>& events) {
    after = events;
    return work.event();
  });
  EXPECT_EQ(after, std::vector{before.event()});
  EXPECT_EQ(done, work.event());
  before.open();
  EXPECT_EQ(pending_events({x}, {}), std::vector{work.event()});
}

TEST_F(submit_test, pending_events_are_those_that_the_access_comes_after) {
  const bytes x = made();
  const bytes y = made();
  gate reading(context());
  gate writing(context());
  x.array().record_read(reading.event());
  y.array().record_write(writing.event());
  EXPECT_EQ(pending_events({x}, {}), std::vector<sycl::event>());
  EXPECT_EQ(pending_events({}, {x}), std::vector{reading.event()});
  EXPECT_EQ(pending_events({x, y}, {}), std::vector{writing.event()});
  EXPECT_EQ(pending_events(std::vector{x.array(), y.array()}, {}), std::vector{writing.event()});
  EXPECT_EQ(pending_events({x.array()}, {y}), std::vector{writing.event()});
}

TEST_F(submit_test, one_array_or_parameter_needs_no_braces) {
  const bytes x = made();
  EXPECT_EQ(usmx::array_list(x).items().size(), 1U);
  EXPECT_EQ(&usmx::array_list(x).items()[0].get(), &x.array());
  EXPECT_EQ(&usmx::array_list(x.array()).items()[0].get(), &x.array());
}

TEST_F(submit_test, memory_lives_until_the_command_has_finished) {
  sycl::queue on = queue();
  support::runtime_block block(count, usmx::usm_kind::device, on);
  support::runtime_block target(count, usmx::usm_kind::device, on);
  bool is_released = false;
  gate work(context());
  {
    const bytes x(array::adopt(block.data(), {count}, usmx::uint8, new_queue(),
                               [&](void*) { is_released = true; }));
    const bytes y = made();
    set_behind(work, y, 4);
    submit(new_queue(), {y}, {},
           [&](sycl::handler& command) { command.memcpy(target.data(), y.data(), count); });
    x.array().record_read(work.event());
  }
  usmx::detail::may_have_pending_work(block.data(), count);
  EXPECT_FALSE(is_released);
  work.open();
  usmx::synchronize();
  EXPECT_TRUE(is_released);
  EXPECT_EQ(support::download(target.data(), count, idle_queue()), all(4));
}

TEST_F(submit_test, a_command_that_throws_is_not_recorded) {
  const bytes x = made();
  EXPECT_THROW(submit(queue(), {}, {x}, [](sycl::handler&) { throw std::runtime_error("mine"); }),
               std::runtime_error);
  EXPECT_EQ(pending_events({}, {x}), std::vector<sycl::event>());
}

TEST_F(submit_test, read_only_arrays_are_not_written) {
  const array x = made().array().as_readonly();
  const auto nothing = [](sycl::handler&) {};
  expect_error<usmx::read_only_error>([&] { submit(queue(), {}, {x}, nothing); }, {"read-only"});
  expect_error<usmx::read_only_error>([&] { pending_events({}, {x}); }, {"read-only"});
  EXPECT_NO_THROW(pending_events({x}, {}));
}

TEST_F(submit_test, queue_of_another_context_is_refused) {
  const bytes x = made();
  const sycl::queue other(new_context(), device());
  const auto nothing = [](sycl::handler&) {};
  expect_error<usmx::value_error>([&] { submit(other, {x}, {}, nothing); }, {"context"});
  expect_error<usmx::value_error>([&] { submit(other, {}, {x}, nothing); }, {"context"});
}

TEST_F(submit_test, array_without_memory_is_refused) {
  const auto nothing = [](sycl::handler&) {};
  expect_error<usmx::value_error>([&] { submit(queue(), {array()}, {}, nothing); }, {"memory"});
  expect_error<usmx::value_error>([&] { pending_events({array()}, {}); }, {"memory"});
}

TEST_F(submit_test, work_without_a_function_is_refused) {
  const std::function<void(sycl::handler&)> command;
  const std::function<sycl::event(const std::vector<sycl::event>&)> start;
  expect_error<usmx::value_error>([&] { submit(queue(), {}, {}, command); }, {"found null"});
  expect_error<usmx::value_error>([&] { submit(queue(), {}, {}, start); }, {"found null"});
}

// ---- memory that others may work on

/// On a queue that others have as well.
class exposed_submit_test : public submit_test {
 protected:
  static bytes exposed_on(const sycl::queue& on) {
    const bytes x = made(on, 1);
    x.array().data();
    return x;
  }
};

TEST_F(exposed_submit_test, command_waits_for_others_work_on_an_out_of_order_queue) {
  sycl::queue theirs = out_of_order_queue();
  const bytes x = exposed_on(theirs);
  gate work(context());
  theirs.memset(x.data(), 5, count, work.event());
  auto written = std::async(std::launch::async, [&] { return set(queue(), x, 7); });
  EXPECT_EQ(written.wait_for(20ms), std::future_status::timeout);
  EXPECT_EQ(now_in(x), all(1));
  work.open();
  written.get();
  EXPECT_EQ(later_in(x), all(7));
}

TEST_F(exposed_submit_test, command_comes_after_others_work_on_another_in_order_queue) {
  sycl::queue theirs = new_queue();
  const bytes x = exposed_on(theirs);
  gate work(context());
  theirs.memset(x.data(), 5, count, work.event());
  auto written = std::async(std::launch::async, [&] { return set(queue(), x, 7); });
  EXPECT_EQ(written.wait_for(20ms), std::future_status::timeout);
  work.open();
  EXPECT_TRUE(is_complete(written.get()));
  EXPECT_EQ(now_in(x), all(7));
}

TEST_F(exposed_submit_test, command_is_finished_where_others_could_overtake_it) {
  const bytes x = exposed_on(out_of_order_queue());
  const bytes y = made();
  gate work(context());
  set_behind(work, y, 6);
  auto written = std::async(std::launch::async, [&] { return copy(queue(), y, x); });
  EXPECT_EQ(written.wait_for(20ms), std::future_status::timeout);
  work.open();
  EXPECT_TRUE(is_complete(written.get()));
}

TEST_F(exposed_submit_test, command_on_others_in_order_queue_is_not_waited_for) {
  sycl::queue theirs = new_queue();
  const bytes x = exposed_on(theirs);
  gate work(context());
  theirs.memset(x.data(), 5, count, work.event());
  EXPECT_FALSE(is_complete(set(theirs, x, 7)));
  work.open();
  EXPECT_EQ(later_in(x), all(7));
}

// ---- many commands

int tries() {
  const char* given = std::getenv("USMX_TEST_TRIES");
  return given == nullptr ? 20 : std::atoi(given);
}

TEST_F(submit_test, random_commands_on_two_queues_give_what_they_give_one_after_the_other) {
  const std::vector<sycl::queue> queues{queue(), new_queue()};
  std::mt19937 random(support::seed(1));
  for (int k = 0; k < tries(); ++k) {
    std::vector<bytes> arrays{made(0), made(1), made(2), made(3)};
    std::vector<std::uint8_t> model{0, 1, 2, 3};
    for (int step = 0; step < 30; ++step) {
      const std::size_t from = random() % 4;
      const std::size_t to = random() % 4;
      const sycl::queue& on = queues[random() % 2];
      if (random() % 8 == 0) {
        arrays[to] = made(model[to]);  // the old one goes, while work on it may run
      } else if (from == to) {
        model[to] = static_cast<std::uint8_t>(step);
        set(on, arrays[to], step);
      } else {
        model[to] = model[from];
        copy(on, arrays[from], arrays[to]);
      }
    }
    for (std::size_t each = 0; each < 4; ++each) {
      ASSERT_EQ(later_in(arrays[each]), all(model[each]));
    }
  }
}

}  // namespace
