// usmx/memory/current_resource.hpp: what is kept, what goes back, and within which limits.
#include "usmx/memory/current_resource.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/sizes.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/resources.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using support::expect_error;
using support::kib;
using support::mib;
using usmx::allocation_error;
using usmx::pool_resource;
using usmx::usm_kind;

class pool_resource_test : public support::device_test {
 protected:
  std::byte* allocate(std::size_t nbytes) { return pool_.allocate(nbytes, 0, queue()); }
  void deallocate(std::byte* block, std::size_t nbytes) {
    pool_.deallocate(block, nbytes, 0, queue());
  }
  std::size_t calls_of_the_runtime() const { return upstream_->counts().blocks.total; }
  std::size_t upstream_nbytes() const { return upstream_->counts().nbytes.current; }

  std::shared_ptr<usmx::statistics_resource> upstream_ =
      std::make_shared<usmx::statistics_resource>(
          std::make_shared<usmx::usm_resource>(usm_kind::device));
  pool_resource pool_{upstream_, queue(), 8 * mib};
};

TEST_F(pool_resource_test, many_small_blocks_cost_few_calls_of_the_runtime) {
  std::vector<std::byte*> blocks;
  for (int count = 0; count < 10'000; ++count) {
    blocks.push_back(allocate(64));
  }
  EXPECT_LE(calls_of_the_runtime(), 5U);
  for (std::byte* block : blocks) {
    deallocate(block, 64);
  }
}

TEST_F(pool_resource_test, freed_blocks_of_every_size_are_used_again) {
  for (const std::size_t nbytes : {std::size_t{1}, kib, 64 * kib, 65 * kib, mib, 8 * mib}) {
    deallocate(allocate(nbytes), nbytes);
    const std::size_t calls = calls_of_the_runtime();
    for (int round = 0; round < 10; ++round) {
      deallocate(allocate(nbytes), nbytes);
    }
    EXPECT_EQ(calls_of_the_runtime(), calls) << nbytes;
  }
}

TEST_F(pool_resource_test, statistics_tell_used_and_total_bytes_and_their_peaks) {
  std::byte* small = allocate(100);
  std::byte* large = allocate(mib);
  EXPECT_EQ(pool_.statistics().used, mib + 128);
  EXPECT_EQ(pool_.statistics().total, upstream_nbytes());
  EXPECT_GE(pool_.statistics().total, mib + 128);
  deallocate(large, mib);
  EXPECT_EQ(pool_.statistics().used, 128U);
  EXPECT_EQ(pool_.statistics().peak_used, mib + 128);
  pool_.free_all_blocks();
  EXPECT_EQ(pool_.statistics().peak_total, upstream_->counts().nbytes.peak);
  pool_.reset_peak();
  EXPECT_EQ(pool_.statistics().peak_used, 128U);
  EXPECT_EQ(pool_.statistics().peak_total, upstream_nbytes());
  deallocate(small, 100);
}

TEST_F(pool_resource_test, everything_free_can_go_back) {
  std::vector<std::byte*> blocks;
  for (int count = 0; count < 3000; ++count) {
    blocks.push_back(allocate(1000));
  }
  std::byte* kept = blocks.back();
  blocks.pop_back();
  for (std::byte* block : blocks) {
    deallocate(block, 1000);
  }
  deallocate(allocate(mib), mib);
  pool_.free_all_blocks();
  EXPECT_GT(upstream_nbytes(), 0U);
  EXPECT_LE(upstream_nbytes(), 2 * mib);  // the slab of the one that is in use
  EXPECT_EQ(pool_.statistics().total, upstream_nbytes());
  deallocate(kept, 1000);
  pool_.free_all_blocks();
  EXPECT_EQ(upstream_nbytes(), 0U);
  EXPECT_EQ(pool_.statistics().total, 0U);
}

TEST_F(pool_resource_test, blocks_that_other_threads_hold_free_go_back_too) {
  std::thread([&] { deallocate(allocate(64), 64); }).join();
  std::byte* block = allocate(64);
  std::thread([&] { deallocate(block, 64); }).join();
  pool_.free_all_blocks();
  EXPECT_EQ(upstream_nbytes(), 0U);
}

TEST_F(pool_resource_test, block_freed_by_a_thread_that_never_allocated_is_used_again) {
  std::byte* block = allocate(64 * kib);
  std::thread([&] { deallocate(block, 64 * kib); }).join();
  const std::size_t calls = calls_of_the_runtime();
  std::vector<std::byte*> blocks;
  for (int count = 0; count < 8; ++count) {
    blocks.push_back(allocate(64 * kib));
  }
  EXPECT_EQ(calls_of_the_runtime(), calls);
  for (std::byte* each : blocks) {
    deallocate(each, 64 * kib);
  }
}

TEST_F(pool_resource_test, free_large_blocks_are_kept_up_to_the_limit_oldest_sizes_go_first) {
  deallocate(allocate(3 * mib), 3 * mib);
  deallocate(allocate(4 * mib), 4 * mib);
  EXPECT_EQ(upstream_nbytes(), 7 * mib);
  deallocate(allocate(2 * mib), 2 * mib);
  deallocate(allocate(64), 64);
  EXPECT_EQ(upstream_nbytes(), 6 * mib + 64 * kib);
  const std::size_t calls = calls_of_the_runtime();
  deallocate(allocate(4 * mib), 4 * mib);
  EXPECT_EQ(calls_of_the_runtime(), calls);
}

// Giving back may wait for the device.
TEST_F(pool_resource_test, freeing_gives_nothing_back_the_next_allocation_does) {
  for (const auto& [nbytes, alignment] :
       {std::pair(1000 * kib, std::size_t{0}), std::pair(3 * mib, std::size_t{0}),
        std::pair(9 * mib, mib), std::pair(9 * mib, std::size_t{0})}) {
    std::byte* const block = pool_.allocate(nbytes, alignment, queue());
    const std::size_t before = upstream_nbytes();
    pool_.deallocate(block, nbytes, alignment, queue());
    EXPECT_EQ(upstream_nbytes(), before) << nbytes;
  }
  EXPECT_GT(upstream_nbytes(), 8 * mib);
  deallocate(allocate(64), 64);
  EXPECT_LE(upstream_nbytes(), 8 * mib + 64 * kib);
}

TEST_F(pool_resource_test, block_larger_than_the_limit_can_be_used_again) {
  std::byte* const block = allocate(9 * mib);
  deallocate(block, 9 * mib);
  EXPECT_EQ(allocate(9 * mib), block);
  deallocate(block, 9 * mib);
}

TEST_F(pool_resource_test, large_block_serves_requests_that_are_up_to_a_quarter_smaller) {
  std::byte* const block = allocate(5 * mib);
  deallocate(block, 5 * mib);
  for (const std::size_t nbytes : {4 * mib, 5 * mib, 4 * mib + 1}) {
    EXPECT_EQ(allocate(nbytes), block);
    deallocate(block, nbytes);
  }
  std::byte* const smaller = allocate(3 * mib);
  EXPECT_NE(smaller, block);
  deallocate(smaller, 3 * mib);
  EXPECT_EQ(pool_.statistics().used, 0U);
}

TEST_F(pool_resource_test, free_blocks_make_room_within_the_limit) {
  pool_.set_limit(5 * mib);
  deallocate(allocate(4 * mib), 4 * mib);
  std::byte* block = allocate(3 * mib);
  EXPECT_EQ(upstream_nbytes(), 3 * mib);
  deallocate(block, 3 * mib);
}

TEST_F(pool_resource_test, more_than_the_limit_is_an_error_and_the_pool_works_on) {
  pool_.set_limit(2 * mib);
  EXPECT_EQ(pool_.limit(), 2 * mib);
  std::byte* block = allocate(mib);
  expect_error<allocation_error>([&] { allocate(2 * mib); },
                                 {"2097152 bytes", "limit", "1048576 bytes"});
  deallocate(block, mib);
  deallocate(allocate(2 * mib), 2 * mib);
  pool_.set_limit(std::nullopt);
  EXPECT_EQ(pool_.limit(), std::nullopt);
  deallocate(allocate(16 * mib), 16 * mib);
}

TEST_F(pool_resource_test, lower_keep_limit_gives_back_now_and_with_the_next_allocation) {
  EXPECT_EQ(pool_.keep_limit(), 8 * mib);
  std::byte* const first = allocate(2 * mib);
  std::byte* const second = allocate(3 * mib);
  deallocate(first, 2 * mib);
  EXPECT_EQ(upstream_nbytes(), 5 * mib);
  pool_.set_keep_limit(mib);
  EXPECT_EQ(pool_.keep_limit(), mib);
  EXPECT_EQ(upstream_nbytes(), 3 * mib);
  deallocate(second, 3 * mib);
  EXPECT_EQ(upstream_nbytes(), 3 * mib);
  deallocate(allocate(mib), mib);
  EXPECT_EQ(upstream_nbytes(), mib);
}

TEST_F(pool_resource_test, alignment_above_a_page_is_kept_and_the_block_serves_only_it) {
  std::byte* const block = pool_.allocate(100, mib, queue());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % mib, 0U);
  pool_.deallocate(block, 100, mib, queue());
  EXPECT_EQ(pool_.statistics().used, 0U);
  std::byte* const other = pool_.allocate(100, 2 * mib, queue());
  EXPECT_NE(other, block);
  EXPECT_EQ(pool_.allocate(100, mib, queue()), block);
  pool_.deallocate(block, 100, mib, queue());
  pool_.deallocate(other, 100, 2 * mib, queue());
  pool_.free_all_blocks();
  EXPECT_EQ(upstream_nbytes(), 0U);
}

// Some runtimes have no memory with alignments above 64 KiB, or free other memory than that.
TEST_F(pool_resource_test, alignments_up_to_a_large_page_are_kept_on_every_device) {
  for (int round = 0; round < 5; ++round) {
    for (std::size_t alignment = 8 * kib; alignment <= 2 * mib; alignment *= 2) {
      for (const std::size_t nbytes : {std::size_t{100}, 70 * kib, 3 * mib}) {
        std::byte* const block = pool_.allocate(nbytes, alignment, queue());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << alignment;
        EXPECT_EQ(sycl::get_pointer_type(block + nbytes - 1, context()), sycl::usm::alloc::device);
        pool_.deallocate(block, nbytes, alignment, queue());
      }
    }
    pool_.free_all_blocks();
    EXPECT_EQ(upstream_nbytes(), 0U);
  }
}

// What one thread frees, another one takes: magazines fill on one side and run empty on the other.
TEST_F(pool_resource_test, blocks_that_wander_between_threads_are_used_again) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::byte*> blocks;
    for (int count = 0; count < 1000; ++count) {
      blocks.push_back(allocate(200));
    }
    std::thread([&] {
      for (std::byte* block : blocks) {
        deallocate(block, 200);
      }
    }).join();
  }
  EXPECT_LE(upstream_nbytes(), mib);
  EXPECT_EQ(pool_.statistics().used, 0U);
}

TEST_F(pool_resource_test, trimming_beside_other_threads_takes_no_block_in_use) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        const std::size_t nbytes = 1 + static_cast<std::size_t>(round) * 97 % 5000;
        std::byte* first = allocate(nbytes);
        std::byte* second = allocate(nbytes);
        EXPECT_NE(first, second);
        deallocate(first, nbytes);
        deallocate(second, nbytes);
      }
    });
  }
  for (int round = 0; round < 50; ++round) {
    pool_.free_all_blocks();
  }
  for (std::thread& each : threads) {
    each.join();
  }
  pool_.free_all_blocks();
  EXPECT_EQ(upstream_nbytes(), 0U);
}

TEST_F(pool_resource_test, queue_of_another_context_gets_no_memory) {
  const sycl::queue other(new_context(), device());
  expect_error<usmx::value_error>([&] { pool_.allocate(64, 0, other); },
                                  {usmx::describe(context()), usmx::describe(other.get_context())});
  EXPECT_EQ(calls_of_the_runtime(), 0U);
  const sycl::queue same(context(), device());
  deallocate(pool_.allocate(64, 0, same), 64);
}

TEST_F(pool_resource_test, queue_of_another_device_in_the_same_context_gets_no_memory) {
  const auto parts = support::two_sub_devices::of(device());
  if (!parts) {
    GTEST_SKIP() << "the device cannot be partitioned";
  }
  const sycl::queue first(parts->context, parts->first);
  const sycl::queue second(parts->context, parts->second);
  pool_resource pool(upstream_, first);
  expect_error<usmx::value_error>([&] { pool.allocate(64, 0, second); },
                                  {"a pool of", usmx::describe(parts->second)});
  EXPECT_EQ(calls_of_the_runtime(), 0U);
  pool.deallocate(pool.allocate(64, 0, first), 64, 0, first);
}

TEST_F(pool_resource_test, pool_of_another_context_is_no_upstream) {
  const auto below = std::make_shared<pool_resource>(upstream_, queue());
  const sycl::queue other(new_context(), device());
  expect_error<usmx::value_error>([&] { pool_resource(below, other); }, {"a pool of"});
}

TEST_F(pool_resource_test, more_than_ptrdiff_t_tells_is_refused_before_it_is_counted) {
  for (const std::size_t nbytes : {SIZE_MAX / 2 + 1, SIZE_MAX - 4096, SIZE_MAX}) {
    expect_error<allocation_error>([&] { allocate(nbytes); }, {"device"});
    EXPECT_EQ(pool_.try_allocate(nbytes, 0, queue()), nullptr);
  }
  EXPECT_EQ(pool_.statistics().peak_used, 0U);
  EXPECT_EQ(pool_.statistics().peak_total, 0U);
}

TEST_F(pool_resource_test, try_form_gives_what_is_free_and_never_asks_below) {
  for (const std::size_t nbytes : {std::size_t{64}, 64 * kib, mib}) {
    EXPECT_EQ(pool_.try_allocate(nbytes, 0, queue()), nullptr);
    std::byte* const block = allocate(nbytes);
    deallocate(block, nbytes);
    const std::size_t calls = calls_of_the_runtime();
    EXPECT_EQ(pool_.try_allocate(nbytes, 0, queue()), block);
    EXPECT_EQ(calls_of_the_runtime(), calls);
    deallocate(block, nbytes);
  }
}

TEST_F(pool_resource_test, slabs_without_a_block_in_use_go_back_and_the_others_stay) {
  std::vector<std::byte*> blocks;
  for (int count = 0; count < 10'000; ++count) {
    blocks.push_back(allocate(4 * kib));
  }
  std::byte* const kept = blocks[5'000];
  std::erase(blocks, kept);
  for (std::byte* block : blocks) {
    deallocate(block, 4 * kib);
  }
  pool_.free_all_blocks();
  EXPECT_GT(upstream_nbytes(), 0U);
  EXPECT_LE(upstream_nbytes(), 2 * mib);
  deallocate(kept, 4 * kib);
  pool_.free_all_blocks();
  EXPECT_EQ(upstream_nbytes(), 0U);
}

TEST_F(pool_resource_test, trimming_while_threads_allocate_loses_no_block) {
  std::vector<std::thread> threads;
  for (int id = 0; id < 3; ++id) {
    threads.emplace_back([this] {
      for (int round = 0; round < 50; ++round) {
        std::vector<std::byte*> own;
        for (int count = 0; count < 200; ++count) {
          own.push_back(allocate(kib));
        }
        for (std::byte* block : own) {
          deallocate(block, kib);
        }
        pool_.free_all_blocks();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  pool_.free_all_blocks();
  EXPECT_EQ(upstream_nbytes(), 0U);
  EXPECT_EQ(pool_.statistics().used, 0U);
}

}  // namespace
