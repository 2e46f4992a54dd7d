// src/vendors/plan_cache.hpp: which plans are kept, and for how long they live.
#include "vendors/plan_cache.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace {

using usmx::detail::plan_cache;

constexpr std::size_t most = 4;
constexpr std::size_t most_nbytes = 100;

class plan_cache_test : public testing::Test {
 protected:
  void keep(int key, std::size_t nbytes = 1) {
    cache_.keep(key, std::make_shared<int>(10 * key), nbytes);
  }
  std::vector<int> known(int count) {
    std::vector<int> found;
    for (int key = 0; key < count; ++key) {  // so the order of use stays
      if (cache_.find(key) != nullptr) found.push_back(key);
    }
    return found;
  }

  plan_cache<int, int> cache_{most, most_nbytes};
};

TEST_F(plan_cache_test, plan_is_found_by_its_key) {
  EXPECT_EQ(cache_.find(1), nullptr);
  keep(1);
  keep(2);
  EXPECT_EQ(*cache_.find(1), 10);
  EXPECT_EQ(*cache_.find(2), 20);
  EXPECT_EQ(cache_.find(3), nullptr);
}

TEST_F(plan_cache_test, plan_that_was_not_used_for_longest_goes_first) {
  for (int key = 0; key < 4; ++key) keep(key);
  EXPECT_NE(cache_.find(0), nullptr);
  keep(4);
  EXPECT_EQ(known(5), (std::vector{0, 2, 3, 4}));
  EXPECT_EQ(cache_.kept().count, most);
}

TEST_F(plan_cache_test, bytes_are_bounded_too) {
  for (int key = 0; key < 3; ++key) keep(key, 40);
  EXPECT_EQ(known(3), (std::vector{1, 2}));
  EXPECT_EQ(cache_.kept().nbytes, 80U);
  keep(3, 60);
  EXPECT_EQ(known(4), (std::vector{2, 3}));
  EXPECT_EQ(cache_.kept().nbytes, most_nbytes);
}

TEST_F(plan_cache_test, newest_plan_stays_however_large_it_is) {
  keep(0);
  keep(1, 10 * most_nbytes);
  EXPECT_EQ(known(2), std::vector{1});
  keep(2);
  EXPECT_EQ(known(3), std::vector{2});
}

TEST_F(plan_cache_test, plan_in_use_outlives_the_cache) {
  keep(0);
  const std::shared_ptr<int> used = cache_.find(0);
  cache_.clear();
  EXPECT_EQ(cache_.kept().count, 0U);
  EXPECT_EQ(cache_.kept().nbytes, 0U);
  EXPECT_EQ(*used, 0);
  EXPECT_EQ(used.use_count(), 1);
}

TEST_F(plan_cache_test, threads_find_what_is_theirs_within_the_bounds) {
  std::vector<std::thread> threads;
  for (int first = 0; first < 4; ++first) {
    threads.emplace_back([this, first] {
      for (int round = 0; round < 500; ++round) {
        const int key = 4 * (round % 10) + first;
        keep(key, 30);
        const auto found = cache_.find(key);
        EXPECT_TRUE(found == nullptr || *found == 10 * key);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_LE(cache_.kept().count, most);
  EXPECT_LE(cache_.kept().nbytes, most_nbytes);
}

}  // namespace
