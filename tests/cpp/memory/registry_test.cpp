// usmx/registry.hpp: blocks are found by any of their bytes, and by no other. The addresses are
// made up: the registry never reads through them.
#include "memory/registry.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/seed.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using usmx::registered_block;
using usmx::usm_kind;
namespace registry = usmx::registry;

std::byte* address(std::uintptr_t value) { return reinterpret_cast<std::byte*>(value); }

class registry_test : public testing::Test {
 protected:
  void SetUp() override {
    if (usmx::get_devices().empty()) {
      GTEST_SKIP() << "no SYCL device: no context to register blocks with";
    }
    context_ = usmx::default_context(usmx::default_device());
    size_before_ = registry::size();
  }

  void TearDown() override {
    for (const auto& [base, nbytes] : blocks_) {
      registry::remove(base, nbytes);
    }
    if (context_) {
      EXPECT_EQ(registry::size(), size_before_);
    }
  }

  registered_block block(std::byte* base, std::size_t nbytes, usm_kind kind = usm_kind::device) {
    return {base, nbytes, kind, *context_};
  }

  std::byte* add(std::byte* base, std::size_t nbytes, usm_kind kind = usm_kind::device) {
    registry::add(block(base, nbytes, kind));
    blocks_.emplace_back(base, nbytes);
    return base;
  }

  std::optional<sycl::context> context_;
  std::size_t size_before_ = 0;
  std::vector<std::pair<const std::byte*, std::size_t>> blocks_;
  // In the middle of a region, so that small blocks lie inside one.
  std::byte* const start_ = address(0x5000'0000'4000);
};

TEST_F(registry_test, block_is_found_by_its_first_byte_with_everything_known_of_it) {
  add(start_, 100, usm_kind::shared);
  const auto found = registry::find(start_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base, start_);
  EXPECT_EQ(found->nbytes, 100U);
  EXPECT_EQ(found->kind, usm_kind::shared);
  EXPECT_TRUE(found->context == *context_);
}

TEST_F(registry_test, block_is_found_by_an_interior_pointer) {
  add(start_, 100);
  EXPECT_EQ(registry::find(start_ + 57)->base, start_);
}

TEST_F(registry_test, block_is_found_by_its_last_byte) {
  add(start_, 100);
  EXPECT_TRUE(registry::find(start_ + 99));
}

TEST_F(registry_test, one_past_the_end_is_outside) {
  add(start_, 100);
  EXPECT_FALSE(registry::find(start_ + 100));
}

TEST_F(registry_test, one_before_the_base_is_outside) {
  add(start_, 100);
  EXPECT_FALSE(registry::find(start_ - 1));
}

TEST_F(registry_test, block_of_one_byte_is_found_by_that_byte_only) {
  add(start_, 1);
  EXPECT_TRUE(registry::find(start_));
  EXPECT_FALSE(registry::find(start_ + 1));
}

TEST_F(registry_test, adjacent_blocks_are_told_apart) {
  add(start_, 64);
  add(start_ + 64, 64);
  add(start_ + 128, 64);
  EXPECT_EQ(registry::find(start_ + 63)->base, start_);
  EXPECT_EQ(registry::find(start_ + 64)->base, start_ + 64);
  EXPECT_EQ(registry::find(start_ + 127)->base, start_ + 64);
  EXPECT_EQ(registry::find(start_ + 128)->base, start_ + 128);
}

TEST_F(registry_test, gap_between_blocks_is_outside) {
  add(start_, 64);
  add(start_ + 128, 64);
  EXPECT_FALSE(registry::find(start_ + 64));
  EXPECT_FALSE(registry::find(start_ + 127));
}

TEST_F(registry_test, null_is_outside) {
  add(start_, 64);
  EXPECT_FALSE(registry::find(nullptr));
}

TEST_F(registry_test, highest_address_is_outside) {
  add(start_, 64);
  EXPECT_FALSE(registry::find(address(UINTPTR_MAX)));
}

TEST_F(registry_test, removed_block_is_no_longer_found) {
  add(start_, 64);
  registry::remove(start_, 64);
  EXPECT_FALSE(registry::find(start_));
}

TEST_F(registry_test, removing_one_block_leaves_its_neighbours) {
  add(start_, 64);
  add(start_ + 64, 64);
  registry::remove(start_, 64);
  EXPECT_TRUE(registry::find(start_ + 64));
}

TEST_F(registry_test, removing_an_unknown_block_changes_nothing) {
  add(start_, 64);
  registry::remove(start_ + 1, 64);
  registry::remove(address(0x1000), 64);
  EXPECT_TRUE(registry::find(start_ + 1));
}

TEST_F(registry_test, address_can_be_used_again_for_another_block) {
  add(start_, 64, usm_kind::device);
  registry::remove(start_, 64);
  add(start_, 4096, usm_kind::host);
  EXPECT_EQ(registry::find(start_ + 4095)->kind, usm_kind::host);
}

TEST_F(registry_test, size_counts_live_blocks) {
  add(start_, 64);
  add(start_ + 64, std::size_t{1} << 33);
  EXPECT_EQ(registry::size(), size_before_ + 2);
  registry::remove(start_, 64);
  EXPECT_EQ(registry::size(), size_before_ + 1);
}

TEST_F(registry_test, huge_block_is_found_from_end_to_end) {
  const std::size_t nbytes = std::size_t{6} << 30;
  add(start_, nbytes);
  for (std::size_t offset = 0; offset < nbytes; offset += nbytes / 97) {
    ASSERT_EQ(registry::find(start_ + offset)->base, start_) << offset;
  }
  EXPECT_TRUE(registry::find(start_ + nbytes - 1));
  EXPECT_FALSE(registry::find(start_ + nbytes));
}

TEST_F(registry_test, small_block_right_behind_a_huge_one_is_told_apart) {
  const std::size_t nbytes = (std::size_t{3} << 20) + 64;
  add(start_, nbytes);
  add(start_ + nbytes, 64);
  EXPECT_EQ(registry::find(start_ + nbytes - 1)->base, start_);
  EXPECT_EQ(registry::find(start_ + nbytes)->base, start_ + nbytes);
}

/// Blocks by address, as they should be known.
class model {
 public:
  using entry = std::pair<std::byte* const, std::size_t>;

  const entry* holding(const std::byte* pointer) const {
    auto after = sizes_.upper_bound(const_cast<std::byte*>(pointer));
    if (after == sizes_.begin()) {
      return nullptr;
    }
    --after;
    return pointer < after->first + after->second ? &*after : nullptr;
  }
  bool has_room(std::byte* base, std::size_t nbytes) const {
    const auto after = sizes_.lower_bound(base);
    return holding(base) == nullptr &&
           (after == sizes_.end() || base + (nbytes - 1) < after->first);
  }
  std::map<std::byte*, std::size_t>& sizes() { return sizes_; }

 private:
  std::map<std::byte*, std::size_t> sizes_;
};

// Of 1 byte to 64 GiB, at any address, so that most lie in several regions of their size.
TEST_F(registry_test, blocks_of_all_sizes_that_come_and_go_answer_as_an_ordered_map_does) {
  std::mt19937_64 random(support::seed(7));
  const auto below_power_of_two = [&](std::uint64_t bits) {
    return random() % (std::uint64_t{1} << random() % bits);
  };
  model live;
  std::byte* const start = address(0x5000'0000'0000);
  for (int round = 0; round < 20'000; ++round) {
    std::byte* const base = start + below_power_of_two(40);
    const std::size_t nbytes = 1 + below_power_of_two(37);
    if (live.has_room(base, nbytes)) {
      add(base, nbytes);
      live.sizes().emplace(base, nbytes);
    } else if (const auto* there = live.holding(base); there != nullptr && random() % 2 == 0) {
      registry::remove(there->first, there->second);
      live.sizes().erase(there->first);
    }
    const std::byte* const near = base + below_power_of_two(38) - below_power_of_two(30);
    const std::array<const std::byte*, 5> pointers{near, base, base - 1, base + (nbytes - 1),
                                                   base + nbytes};
    for (const std::byte* const pointer : pointers) {
      const auto* const expected = live.holding(pointer);
      const auto found = registry::find(pointer);
      ASSERT_EQ(found.has_value(), expected != nullptr) << static_cast<const void*>(pointer);
      if (found) {
        ASSERT_EQ(found->base, expected->first);
        ASSERT_EQ(found->nbytes, expected->second);
      }
    }
    ASSERT_EQ(registry::size(), size_before_ + live.sizes().size());
  }
}

TEST_F(registry_test, bytes_of_live_blocks_are_counted) {
  const std::size_t before = registry::nbytes();
  add(start_, 100);
  add(start_ + 100, std::size_t{1} << 33);
  EXPECT_EQ(registry::nbytes(), before + 100 + (std::size_t{1} << 33));
  registry::remove(start_ + 100, std::size_t{1} << 33);
  EXPECT_EQ(registry::nbytes(), before + 100);
}

// Others that are added and removed move it to and fro.
TEST_F(registry_test, block_is_found_at_all_times_while_threads_add_and_remove_others) {
  constexpr std::ptrdiff_t kept = 64;
  constexpr std::ptrdiff_t others = 3'000;
  for (std::ptrdiff_t k = 0; k < kept; ++k) {
    add(start_ + k * 4096, 64);
  }
  std::atomic<int> left = 2;
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (std::ptrdiff_t id = 1; id <= 2; ++id) {
    threads.emplace_back([&, id] {
      for (int round = 0; round < 15; ++round) {
        for (std::ptrdiff_t k = 0; k < others; ++k) {
          registry::add(block(start_ + id * 64 + k * 4096, 64));
        }
        for (std::ptrdiff_t k = 0; k < others; ++k) {
          registry::remove(start_ + id * 64 + k * 4096, 64);
        }
      }
      --left;
    });
    threads.emplace_back([&] {
      while (left > 0) {
        for (std::ptrdiff_t k = 0; k < kept; ++k) {
          const auto found = registry::find(start_ + k * 4096 + 63);
          lost += !found || found->base != start_ + k * 4096;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(lost, 0);
}

// Each removal moves it one slot, and for a moment it is in none.
TEST_F(registry_test, block_is_found_while_those_before_it_are_removed_one_by_one) {
  constexpr std::ptrdiff_t others = 15;  // that start in one region, as the block does
  constexpr int rounds = 4'000;
  std::byte* const region = address(0x5000'0000'4000);
  std::byte* const last = region + 4 * others;
  std::atomic<int> ready = 0;
  std::atomic<int> removed = 0;
  std::atomic<int> looked = 0;
  std::atomic<int> lost = 0;
  std::thread reader([&] {
    for (int round = 1; round <= rounds; ++round) {
      while (ready < round) {
        std::this_thread::yield();
      }
      while (removed < round) {
        lost += !registry::find(last);
      }
      looked = round;
    }
  });
  for (int round = 1; round <= rounds; ++round) {
    for (std::ptrdiff_t k = 0; k <= others; ++k) {
      registry::add(block(region + 4 * k, 4));
    }
    ready = round;
    for (std::ptrdiff_t k = 0; k < others; ++k) {
      registry::remove(region + 4 * k, 4);
    }
    removed = round;
    while (looked < round) {
      std::this_thread::yield();
    }
    registry::remove(last, 4);
  }
  reader.join();
  EXPECT_EQ(lost, 0);
}

TEST(change_counter_test, reader_learns_of_a_change_that_lasts_and_of_one_that_is_over) {
  usmx::detail::change_counter changes;
  const std::uint64_t before = changes.now();
  EXPECT_TRUE(changes.none_since(before));
  {
    const usmx::detail::change_counter::change changing(changes);
    EXPECT_FALSE(changes.none_since(before));
    EXPECT_FALSE(changes.none_since(changes.now()));
  }
  EXPECT_FALSE(changes.none_since(before));
  EXPECT_TRUE(changes.none_since(changes.now()));
}

TEST_F(registry_test, threads_add_find_and_remove_at_once) {
  add(start_, std::size_t{1} << 20);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int id = 0; id < 16; ++id) {
    threads.emplace_back([&, id] {
      // Neighbours in memory, so that the threads meet in the same maps.
      std::byte* own = start_ + (std::ptrdiff_t{1} << 20) + id * 96;
      for (int round = 0; round < 2'000; ++round) {
        registry::add(block(own, 96));
        const auto found = registry::find(own + 95);
        wrong += !found || found->base != own || !registry::find(start_ + round);
        registry::remove(own, 96);
        wrong += registry::find(own).has_value();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(registry_test, block_keeps_its_context_alive_until_it_is_removed) {
  std::optional<sycl::context> own(std::in_place, usmx::default_device());
  registry::add({start_, 64, usm_kind::device, *own});
  blocks_.emplace_back(start_, 64);
  const std::size_t identity = std::hash<sycl::context>()(*own);
  own.reset();
  EXPECT_EQ(std::hash<sycl::context>()(registry::find(start_)->context), identity);
}

}  // namespace
