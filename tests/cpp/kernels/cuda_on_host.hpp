// The kernels for CUDA devices on the host: compiled from the source that their PTX is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernels_test {

enum class cuda_kernel { copy, transpose, fill };

/// Runs usmx_<kernel>_<item_size> for each thread of each block. The source of a fill is one item.
/// `traversal` points to a usmx::kernels::traversal; blocks and threads count from the outermost
/// dimension, as SYCL does.
void run_cuda_kernel(cuda_kernel, std::size_t item_size, const void* source, void* destination,
                     const void* traversal, const std::array<std::size_t, 3>& blocks,
                     const std::array<std::size_t, 3>& threads);

/// The places of the true elements among `count` elements of that size, at an address that is a
/// multiple of 8: by usmx_flags_<item_size>, usmx_scan and usmx_coordinates, as nonzero.cpp runs
/// them. `relevant` has the bits that tell an element from zero.
std::vector<std::int64_t> find_true_by_cuda_kernels(std::size_t item_size, const void* elements,
                                                    std::int64_t count, std::uint64_t relevant);

/// Those elements beside each other, by usmx_compress_4.
std::vector<std::uint32_t> compress_by_cuda_kernels(const std::vector<std::uint8_t>& mask,
                                                    const std::vector<std::uint32_t>& elements);

/// What usmx_take_4 makes of a table's rows at integers: `result`, with what it gathered over it.
struct taken {
  std::vector<std::uint32_t> result;
  bool found_outside;
};
taken take_by_cuda_kernel(const std::vector<std::uint32_t>& table, std::int64_t columns,
                          const std::vector<std::int32_t>& integers,
                          std::vector<std::uint32_t> result);

}  // namespace kernels_test
