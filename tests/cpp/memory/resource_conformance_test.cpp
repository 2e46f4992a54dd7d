// What every memory resource keeps, by itself and on top of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/resources.hpp"
#include "usmx/memory/usm.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::text;
using usmx::allocation_error;
using usmx::any_resource;
using usmx::usm_kind;
using usmx::value_error;

constexpr std::size_t plenty = SIZE_MAX;

template <usm_kind kind>
void* allocate_by_function(std::size_t nbytes, int, sycl::queue* queue) {
  void* block = sycl::aligned_alloc(4096, nbytes, *queue, support::to_sycl(kind));
  // CUDA aligns to less.
  return block == nullptr ? sycl::malloc(nbytes, *queue, support::to_sycl(kind)) : block;
}
void free_by_function(void* block, std::size_t, sycl::queue* queue) { sycl::free(block, *queue); }

any_resource plain(const sycl::queue&, usm_kind kind) {
  return std::make_shared<usmx::usm_resource>(kind);
}

any_resource pool(const sycl::queue& queue, usm_kind kind) {
  return std::make_shared<usmx::pool_resource>(plain(queue, kind), queue);
}

any_resource pool_that_keeps_no_large_block(const sycl::queue& queue, usm_kind kind) {
  return std::make_shared<usmx::pool_resource>(plain(queue, kind), queue, 0);
}

any_resource limiting(const sycl::queue& queue, usm_kind kind) {
  return std::make_shared<usmx::limiting_resource>(plain(queue, kind), plenty);
}

any_resource statistics(const sycl::queue& queue, usm_kind kind) {
  return std::make_shared<usmx::statistics_resource>(plain(queue, kind));
}

any_resource tracking(const sycl::queue& queue, usm_kind kind) {
  return std::make_shared<usmx::tracking_resource>(plain(queue, kind),
                                                   [] { return std::string("here"); });
}

// Resources of several kinds at a time, each with a file.
any_resource logging(const sycl::queue& queue, usm_kind kind) {
  static const support::temporary_folder folder;
  static int count = 0;
  return std::make_shared<usmx::logging_resource>(
      plain(queue, kind), folder.path() / (std::to_string(count++) + ".csv"));
}

any_resource failing_never(const sycl::queue& queue, usm_kind kind) {
  return std::make_shared<usmx::failing_resource>(plain(queue, kind),
                                                  [](std::size_t) { return false; });
}

any_resource function(const sycl::queue&, usm_kind kind) {
  const auto allocate = kind == usm_kind::device   ? &allocate_by_function<usm_kind::device>
                        : kind == usm_kind::shared ? &allocate_by_function<usm_kind::shared>
                                                   : &allocate_by_function<usm_kind::host>;
  return std::make_shared<usmx::function_resource>(kind, allocate, &free_by_function);
}

any_resource stack_of_all(const sycl::queue& queue, usm_kind kind) {
  any_resource top = std::make_shared<usmx::pool_resource>(function(queue, kind), queue);
  top = std::make_shared<usmx::statistics_resource>(top);
  top = std::make_shared<usmx::limiting_resource>(top, plenty);
  return std::make_shared<usmx::tracking_resource>(top, [] { return std::string("here"); });
}

any_resource current(const sycl::queue& queue, usm_kind kind) {
  return usmx::current_resource(queue, kind);
}

/// A resource, and what its tests are called.
struct maker {
  const char* name;
  any_resource (*make)(const sycl::queue&, usm_kind);
};

void PrintTo(const maker& m, std::ostream* out) { *out << m.name; }

constexpr maker makers[] = {
    {"plain", &plain},
    {"pool", &pool},
    {"pool_without_cache", &pool_that_keeps_no_large_block},
    {"limiting", &limiting},
    {"statistics", &statistics},
    {"tracking", &tracking},
    {"logging", &logging},
    {"failing", &failing_never},
    {"function", &function},
    {"stack", &stack_of_all},
    {"current", &current},
};

class every_resource : public support::device_test, public testing::WithParamInterface<maker> {
 protected:
  static any_resource make(usm_kind kind) { return GetParam().make(queue(), kind); }
};

INSTANTIATE_TEST_SUITE_P(, every_resource, testing::ValuesIn(makers),
                         [](const auto& each) { return std::string(each.param.name); });

// Small, at the edges between sizes, and large.
constexpr std::size_t sizes[] = {1, 64, 65, 1000, 4097, 65536, 65537, 300'000, 5'000'000};

TEST_P(every_resource, knows_its_kind) {
  for (const usm_kind kind : all_kinds) {
    EXPECT_EQ(make(kind).kind(), kind);
  }
}

TEST_P(every_resource, runtime_confirms_the_kind_of_a_block) {
  for (const usm_kind kind : all_kinds) {
    const any_resource resource = make(kind);
    for (const std::size_t nbytes : sizes) {
      std::byte* block = resource.allocate(nbytes, 0, queue());
      EXPECT_EQ(sycl::get_pointer_type(block, context()), support::to_sycl(kind));
      resource.deallocate(block, nbytes, 0, queue());
    }
  }
}

TEST_P(every_resource, every_byte_of_a_block_can_be_written_and_read) {
  for (const usm_kind kind : all_kinds) {
    const any_resource resource = make(kind);
    for (const std::size_t nbytes : sizes) {
      std::byte* block = resource.allocate(nbytes, 0, queue());
      const std::vector bytes(nbytes, std::byte{0x5a});
      support::upload(bytes, block, queue());
      EXPECT_EQ(support::download(block, nbytes, queue()), bytes) << name(kind);
      resource.deallocate(block, nbytes, 0, queue());
    }
  }
}

/// Null where the device cannot align so, which the error says. Every one can up to 256 bytes, and
/// a CPU up to a page.
std::byte* allocate_aligned(const any_resource& resource, std::size_t nbytes, std::size_t alignment,
                            const sycl::queue& queue) {
  try {
    std::byte* block = resource.allocate(nbytes, alignment, queue);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << nbytes;
    return block;
  } catch (const allocation_error& refused) {
    EXPECT_TRUE(alignment > 256 && !queue.get_device().is_cpu());
    support::expect_contains(refused.what(), "align to " + text(alignment));
    return nullptr;
  }
}

TEST_P(every_resource, every_power_of_two_up_to_a_page_is_an_alignment) {
  for (const usm_kind kind : all_kinds) {
    const any_resource resource = make(kind);
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
      for (const std::size_t nbytes : sizes) {
        std::byte* first = allocate_aligned(resource, nbytes, alignment, queue());
        std::byte* second = allocate_aligned(resource, nbytes, alignment, queue());
        for (std::byte* block : {first, second}) {
          if (block != nullptr) {
            resource.deallocate(block, nbytes, alignment, queue());
          }
        }
      }
    }
  }
}

TEST_P(every_resource, without_an_alignment_every_element_type_is_aligned) {
  const any_resource resource = make(usm_kind::device);
  std::byte* block = resource.allocate(3, 0, queue());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
  resource.deallocate(block, 3, 0, queue());
}

TEST_P(every_resource, alignment_that_is_no_power_of_two_is_an_error) {
  const any_resource resource = make(usm_kind::shared);
  for (const std::size_t alignment :
       {std::size_t{3}, std::size_t{48}, std::size_t{4097}, SIZE_MAX}) {
    expect_error<value_error>([&] { resource.allocate(64, alignment, queue()); },
                              {"alignment", text(alignment)});
  }
}

TEST_P(every_resource, zero_bytes_are_an_error) {
  const any_resource resource = make(usm_kind::host);
  expect_error<value_error>([&] { resource.allocate(0, 0, queue()); }, {"bytes", "0"});
  expect_error<value_error>([&] { resource.allocate(0, 64, queue()); }, {"bytes", "0"});
}

TEST_P(every_resource, memory_that_nobody_has_is_an_error_after_which_it_works_on) {
  for (const usm_kind kind : all_kinds) {
    const any_resource resource = make(kind);
    for (const std::size_t nbytes : {std::size_t{1} << 50, std::size_t{1} << 63, SIZE_MAX}) {
      for (const std::size_t alignment : {0, 64, 4096}) {
        expect_error<allocation_error>(
            [&] { resource.allocate(nbytes, alignment, queue()); },
            {text(nbytes) + " bytes", text(name(kind)), usmx::describe(device())});
      }
    }
    std::byte* block = resource.allocate(64, 0, queue());
    EXPECT_EQ(sycl::get_pointer_type(block, context()), support::to_sycl(kind));
    resource.deallocate(block, 64, 0, queue());
  }
}

TEST_P(every_resource, live_blocks_do_not_overlap) {
  const any_resource resource = make(usm_kind::device);
  struct block {
    std::byte* first;
    std::size_t nbytes;
    std::size_t alignment;
  };
  std::vector<block> blocks;
  for (std::size_t k = 0; k < 2000; ++k) {
    const std::size_t nbytes = 1 + k * 7919 % 3000;
    const std::size_t alignment = std::size_t{1} << k % 9;
    blocks.push_back({resource.allocate(nbytes, alignment, queue()), nbytes, alignment});
    if (k % 3 == 0) {
      std::swap(blocks[k * 31 % blocks.size()], blocks.back());
      resource.deallocate(blocks.back().first, blocks.back().nbytes, blocks.back().alignment,
                          queue());
      blocks.pop_back();
    }
  }
  std::ranges::sort(blocks, std::less<>(), &block::first);
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    ASSERT_LE(blocks[k - 1].first + blocks[k - 1].nbytes, blocks[k].first);
  }
  for (const block& each : blocks) {
    resource.deallocate(each.first, each.nbytes, each.alignment, queue());
  }
}

TEST_P(every_resource, block_may_be_deallocated_by_another_thread) {
  const any_resource resource = make(usm_kind::device);
  for (int round = 0; round < 100; ++round) {
    std::byte* block = resource.allocate(64, 0, queue());
    std::thread([&] { resource.deallocate(block, 64, 0, queue()); }).join();
  }
}

// Each thread writes its own number into its blocks, and finds it there before it lets them go.
TEST_P(every_resource, threads_get_blocks_of_their_own) {
  const any_resource resource = make(usm_kind::shared);
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number, queue = queue()] {
      std::vector<std::pair<std::byte*, std::size_t>> blocks(8);
      for (int round = 0; round < 400; ++round) {
        auto& [block, nbytes] = blocks[static_cast<std::size_t>(round) % blocks.size()];
        if (block != nullptr) {
          EXPECT_EQ(std::count(block, block + nbytes, std::byte(number)),
                    static_cast<std::ptrdiff_t>(nbytes));
          resource.deallocate(block, nbytes, 0, queue);
        }
        nbytes = round % 50 == 0 ? 100'000 : 1 + static_cast<std::size_t>(round) * 13 % 2000;
        block = resource.allocate(nbytes, 0, queue);
        std::memset(block, number, nbytes);
      }
      for (const auto& [block, nbytes] : blocks) {
        resource.deallocate(block, nbytes, 0, queue);
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
}

}  // namespace
