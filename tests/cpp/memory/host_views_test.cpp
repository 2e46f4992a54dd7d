// src/memory/buffer.hpp: which bytes the host has a view of, against a list of all views.
#include "memory/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/seed.hpp"

namespace {

using usmx::detail::access;
using usmx::detail::has_host_view;
using usmx::internal::host_view;

TEST(host_views_test, bytes_without_a_view_have_none) {
  const host_view view(1000, 10, true);
  EXPECT_FALSE(has_host_view({0, 1000}, access::write));
  EXPECT_FALSE(has_host_view({1010, 2000}, access::write));
  EXPECT_TRUE(has_host_view({1009, 1010}, access::write));
  EXPECT_TRUE(has_host_view({0, 1001}, access::read));
}

TEST(host_views_test, work_that_reads_does_not_race_with_a_view_that_reads) {
  const host_view view(1000, 10, false);
  EXPECT_FALSE(has_host_view({1000, 1010}, access::read));
  EXPECT_TRUE(has_host_view({1000, 1010}, access::write));
  const host_view part(1004, 1, true);
  EXPECT_FALSE(has_host_view({1000, 1004}, access::read));
  EXPECT_TRUE(has_host_view({1000, 1005}, access::read));
}

TEST(host_views_test, view_ends_with_its_object) {
  {
    const host_view view(1000, 10, true);
  }
  EXPECT_FALSE(has_host_view({0, UINTPTR_MAX}, access::write));
}

TEST(host_views_test, view_of_no_bytes_is_none) {
  const host_view view(1000, 0, true);
  EXPECT_FALSE(has_host_view({0, UINTPTR_MAX}, access::write));
}

TEST(host_views_test, any_views_are_those_of_a_list) {
  struct listed {
    std::uintptr_t first;
    std::size_t nbytes;
    bool writable;
    std::unique_ptr<host_view> view;
  };
  std::mt19937 random(support::seed(61));
  const auto draw = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
  std::vector<listed> all;
  for (int step = 0; step < 20000; ++step) {
    if (draw(20) >= static_cast<int>(all.size())) {
      const auto first = static_cast<std::uintptr_t>(1000 + draw(60));
      const auto nbytes = static_cast<std::size_t>(draw(30));
      const bool writable = draw(1) == 1;
      all.push_back(
          {first, nbytes, writable, std::make_unique<host_view>(first, nbytes, writable)});
    } else {
      all.erase(all.begin() + draw(static_cast<int>(all.size()) - 1));
    }
    const auto begin = static_cast<std::uintptr_t>(995 + draw(80));
    const auto end = begin + 1 + static_cast<std::uintptr_t>(draw(20));
    const access made = draw(1) == 1 ? access::write : access::read;
    const bool expected = std::ranges::any_of(all, [&](const listed& each) {
      return each.nbytes > 0 && each.first < end && begin < each.first + each.nbytes &&
             (made == access::write || each.writable);
    });
    ASSERT_EQ(has_host_view({begin, end}, made), expected) << "in step " << step;
  }
}

TEST(host_views_test, threads_begin_and_end_views) {
  std::vector<std::thread> threads;
  for (std::uintptr_t id = 0; id < 8; ++id) {
    threads.emplace_back([id] {
      for (std::uintptr_t round = 0; round < 1000; ++round) {
        const host_view view(1000 + id + round % 7, 5, true);
        ASSERT_TRUE(has_host_view({1000 + id + round % 7, 1001 + id + round % 7}, access::read));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(has_host_view({0, UINTPTR_MAX}, access::write));
}

}  // namespace
