// Numbers in memory that is used again while copies to and from it are unfinished.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "support/device_test.hpp"
#include "support/seed.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/current_resource.hpp"

namespace {

using usmx::usm_kind;
using usmx::internal::first_use;

class release_order_test : public support::device_test {};

/// Arrays of one number each, made by copies that are not waited for, in memory that is used again
/// and again on two queues.
class numbers {
 public:
  numbers(sycl::queue first, sycl::queue second, unsigned seed)
      : queues_{std::move(first), std::move(second)}, random_(seed) {}

  void step() {
    if (alive_.size() < 2 || chance(3) == 0) {
      make();
    } else if (chance(2) == 0) {
      copy();
    } else {
      check(chance(4) == 0);
    }
  }

 private:
  struct known {
    usmx::array array;
    int value;
  };

  unsigned chance(unsigned of) { return static_cast<unsigned>(random_() % of); }
  usmx::array new_array() {
    const std::ptrdiff_t size = (1 + chance(3)) * 20'000;
    return usmx::internal::new_array(usmx::layout::c_order(std::array{size}), usmx::int32,
                                     queues_[chance(2)], usm_kind::shared, 0, first_use::in_order);
  }
  void make() {
    usmx::array made = new_array();
    const int value = ++latest_;
    const usmx::array one = usmx::empty({1}, usmx::int32, made.owner()->queue(), usm_kind::shared);
    usmx::internal::private_view(one).host_as<int, 1>()(0) = value;
    usmx::copy_async(usmx::internal::with_layout(one, usmx::broadcast(one.layout(), made.shape())),
                     made);
    alive_.push_back({std::move(made), value});
  }
  void copy() {
    known& from = alive_[chance(static_cast<unsigned>(alive_.size()))];
    usmx::array made = new_array();
    if (made.size() != from.array.size()) {
      return;
    }
    usmx::copy_async(from.array, made);
    from.array = std::move(made);  // lets go of what is copied from
  }
  void check(bool value) {
    known last = std::move(alive_.front());
    alive_.pop_front();
    if (!value) {
      return;  // let go with whatever works on it
    }
    last.array.wait();
    const auto x = usmx::internal::private_view(last.array).host_as<const int, 1>();
    for (const std::ptrdiff_t k : {std::ptrdiff_t{0}, x.extent(0) / 2, x.extent(0) - 1}) {
      ASSERT_EQ(x(k), last.value);
    }
  }

  sycl::queue queues_[2];
  std::mt19937 random_;
  std::deque<known> alive_;
  int latest_ = 0;
};

TEST_F(release_order_test, no_number_is_stale_or_mixed_on_two_queues) {
  numbers all(new_queue(), new_queue(), support::seed(0));
  for (int k = 0; k < 3000 && !HasFailure(); ++k) {
    all.step();
  }
}

TEST_F(release_order_test, no_number_is_stale_or_mixed_in_threads_on_shared_queues) {
  const sycl::queue first = new_queue();
  const sycl::queue second = new_queue();
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      numbers own(first, second, support::seed(id + 1));
      for (int k = 0; k < 500 && !HasFailure(); ++k) {
        own.step();
        if (k % 100 == 0) {
          usmx::empty_cache();
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
