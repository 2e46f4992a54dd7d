// usmx/memory/memory_observer.hpp: who is told of memory as it comes and goes.
#include "usmx/memory/memory_observer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support/device_test.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/resources.hpp"

namespace {

using usmx::buffer;
using usmx::memory_action;
using usmx::memory_event;
using usmx::memory_source;
using usmx::usm_kind;

struct noted {
  memory_action action;
  memory_source source;
  usm_kind kind;
  std::size_t nbytes;
  const std::byte* address;
};

/// Notes everything as long as it lives, and calls a function of the test's for each event.
class notes {
 public:
  explicit notes(std::function<void(const memory_event&)> also = {})
      : also_(std::move(also)), before_(usmx::set_memory_observer(&observer_)) {}
  ~notes() { usmx::set_memory_observer(before_); }

  std::vector<noted> of(memory_source source) const {
    const std::lock_guard lock(mutex_);
    std::vector<noted> found;
    std::ranges::copy_if(events_, std::back_inserter(found),
                         [&](const noted& each) { return each.source == source; });
    return found;
  }
  /// Bytes that are allocated and not freed.
  std::size_t nbytes(memory_source source) const {
    std::map<const std::byte*, std::size_t> live;
    for (const noted& each : of(source)) {
      if (each.action == memory_action::allocate) {
        EXPECT_TRUE(live.emplace(each.address, each.nbytes).second);
      } else if (each.action == memory_action::free) {
        EXPECT_EQ(live.extract(each.address).mapped(), each.nbytes);
      }
    }
    std::size_t sum = 0;
    for (const auto& [address, nbytes] : live) {
      sum += nbytes;
    }
    return sum;
  }

 private:
  static void note(void* context, const memory_event& event) noexcept {
    auto& self = *static_cast<notes*>(context);
    {
      const std::lock_guard lock(self.mutex_);
      self.events_.push_back({event.action, event.source, event.kind, event.nbytes, event.address});
    }
    if (self.also_) {
      self.also_(event);
    }
  }

  mutable std::mutex mutex_;
  std::vector<noted> events_;
  std::function<void(const memory_event&)> also_;
  const usmx::memory_observer observer_{&note, this};
  const usmx::memory_observer* before_;
};

class memory_observer_test : public support::device_test {
 protected:
  std::shared_ptr<usmx::pool_resource> make_pool() {
    return std::make_shared<usmx::pool_resource>(
        std::make_shared<usmx::usm_resource>(usm_kind::shared), queue());
  }
};

TEST_F(memory_observer_test, buffer_is_told_when_its_memory_comes_and_goes) {
  const notes told;
  const std::byte* address = buffer::allocate(1000, usm_kind::host, queue()).data();
  const auto events = told.of(memory_source::buffer);
  ASSERT_EQ(events.size(), 2U);
  for (const noted& each : events) {
    EXPECT_EQ(each.kind, usm_kind::host);
    EXPECT_EQ(each.nbytes, 1000U);
    EXPECT_EQ(each.address, address);
  }
  EXPECT_EQ(events[0].action, memory_action::allocate);
  EXPECT_EQ(events[1].action, memory_action::free);
}

TEST_F(memory_observer_test, failure_is_told_once_however_often_usmx_tried) {
  const notes told;
  EXPECT_THROW(buffer::allocate(SIZE_MAX / 2, usm_kind::device, queue()), usmx::allocation_error);
  const auto events = told.of(memory_source::buffer);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].action, memory_action::failure);
  EXPECT_EQ(events[0].nbytes, SIZE_MAX / 2);
  EXPECT_EQ(events[0].address, nullptr);
}

TEST_F(memory_observer_test, what_a_pool_takes_and_gives_back_is_what_its_statistics_say) {
  const notes told;
  const auto pool = make_pool();
  std::byte* small = pool->allocate(100, 0, queue());
  std::byte* large = pool->allocate(1'000'000, 0, queue());
  std::byte* aligned = pool->allocate(100, 8192, queue());
  EXPECT_EQ(told.nbytes(memory_source::pool), pool->statistics().total);
  EXPECT_GT(pool->statistics().total, 1'000'000U);
  pool->deallocate(small, 100, 0, queue());
  pool->deallocate(large, 1'000'000, 0, queue());
  pool->deallocate(aligned, 100, 8192, queue());
  EXPECT_EQ(told.nbytes(memory_source::pool), pool->statistics().total);
  pool->free_all_blocks();
  EXPECT_EQ(told.nbytes(memory_source::pool), 0U);
}

TEST_F(memory_observer_test, pools_end_is_told) {
  const notes told;
  {
    const auto pool = make_pool();
    pool->deallocate(pool->allocate(100, 0, queue()), 100, 0, queue());
    EXPECT_GT(told.nbytes(memory_source::pool), 0U);
  }
  EXPECT_EQ(told.nbytes(memory_source::pool), 0U);
}

TEST_F(memory_observer_test, nobody_is_told_when_the_observer_is_gone) {
  notes told;
  usmx::set_memory_observer(nullptr);
  buffer::allocate(1000, usm_kind::host, queue());
  EXPECT_TRUE(told.of(memory_source::buffer).empty());
}

TEST_F(memory_observer_test, observer_that_is_replaced_is_handed_to_the_next) {
  const usmx::memory_observer first{[](void*, const memory_event&) noexcept {}, nullptr};
  const usmx::memory_observer* before = usmx::set_memory_observer(&first);
  EXPECT_EQ(usmx::set_memory_observer(before), &first);
}

// While the pool's event is told, another thread makes the pool grow by the same size, and gives it
// all back: with a lock held it would wait for the end of the call.
TEST_F(memory_observer_test, pool_serves_other_threads_while_it_tells_what_it_took) {
  const auto pool = make_pool();
  std::future<void> others;
  std::atomic<bool> is_first = true;
  bool finished = false;
  {
    const notes told([&](const memory_event& event) {
      if (event.source == memory_source::pool && is_first.exchange(false)) {
        others = std::async(std::launch::async, [&pool, queue = queue()] {
          std::vector<std::byte*> blocks;
          for (int k = 0; k < 5000; ++k) {
            blocks.push_back(pool->allocate(64, 0, queue));
          }
          for (std::byte* each : blocks) {
            pool->deallocate(each, 64, 0, queue);
          }
          pool->free_all_blocks();
        });
        others.get();  // would not come back
        finished = true;
      }
    });
    pool->deallocate(pool->allocate(64, 0, queue()), 64, 0, queue());
  }
  EXPECT_TRUE(finished);
}

TEST_F(memory_observer_test, observer_may_allocate) {
  std::size_t calls = 0;
  const notes told([&](const memory_event& event) {
    if (event.nbytes == 1000 && ++calls < 10) {
      buffer::allocate(1001, usm_kind::device, queue());
    }
  });
  buffer::allocate(1000, usm_kind::device, queue());
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(told.of(memory_source::buffer).size(), 6U);
}

TEST_F(memory_observer_test, sums_of_threads_are_those_of_the_statistics) {
  const auto counting = std::make_shared<usmx::statistics_resource>(make_pool());
  const usmx::any_resource before = usmx::set_current_resource(queue(), counting);
  std::size_t allocated = 0;
  std::size_t blocks = 0;
  {
    const notes told;
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) {
      threads.emplace_back([number] {
        for (std::size_t round = 0; round < 500; ++round) {
          buffer::allocate(1 + round * 37 % 5000, usm_kind::shared, queue());
        }
      });
    }
    for (std::thread& each : threads) {
      each.join();
    }
    for (const noted& each : told.of(memory_source::buffer)) {
      if (each.action == memory_action::allocate) {
        allocated += each.nbytes;
        ++blocks;
      }
    }
    EXPECT_EQ(told.nbytes(memory_source::buffer), 0U);
  }
  usmx::set_current_resource(queue(), before);
  EXPECT_EQ(counting->counts().nbytes.total, allocated);
  EXPECT_EQ(counting->counts().blocks.total, blocks);
}

TEST_F(memory_observer_test, observer_without_a_function_is_told_nothing) {
  const usmx::memory_observer empty{nullptr, nullptr};
  const usmx::memory_observer* before = usmx::set_memory_observer(&empty);
  EXPECT_NO_THROW(buffer::allocate(1000, usm_kind::shared, queue()));
  EXPECT_EQ(usmx::set_memory_observer(nullptr), &empty);
  EXPECT_NO_THROW(buffer::allocate(1000, usm_kind::shared, queue()));
  usmx::set_memory_observer(before);
}

}  // namespace
