// src/memory/leases.cpp: who else has the memory, until when, and what becomes of his work.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "array/submission.hpp"
#include "memory/buffer.hpp"
#include "runtime/queues.hpp"
#include "support/device_test.hpp"
#include "support/gate.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/buffer.hpp"

namespace {

using support::gate;
using usmx::array;
using usmx::buffer;
using usmx::usm_kind;
using usmx::detail::access;
using usmx::detail::overtaking;
using usmx::detail::submission;
using usmx::internal::buffer_access;

bool is_complete(const sycl::event& event) {
  return event.get_info<sycl::info::event::command_execution_status>() ==
         sycl::info::event_command_status::complete;
}

/// A partner, of whom the test says what he has submitted, and who notes what he is told.
struct partner_of_test {
  std::optional<std::vector<sycl::event>> unfinished = std::vector<sycl::event>();
  std::vector<std::pair<sycl::queue, sycl::event>> told;
  int waits = 0;
};

partner_of_test* there = nullptr;

void wait_for(const sycl::event& event) {
  ++there->waits;
  usmx::internal::wait_for_submitted(event);
}

/// Who cannot be asked cannot be told either.
void tell(const sycl::queue& queue, const sycl::event& event, bool) {
  if (there->unfinished) {
    there->told.emplace_back(queue, event);
  } else {
    wait_for(event);
  }
}

const usmx::internal::partner_bridge bridge = {[](const sycl::queue&) { return there->unfinished; },
                                               &tell, &wait_for};

class leases_test : public support::device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    there = &partner_;
    usmx::internal::set_partner_bridge(&bridge);
  }
  void TearDown() override {
    usmx::internal::set_partner_bridge(nullptr);
    usmx::synchronize();
  }

  /// On a queue of the program's own, which others may have, unlike usmx's.
  array made() { return usmx::empty({64}, usmx::uint8, on_); }
  static std::shared_ptr<buffer> lent_to_partner(const array& x) {
    return buffer_access::lent_to_partner(x.owner());
  }
  /// Behind a gate.
  sycl::event start(const array& x, const sycl::event& after, access made = access::write,
                    overtaking by_others = overtaking::prevented) {
    submission work(on_, by_others);
    work.use(x, made);
    work.follow(std::vector{after});
    return work.start_command(
        [&](sycl::handler& command) { command.memset(usmx::internal::first_element(x), 1, 64); });
  }
  static std::vector<sycl::event> before(const sycl::queue& on, const array& x) {
    submission work(on);
    work.use(x, access::write);
    return work.before();
  }

  partner_of_test partner_;
  sycl::queue on_ = new_queue();
};

TEST_F(leases_test, part_on_another_queue_opens_it_when_it_is_exposed_and_until_it_ends) {
  const array x = made();
  const sycl::queue other = new_queue();
  EXPECT_FALSE(x.memory().others_may_work());
  {
    const auto there_too = buffer_access::moved_to_queue(x.owner(), other);
    EXPECT_FALSE(x.memory().others_may_work());
    there_too->expose();
    EXPECT_EQ(x.memory().others_queues(), std::vector{other});
  }
  EXPECT_TRUE(x.memory().others_may_work());  // his last work may be unfinished
  before(on_, x);
  EXPECT_FALSE(x.memory().others_may_work());
}

TEST_F(leases_test, part_of_an_exposed_part_keeps_the_lease) {
  const array x = made();
  std::optional<buffer> inner;
  {
    const auto outer = buffer_access::moved_to_queue(x.owner(), new_queue());
    outer->expose();
    inner.emplace(buffer::part_of(outer, outer->data(), 1, false, {}));
  }
  before(on_, x);
  EXPECT_TRUE(x.memory().others_may_work());
  inner.reset();
  before(on_, x);
  EXPECT_FALSE(x.memory().others_may_work());
}

TEST_F(leases_test, lease_that_begins_again_is_not_forgotten) {
  const array x = made();
  const auto first = lent_to_partner(x);
  auto second = lent_to_partner(x);
  second.reset();
  before(on_, x);
  EXPECT_TRUE(x.memory().others_may_work());
}

TEST_F(leases_test, partner_who_reads_events_is_told_and_nobody_waits) {
  const array x = made();
  const auto lent = lent_to_partner(x);
  gate work(context());
  const sycl::event started = start(x, work.event());
  EXPECT_FALSE(is_complete(started));
  ASSERT_EQ(partner_.told.size(), 1);
  EXPECT_EQ(partner_.told[0].first, on_);
  EXPECT_EQ(partner_.told[0].second, started);
  EXPECT_EQ(partner_.waits, 0);
}

TEST_F(leases_test, work_comes_after_the_events_of_a_partner) {
  const array x = made();
  const auto lent = lent_to_partner(x);
  const gate work(context());
  partner_.unfinished = {work.event()};
  EXPECT_EQ(before(on_, x), std::vector{work.event()});
}

TEST_F(leases_test, last_work_of_a_partner_is_followed_by_address_after_his_lease) {
  const array x = made();
  auto lent = lent_to_partner(x);
  gate work(context());
  partner_.unfinished = {work.event()};
  lent.reset();
  EXPECT_EQ(before(on_, x), std::vector{work.event()});
  EXPECT_FALSE(x.memory().others_may_work());
  partner_.unfinished = std::vector<sycl::event>();
  EXPECT_EQ(before(on_, x), std::vector{work.event()});
  EXPECT_EQ(before(on_, x.slice(usmx::range(5, 6))), std::vector{work.event()});  // of all bytes
}

TEST_F(leases_test, partner_who_cannot_be_asked_is_waited_for_and_overtakes_nothing) {
  const array x = made();
  const auto lent = lent_to_partner(x);
  partner_.unfinished = std::nullopt;
  EXPECT_TRUE(is_complete(start(x, sycl::event())));
  EXPECT_EQ(partner_.waits, 1);
}

TEST_F(leases_test, partner_on_another_queue_than_the_work_is_waited_for) {
  const array x = made();
  const array beside(buffer_access::moved_to_queue(x.owner(), new_queue()), usmx::uint8,
                     x.layout());
  const auto lent = lent_to_partner(beside);
  EXPECT_TRUE(is_complete(start(x, sycl::event(), access::write, overtaking::left_to_caller)));
  EXPECT_EQ(partner_.waits, 1);
  EXPECT_TRUE(partner_.told.empty());
}

TEST_F(leases_test, somebody_unknown_waits_for_work_unless_its_event_is_left_to_the_caller) {
  const array x = usmx::empty({64}, usmx::uint8, on_, usm_kind::shared);
  x.view();  // exposes it
  EXPECT_TRUE(is_complete(start(x, sycl::event())));
  EXPECT_EQ(partner_.waits, 1);
  gate work(context());
  const sycl::event started = start(x, work.event(), access::write, overtaking::left_to_caller);
  EXPECT_FALSE(is_complete(started));
  EXPECT_EQ(partner_.waits, 1);
  ASSERT_EQ(partner_.told.size(), 1);  // he may read events all the same
  EXPECT_EQ(partner_.told[0].second, started);
}

TEST_F(leases_test, recorded_work_is_told) {
  const array x = made();
  const auto lent = lent_to_partner(x);
  const gate work(context());
  x.record_write(work.event());
  ASSERT_EQ(partner_.told.size(), 1);
  EXPECT_EQ(partner_.told[0].second, work.event());
}

}  // namespace
