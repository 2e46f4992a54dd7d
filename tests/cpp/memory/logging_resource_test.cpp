// usmx/memory/resources.hpp.
#include "usmx/memory/resources.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/memory_log_lines.hpp"
#include "support/temporary_folder.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::expect_error;
using support::memory_log_line;
using support::memory_log_lines;
using usmx::logging_resource;
using usmx::usm_kind;

class logging_resource_test : public support::device_test {
 protected:
  std::vector<memory_log_line> lines() const { return memory_log_lines(path_); }

  support::temporary_folder folder_;
  const std::filesystem::path path_ = folder_.path() / "memory.csv";
  std::shared_ptr<usmx::statistics_resource> counting_ =
      std::make_shared<usmx::statistics_resource>(
          std::make_shared<usmx::usm_resource>(usm_kind::shared));
  logging_resource resource_{counting_, path_};
};

TEST_F(logging_resource_test, allocation_and_free_have_a_line_each_at_once) {
  std::byte* block = resource_.allocate(100, 0, queue());
  ASSERT_EQ(lines().size(), 1U);
  resource_.deallocate(block, 100, 0, queue());
  ASSERT_EQ(lines().size(), 2U);
  for (const memory_log_line& each : lines()) {
    EXPECT_EQ(each.thread(), std::to_string(gettid()));
    EXPECT_EQ(each.source(), "resource");
    EXPECT_EQ(each.kind(), "shared");
    EXPECT_EQ(each.nbytes(), 100U);
    EXPECT_EQ(std::stoull(each.address(), nullptr, 16), reinterpret_cast<std::uintptr_t>(block));
    EXPECT_EQ(each.device(), usmx::filter_string(device()));
  }
  EXPECT_EQ(lines()[0].action(), "allocate");
  EXPECT_EQ(lines()[1].action(), "free");
}

TEST_F(logging_resource_test, time_is_that_of_the_day_and_grows) {
  const auto now = static_cast<double>(std::time(nullptr));
  resource_.deallocate(resource_.allocate(100, 0, queue()), 100, 0, queue());
  const std::vector<memory_log_line> written = lines();
  const std::string& first = written[0].time();
  EXPECT_NEAR(std::stod(first), now, 10);
  EXPECT_EQ(first.size() - first.find('.'), 10U) << first;
  EXPECT_LT(first, written[1].time());
}

TEST_F(logging_resource_test, failure_has_a_line_without_an_address) {
  EXPECT_THROW(resource_.allocate(SIZE_MAX / 2, 0, queue()), usmx::allocation_error);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0].action(), "failure");
  EXPECT_EQ(lines()[0].nbytes(), SIZE_MAX / 2);
  EXPECT_EQ(lines()[0].address(), "");
}

// An address that is given anew was freed before, in the file's order too.
TEST_F(logging_resource_test, sums_of_threads_are_those_of_the_statistics) {
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < 4; ++number) {
    threads.emplace_back([&, number, queue = queue()] {
      for (std::size_t round = 0; round < 500; ++round) {
        const std::size_t nbytes = 1 + (round * 37 + number) % 5000;
        std::byte* block = resource_.allocate(nbytes, 0, queue);
        if (round % 10 != 0) {
          resource_.deallocate(block, nbytes, 0, queue);
        }
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  std::map<std::string, std::size_t> live;
  std::set<std::string> numbers;
  std::size_t allocated = 0;
  for (const memory_log_line& each : lines()) {
    numbers.insert(each.thread());
    if (each.action() == "allocate") {
      allocated += each.nbytes();
      EXPECT_TRUE(live.emplace(each.address(), each.nbytes()).second) << each.text;
    } else {
      ASSERT_TRUE(live.contains(each.address())) << each.text;
      EXPECT_EQ(live.extract(each.address()).mapped(), each.nbytes());
    }
  }
  EXPECT_EQ(numbers.size(), 4U);
  EXPECT_EQ(allocated, counting_->counts().nbytes.total);
  EXPECT_EQ(live.size(), counting_->counts().blocks.current);
  for (const auto& [address, nbytes] : live) {
    auto* block = reinterpret_cast<std::byte*>(std::stoull(address, nullptr, 16));
    counting_->deallocate(block, nbytes, 0, queue());
  }
  EXPECT_EQ(counting_->counts().nbytes.current, 0U);
}

TEST_F(logging_resource_test, file_of_another_log_is_an_error) {
  resource_.deallocate(resource_.allocate(100, 0, queue()), 100, 0, queue());
  expect_error<usmx::value_error>([&] { logging_resource(counting_, path_); },
                                  {path_.string(), "another log"});
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(logging_resource_test, file_that_cannot_be_written_is_an_error) {
  expect_error<usmx::value_error>(
      [&] { logging_resource(counting_, folder_.path() / "none" / "memory.csv"); },
      {"none/memory.csv", "No such file"});
}

TEST_F(logging_resource_test, file_of_a_log_that_has_ended_is_overwritten) {
  const auto path = folder_.path() / "other.csv";
  for (int round = 0; round < 2; ++round) {
    logging_resource again(counting_, path);
    again.deallocate(again.allocate(100, 0, queue()), 100, 0, queue());
    EXPECT_EQ(memory_log_lines(path).size(), 2U);
  }
}

}  // namespace
