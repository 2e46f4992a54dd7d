#include "kernels/cuda_on_host.hpp"

#include <barrier>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

// CUDA's language, as far as the kernels use it.
namespace {

struct position {
  unsigned x = 0, y = 0, z = 0;
};
thread_local position blockIdx, threadIdx, blockDim;
std::barrier<>* all_threads_of_the_block = nullptr;

void __syncthreads() { all_threads_of_the_block->arrive_and_wait(); }

}  // namespace

#define __CUDACC_RTC__
#define __global__
#define __shared__ static
#define kernels kernels_for_cuda  // apart from what the library has of them for the host
#include "../../../src/kernels/device/copy.cpp"

namespace kernels_test {
namespace {

using usmx::kernels_for_cuda::traversal;

struct entry {
  std::size_t item_size;
  void (*copy)(const void*, void*, const traversal&);
  void (*transpose)(const void*, void*, const traversal&);
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
        }},
constexpr entry entries[] = {USMX_ITEM_SIZES(KERNEL_ENTRY)};

position at(std::size_t z, std::size_t y, std::size_t x) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

}  // namespace

void run_cuda_kernel(bool transposes, std::size_t item_size, const void* source, void* destination,
                     const void* traversal_bytes, const std::array<std::size_t, 3>& blocks,
                     const std::array<std::size_t, 3>& threads) {
  traversal t;
  std::memcpy(&t, traversal_bytes, sizeof t);
  const entry* found = entries;
  while (found->item_size != item_size) {
    ++found;
  }
  const std::size_t count = threads[1] * threads[2];
  const auto run_thread = [&](std::size_t thread, const position& block) {
    blockIdx = block;
    blockDim = at(1, threads[1], threads[2]);
    threadIdx = at(0, thread / threads[2], thread % threads[2]);
    (transposes ? found->transpose : found->copy)(source, destination, t);
  };
  for (std::size_t z = 0; z < blocks[0]; ++z) {
    for (std::size_t y = 0; y < blocks[1]; ++y) {
      for (std::size_t x = 0; x < blocks[2]; ++x) {
        const position block = at(z, y, x);
        if (!transposes) {  // no thread waits for another
          for (std::size_t thread = 0; thread < count; ++thread) {
            run_thread(thread, block);
          }
          continue;
        }
        std::barrier<> barrier(static_cast<std::ptrdiff_t>(count));
        all_threads_of_the_block = &barrier;
        std::vector<std::jthread> running;
        for (std::size_t thread = 0; thread < count; ++thread) {
          running.emplace_back(run_thread, thread, block);
        }
      }
    }
  }
}

}  // namespace kernels_test
