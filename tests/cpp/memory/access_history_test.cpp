// src/memory/pending_work.hpp: what new work must come after, against a model that keeps all
// work of every byte.
#include "memory/pending_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using usmx::detail::access;
using usmx::detail::access_history;
using usmx::detail::byte_range;

/// Events are the numbers of their works, so that a test sees which ones it gets.
using history = access_history<int>;

std::vector<int> events_of(const std::vector<history::work>& works) {
  std::vector<int> events;
  for (const history::work& work : works) {
    events.push_back(work.event);
  }
  return events;
}

TEST(access_history_test, untouched_bytes_have_no_work) {
  history all;
  all.add({10, 20}, access::write, 1, 0);
  EXPECT_TRUE(all.find({0, 10}, access::write).empty());
  EXPECT_TRUE(all.find({20, 30}, access::write).empty());
}

TEST(access_history_test, read_comes_after_writes_and_not_after_reads) {
  history all;
  all.add({0, 8}, access::write, 1, 0);
  all.add({0, 8}, access::read, 2, all.latest());
  EXPECT_EQ(events_of(all.find({7, 9}, access::read)), std::vector<int>{1});
}

TEST(access_history_test, write_comes_after_reads_and_writes) {
  history all;
  all.add({0, 8}, access::write, 1, 0);
  all.add({4, 12}, access::read, 2, all.latest());
  EXPECT_EQ(events_of(all.find({0, 16}, access::write)), (std::vector<int>{1, 2}));
  EXPECT_EQ(events_of(all.find({8, 9}, access::write)), std::vector<int>{2});
}

TEST(access_history_test, write_takes_the_place_of_what_it_comes_after) {
  history all;
  for (int k = 1; k <= 500; ++k) {
    all.add({0, 64}, access::write, k, all.latest());
  }
  EXPECT_EQ(events_of(all.find({0, 64}, access::write)), std::vector<int>{500});
  EXPECT_EQ(all.segment_count(), 1U);
}

TEST(access_history_test, write_leaves_what_was_added_since_it_looked) {
  history all;
  all.add({0, 8}, access::write, 1, 0);
  const auto seen = all.latest();
  all.add({0, 8}, access::write, 2, seen);
  all.add({0, 8}, access::write, 3, seen);  // neither of the two comes after the other
  EXPECT_EQ(events_of(all.find({0, 8}, access::read)), (std::vector<int>{2, 3}));
}

TEST(access_history_test, write_in_the_middle_leaves_both_ends) {
  history all;
  all.add({0, 30}, access::write, 1, 0);
  all.add({10, 20}, access::write, 2, all.latest());
  EXPECT_EQ(events_of(all.find({0, 10}, access::read)), std::vector<int>{1});
  EXPECT_EQ(events_of(all.find({10, 20}, access::read)), std::vector<int>{2});
  EXPECT_EQ(events_of(all.find({20, 30}, access::read)), std::vector<int>{1});
}

TEST(access_history_test, taken_work_is_gone_from_those_bytes_alone) {
  history all;
  all.add({0, 30}, access::write, 1, 0);
  EXPECT_EQ(events_of(all.take({10, 20})), std::vector<int>{1});
  EXPECT_TRUE(all.find({10, 20}, access::write).empty());
  EXPECT_EQ(events_of(all.find({20, 21}, access::write)), std::vector<int>{1});
}

TEST(access_history_test, history_whose_work_is_forgotten_is_empty) {
  history all;
  all.add({0, 30}, access::write, 1, 0);
  all.add({10, 20}, access::read, 2, all.latest());
  all.forget({5, 6}, {1});
  all.forget({0, 30}, {1, 2});
  EXPECT_TRUE(all.empty());
}

TEST(access_history_test, write_takes_the_place_of_reads_too) {
  history all;
  all.add({0, 8}, access::write, 1, 0);
  all.add({0, 8}, access::read, 2, all.latest());
  all.add({0, 8}, access::write, 3, all.latest());
  EXPECT_EQ(events_of(all.find({0, 8}, access::write)), std::vector<int>{3});
}

TEST(access_history_test, work_is_forgotten_in_the_whole_segments_that_the_bytes_meet) {
  history all;
  all.add({0, 30}, access::write, 1, 0);
  all.forget({10, 11}, {1});
  EXPECT_TRUE(all.empty());
}

TEST(access_history_test, neighbours_that_have_the_same_work_again_are_one_segment) {
  history all;
  all.add({0, 30}, access::write, 1, 0);
  all.add({10, 20}, access::read, 2, all.latest());
  ASSERT_EQ(all.segment_count(), 3U);
  all.forget({0, 30}, {2});
  EXPECT_EQ(all.segment_count(), 1U);
  EXPECT_EQ(events_of(all.find({0, 30}, access::write)), std::vector<int>{1});
}

TEST(access_history_test, reads_come_before_writes_alone) {
  history all;
  all.add({0, 30}, access::read, 1, 0);
  EXPECT_TRUE(all.has_any({10, 20}, access::write));
  EXPECT_FALSE(all.has_any({10, 20}, access::read));
  all.add({25, 30}, access::write, 2, all.latest());
  EXPECT_TRUE(all.has_any({10, 30}, access::read));
  EXPECT_FALSE(all.has_any({10, 20}, access::read));
}

TEST(access_history_test, segments_with_a_gap_between_them_stay_apart) {
  history all;
  all.add({0, 30}, access::write, 1, 0);
  all.take({10, 20});
  all.add({20, 30}, access::read, 2, all.latest());
  all.forget({0, 30}, {2});
  EXPECT_EQ(all.segment_count(), 2U);
  EXPECT_FALSE(all.has_any({10, 20}, access::write));
  EXPECT_TRUE(all.find({10, 20}, access::write).empty());
}

/// An event whose copies fail from a certain one on.
struct failing_event {
  int number = 0;
  static inline int copies_left = std::numeric_limits<int>::max();

  explicit failing_event(int of) : number(of) {}
  failing_event(const failing_event& other) : number(other.number) {
    if (--copies_left < 0) {
      throw std::runtime_error("no copy");
    }
  }
  failing_event(failing_event&&) noexcept = default;
  failing_event& operator=(const failing_event&) = default;
  failing_event& operator=(failing_event&&) noexcept = default;
};

TEST(access_history_test, addition_that_fails_leaves_no_segment_without_work) {
  for (const access made : {access::read, access::write}) {
    bool failed = true;
    for (int copies = 0; failed; ++copies) {
      access_history<failing_event> all;
      all.add({0, 30}, access::write, failing_event(1), 0);
      failing_event::copies_left = copies;
      try {
        all.add({10, 40}, made, failing_event(2), all.latest());
        failed = false;
      } catch (const std::runtime_error&) {
        EXPECT_LE(all.segment_count(), 2U) << copies;
        EXPECT_FALSE(all.has_any({30, 40}, access::write)) << copies;
      }
      failing_event::copies_left = std::numeric_limits<int>::max();
      ASSERT_LT(copies, 100);
    }
  }
}

/// Every byte keeps all work that was ever done on it, and what came after what.
class model {
 public:
  static constexpr std::uintptr_t nbytes = 48;

  /// The work that an access must come after, directly or by way of other work.
  std::set<int> before(byte_range bytes, access wanted) const {
    std::set<int> found;
    for (std::uintptr_t at = bytes.begin; at < bytes.end; ++at) {
      for (const auto& [work, made] : done_[at]) {
        if (made == access::write || wanted == access::write) {
          found.insert(work);
        }
      }
    }
    return found;
  }
  void add(byte_range bytes, access made, int work) {
    for (std::uintptr_t at = bytes.begin; at < bytes.end; ++at) {
      done_[at].emplace_back(work, made);
    }
  }

 private:
  std::array<std::vector<std::pair<int, access>>, nbytes> done_;
};

TEST(access_history_test, every_earlier_work_is_found_or_came_before_what_is_found) {
  std::mt19937 random(20261121);
  const auto below = [&](std::uintptr_t n) {
    return std::uniform_int_distribution<std::uintptr_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 200; ++round) {
    history all;
    model truth;
    std::vector<std::set<int>> ancestors(1);  // of each work, by its number
    for (int work = 1; work <= 60; ++work) {
      const std::uintptr_t first = below(model::nbytes);
      const byte_range bytes{first, first + 1 + below(model::nbytes - first)};
      const access made = below(2) == 0 ? access::read : access::write;
      const auto seen = all.latest();
      std::set<int> reached;
      for (const int event : events_of(all.find(bytes, made))) {
        reached.insert(event);
        reached.insert(ancestors[static_cast<std::size_t>(event)].begin(),
                       ancestors[static_cast<std::size_t>(event)].end());
      }
      const std::set<int> needed = truth.before(bytes, made);
      ASSERT_TRUE(std::ranges::includes(reached, needed)) << "round " << round << ", work " << work;
      all.add(bytes, made, work, seen);
      truth.add(bytes, made, work);
      ancestors.push_back(reached);
    }
  }
}

TEST(access_history_test, nothing_is_found_that_did_not_touch_the_bytes) {
  std::mt19937 random(11);
  const auto below = [&](std::uintptr_t n) {
    return std::uniform_int_distribution<std::uintptr_t>(0, n - 1)(random);
  };
  history all;
  model truth;
  for (int work = 1; work <= 2000; ++work) {
    const std::uintptr_t first = below(model::nbytes);
    const byte_range bytes{first, first + 1 + below(model::nbytes - first)};
    const access made = below(4) == 0 ? access::write : access::read;
    const std::set<int> touched = truth.before(bytes, made);
    for (const int event : events_of(all.find(bytes, made))) {
      ASSERT_TRUE(touched.contains(event));
    }
    if (below(50) == 0) {
      all.take({0, model::nbytes});
    }
    all.add(bytes, made, work, all.latest());
    truth.add(bytes, made, work);
  }
}

}  // namespace
