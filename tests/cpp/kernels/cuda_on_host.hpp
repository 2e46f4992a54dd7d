// The kernels for CUDA devices on the host: compiled from the source that their PTX is made of.
#pragma once

#include <array>
#include <cstddef>

namespace kernels_test {

/// Runs usmx_copy_<item_size>, or usmx_transpose_<item_size> if `transposes`, for each thread of
/// each block. `traversal` points to a usmx::kernels::traversal; blocks and threads count from the
/// outermost dimension, as SYCL does.
void run_cuda_kernel(bool transposes, std::size_t item_size, const void* source, void* destination,
                     const void* traversal, const std::array<std::size_t, 3>& blocks,
                     const std::array<std::size_t, 3>& threads);

}  // namespace kernels_test
