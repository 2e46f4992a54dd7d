#include "kernels/cuda_on_host.hpp"

#include <atomic>
#include <barrier>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

// CUDA's language, as far as the kernels use it.
namespace {

struct position {
  unsigned x = 0, y = 0, z = 0;
};
thread_local position blockIdx, threadIdx, blockDim;
std::barrier<>* all_threads_of_the_block = nullptr;

void __syncthreads() { all_threads_of_the_block->arrive_and_wait(); }

/// 32 threads that tell each other numbers.
struct warp {
  std::barrier<> all{32};
  std::uint64_t told[32] = {};
};
thread_local warp* own_warp = nullptr;

unsigned own_lane() { return threadIdx.x % 32; }

/// `read(what the lanes tell)` when all have told.
template <class Read>
auto tell_warp(std::uint64_t number, const Read& read) {
  own_warp->told[own_lane()] = number;
  own_warp->all.arrive_and_wait();
  const auto result = read(own_warp->told);
  own_warp->all.arrive_and_wait();
  return result;
}

template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return static_cast<T>(tell_warp(static_cast<std::uint64_t>(value),
                                  [&](const std::uint64_t* told) { return told[lane]; }));
}
template <class T>
T __shfl_up_sync(unsigned all, T value, int distance) {
  const int lane = static_cast<int>(own_lane());
  return __shfl_sync(all, value, lane >= distance ? lane - distance : lane);
}
unsigned __ballot_sync(unsigned, bool value) {
  return tell_warp(value, [](const std::uint64_t* told) {
    unsigned bits = 0;
    for (unsigned k = 0; k < 32; ++k) {
      bits |= static_cast<unsigned>(told[k]) << k;
    }
    return bits;
  });
}
int __popc(unsigned bits) { return std::popcount(bits); }
int __popcll(std::uint64_t bits) { return std::popcount(bits); }
int __ffsll(long long bits) { return std::countr_zero(static_cast<std::uint64_t>(bits)) + 1; }
void atomicMax(std::uint32_t* element, std::uint32_t value) {
  const std::atomic_ref<std::uint32_t> shared(*element);
  for (std::uint32_t now = shared; now < value && !shared.compare_exchange_weak(now, value);) {
  }
}
struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};
ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }

}  // namespace

#define __CUDACC_RTC__
#define __global__
#define __shared__ static
// Pragmas that g++ does not know.
#define USMX_UNROLLED
#define USMX_FULLY_UNROLLED
#define USMX_NOT_UNROLLED
#define kernels kernels_for_cuda  // apart from what the library has of them for the host
#include "../../../src/kernels/device/copy_elements.cpp"
#include "../../../src/kernels/device/fill.cpp"
#include "../../../src/kernels/device/select.cpp"

namespace kernels_test {
namespace {

using usmx::kernels_for_cuda::traversal;

struct entry {
  std::size_t item_size;
  void (*copy)(const void*, void*, const traversal&);
  void (*transpose)(const void*, void*, const traversal&);
  void (*fill)(const void*, void*, const traversal&);
};

#define KERNEL_ENTRY(size)                                                                       \
  entry{size,                                                                                    \
        [](const void* from, void* to, const traversal& t) {                                     \
          usmx_copy_##size(static_cast<const item_##size*>(from), static_cast<item_##size*>(to), \
                           t);                                                                   \
        },                                                                                       \
        [](const void* from, void* to, const traversal& t) {                                     \
          usmx_transpose_##size(static_cast<const item_##size*>(from),                           \
                                static_cast<item_##size*>(to), t);                               \
        },                                                                                       \
        [](const void* element, void* to, const traversal& t) {                                  \
          usmx_fill_##size(*static_cast<const item_##size*>(element),                            \
                           static_cast<item_##size*>(to), t);                                    \
        }},
constexpr entry entries[] = {USMX_ITEM_SIZES(KERNEL_ENTRY)};

position at(std::size_t z, std::size_t y, std::size_t x) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

}  // namespace

namespace {

/// One thread after the other, none of which waits for another one.
template <class Kernel>
void run_in_turn(const position& block, const position& threads, const Kernel& kernel) {
  for (unsigned y = 0; y < threads.y; ++y) {
    for (unsigned x = 0; x < threads.x; ++x) {
      blockIdx = block;
      blockDim = threads;
      threadIdx = at(0, y, x);
      kernel();
    }
  }
}

/// All threads at once.
template <class Kernel>
void run_together(const position& block, const position& threads, const Kernel& kernel) {
  const unsigned count = threads.x * threads.y;
  std::barrier<> barrier(static_cast<std::ptrdiff_t>(count));
  all_threads_of_the_block = &barrier;
  std::deque<warp> warps(count / 32);
  std::vector<std::jthread> running;
  for (unsigned thread = 0; thread < count; ++thread) {
    running.emplace_back([&, thread] {
      blockIdx = block;
      blockDim = threads;
      threadIdx = at(0, thread / threads.x, thread % threads.x);
      own_warp = warps.empty() ? nullptr : &warps[thread / 32];
      kernel();
    });
  }
}

using namespace usmx::kernels_for_cuda;

/// Groups of selection_lanes, each with per_group of `count` elements.
template <class Kernel>
void run_groups(std::int64_t count, const Kernel& kernel) {
  for (std::int64_t group = 0; group * selection_lanes < count; ++group) {
    run_together(at(0, 0, static_cast<std::size_t>(group)), at(1, 1, selection_lanes), kernel);
  }
}

/// A mask as words, with the sums before its parts.
struct found_words {
  std::vector<std::uint64_t> words;
  std::vector<std::int64_t> sums;
  std::int64_t count = 0;

  mask_words view() {
    mask_words result{words.data(), std::ssize(words), {}};
    result.before = {sums.data(), 1, group_scan_chunk, {}};
    return result;
  }
};

found_words words_of(std::size_t item_size, const void* elements, std::int64_t size,
                     std::uint64_t relevant) {
  found_words found;
  const std::int64_t count = (size + 63) / 64;
  const std::int64_t parts = (count + selection_lanes - 1) / selection_lanes;
  found.words.resize(static_cast<std::size_t>(count));
  found.sums.resize(static_cast<std::size_t>(parts));
  run_groups(count, [&] {
#define RUN_FLAGS(bytes)                                                               \
  if (item_size == bytes) {                                                            \
    usmx_flags_##bytes(static_cast<const item_##bytes*>(elements), size, relevant,     \
                       found.words.data(), found.sums.data(), count, selection_lanes); \
  }
    USMX_ITEM_SIZES(RUN_FLAGS)
  });
  run_groups(1, [&] { usmx_scan(found.sums.data(), parts, &found.count, 1, 1); });
  return found;
}

}  // namespace

std::vector<std::int64_t> find_true_by_cuda_kernels(std::size_t item_size, const void* elements,
                                                    std::int64_t count, std::uint64_t relevant) {
  found_words found = words_of(item_size, elements, count, relevant);
  std::vector<std::int64_t> places(static_cast<std::size_t>(found.count));
  const coordinate_rule rule{1, count, sizeof(std::int64_t), found.count};
  run_groups(std::ssize(found.words),
             [&] { usmx_coordinates(found.view(), selection_lanes, places.data(), rule); });
  return places;
}

std::vector<std::uint32_t> compress_by_cuda_kernels(const std::vector<std::uint8_t>& mask,
                                                    const std::vector<std::uint32_t>& elements) {
  found_words found = words_of(1, mask.data(), std::ssize(mask), ~std::uint64_t{0});
  std::vector<std::uint32_t> result(static_cast<std::size_t>(found.count));
  std::vector<std::uint32_t> source = elements;
  const masked_walk walk{found.count, sizeof(std::uint32_t), sizeof(std::uint32_t)};
  run_groups(std::ssize(found.words), [&] {
    usmx_compress_4(result.data(), source.data(), found.view(), selection_lanes, walk);
  });
  return result;
}

taken take_by_cuda_kernel(const std::vector<std::uint32_t>& table, std::int64_t columns,
                          const std::vector<std::int32_t>& integers,
                          std::vector<std::uint32_t> result) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(std::uint32_t));
  std::vector<std::uint32_t> source = table;
  selected_walk walk{};
  walk.count = std::ssize(integers);
  walk.rest = columns;
  walk.per_group = selection_lanes;
  walk.linear_step = walk.indexed_step = columns * item;
  walk.rest_first = 1;
  walk.rest_count = 1;
  walk.rest_dimensions[0] = {columns, item, item};
  const position_list list{integers.data(), 1, std::ssize(table) / columns};
  std::uint32_t told = 0;
  run_groups(walk.count * walk.rest,
             [&] { usmx_take_4(result.data(), source.data(), list, own_indices{}, walk, &told); });
  return {std::move(result), told != 0};
}

void run_cuda_kernel(cuda_kernel which, std::size_t item_size, const void* source,
                     void* destination, const void* traversal_bytes,
                     const std::array<std::size_t, 3>& blocks,
                     const std::array<std::size_t, 3>& threads) {
  traversal t;
  std::memcpy(&t, traversal_bytes, sizeof t);
  const entry* found = entries;
  while (found->item_size != item_size) {
    ++found;
  }
  const position in_block = at(1, threads[1], threads[2]);
  for (std::size_t z = 0; z < blocks[0]; ++z) {
    for (std::size_t y = 0; y < blocks[1]; ++y) {
      for (std::size_t x = 0; x < blocks[2]; ++x) {
        if (which == cuda_kernel::transpose) {
          run_together(at(z, y, x), in_block, [&] { found->transpose(source, destination, t); });
        } else {
          const auto kernel = which == cuda_kernel::fill ? found->fill : found->copy;
          run_in_turn(at(z, y, x), in_block, [&] { kernel(source, destination, t); });
        }
      }
    }
  }
}

}  // namespace kernels_test
