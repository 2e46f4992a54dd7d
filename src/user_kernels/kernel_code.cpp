#include "user_kernels/kernel_code.hpp"

#include <sycl/backend.hpp>
#include <sycl/ext/oneapi/experimental/raw_kernel_arg.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
#include <sycl/interop_handle.hpp>

#include "runtime/drivers/cuda.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace syclex = sycl::ext::oneapi::experimental;

// ---- CUDA

/// The alignment of each local memory, as in include/usmx/kernel_cuda.hpp.
constexpr std::size_t local_alignment = 128;

launch_limits cuda_limits(CUfunction code, const sycl::device& device, int dimensions,
                          std::size_t local_parameters) {
  const cuda::kernel_limits found = cuda::limits_of(code, device);
  const std::size_t reserved = local_alignment * (local_parameters + 1);
  launch_limits limits{found.threads,
                       {},
                       found.shared_nbytes - std::min(reserved, found.shared_nbytes),
                       {},
                       found.blocks_along[2],
                       found.blocks_along[0],
                       256};
  for (int k = 0; k < dimensions; ++k) {
    limits.group_sizes[static_cast<std::size_t>(k)] =
        found.threads_along[static_cast<std::size_t>(3 - dimensions + k)];
  }
  return limits;
}

/// The sizes of a launch as CUDA has them, the innermost last. `is_turned`: the innermost dimension
/// of two has its blocks along y, since only along x there may be many.
struct cuda_sizes {
  std::array<std::size_t, 3> blocks{1, 1, 1};
  std::array<std::size_t, 3> threads{1, 1, 1};
  bool is_turned = false;
};

cuda_sizes cuda_sizes_of(const launch_sizes& sizes) {
  cuda_sizes found;
  const auto dimensions = static_cast<std::size_t>(sizes.dimensions);
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t at = 3 - dimensions + k;
    found.threads[at] = (*sizes.local)[k];
    found.blocks[at] = sizes.global[k] / found.threads[at];
  }
  if (dimensions == 2 && found.blocks[1] > found.blocks[2]) {
    std::swap(found.blocks[1], found.blocks[2]);
    found.is_turned = true;
  }
  return found;
}

/// The kernel sees in the lowest bit of this size how the blocks lie (docs/decisions.md, 87).
std::size_t shared_nbytes_of(std::size_t nbytes, bool is_turned) {
  return (nbytes + 1) / 2 * 2 + (is_turned ? 1 : 0);
}

// ---- the SYCL runtime

template <int Dimensions>
sycl::nd_range<Dimensions> range_of(const launch_sizes& sizes) {
  sycl::range<Dimensions> global = sycl::nd_range<Dimensions>({}, {}).get_global_range();
  sycl::range<Dimensions> local = global;
  for (int k = 0; k < Dimensions; ++k) {
    global[k] = sizes.global[static_cast<std::size_t>(k)];
    local[k] = (*sizes.local)[static_cast<std::size_t>(k)];
  }
  return {global, local};
}

}  // namespace

void runtime_arguments::add_bytes(const void* bytes, std::size_t nbytes) {
  handler_.set_arg(index_++, syclex::raw_kernel_arg(bytes, nbytes));
}

void runtime_arguments::add_local(std::size_t nbytes) {
  // A temporary object would be taken for a structure.
  syclex::work_group_memory<char[]> memory(nbytes, handler_);
  handler_.set_arg(index_++, memory);
}

void cuda_arguments::add_bytes(const void* bytes, std::size_t nbytes) {
  offsets_.push_back(bytes_.size());
  const auto* first = static_cast<const std::byte*>(bytes);
  bytes_.insert(bytes_.end(), first, first + nbytes);
}

void cuda_arguments::add_local(std::size_t nbytes) {
  const std::uint64_t offset =
      (shared_nbytes_ + local_alignment - 1) / local_alignment * local_alignment;
  add_bytes(&offset, sizeof offset);
  shared_nbytes_ = offset + nbytes;
}

std::vector<void*> cuda_arguments::pointers() {
  std::vector<void*> all;
  all.reserve(offsets_.size());
  for (const std::size_t offset : offsets_) {
    all.push_back(bytes_.data() + offset);
  }
  return all;
}

launch_limits kernel_code::limits(const sycl::device& device, int dimensions,
                                  std::size_t local_parameters) const {
  if (const auto* kernel = std::get_if<sycl::kernel>(&code_)) {
    return limits_of(*kernel, device, dimensions);
  }
  return cuda_limits(std::get<CUfunction>(code_), device, dimensions, local_parameters);
}

void kernel_code::start(sycl::handler& handler, const sycl::kernel& code,
                        const launch_sizes& sizes) {
  switch (sizes.dimensions) {
    case 1:
      return handler.parallel_for(range_of<1>(sizes), code);
    case 2:
      return handler.parallel_for(range_of<2>(sizes), code);
    default:
      return handler.parallel_for(range_of<3>(sizes), code);
  }
}

void kernel_code::start(sycl::handler& handler, const std::vector<sycl::event>& before,
                        CUfunction code, const launch_sizes& sizes, cuda_arguments arguments) {
  handler.ext_codeplay_enqueue_native_command(
      [code, before, sizes,
       arguments = std::move(arguments)](sycl::interop_handle interop) mutable {
        start(interop.get_native_queue<sycl::backend::ext_oneapi_cuda>(), before, code, sizes,
              arguments);
      });
}

void kernel_code::start(CUstream stream, const std::vector<sycl::event>& before, CUfunction code,
                        const launch_sizes& sizes, cuda_arguments& arguments) {
  const cuda_sizes grid = cuda_sizes_of(sizes);
  cuda::hold_up(stream, before);
  cuda::launch(code, stream, grid.blocks, grid.threads,
               shared_nbytes_of(arguments.shared_nbytes(), grid.is_turned),
               arguments.pointers().data());
}

}  // namespace usmx::inline v1::detail
