// Kernels for CUDA devices: the package's PTX, which the device's driver builds and keeps on disk
// by itself, and what NVIDIA's compiler makes of users' kernels. The SYCL runtime's own kernels
// cannot be used there: its compiler crashes on them, and what it has saved loads without names.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/device.hpp>

#include "kernels/groups.hpp"

typedef struct CUfunc_st* CUfunction;

namespace usmx::inline v1::detail::cuda {

/// The kernels of a group in the order of its names, built for that device in its primary context,
/// where the SYCL runtime works. They live for ever. Throws device_error with the driver's reason,
/// and value_error if the package has no PTX for them.
std::vector<CUfunction> load_kernels(const sycl::device&, kernel_group);

/// The kernels of that name in code that the driver builds: PTX, which ends with a null character,
/// or a cubin. Null for a name that is not there. They live for ever: nobody knows when the last
/// launch has ended, and the driver does not say whether unloading waits for it. Throws
/// device_error with the driver's reason.
std::vector<CUfunction> load_kernels(const sycl::device&, const char* code,
                                     std::span<const std::string> names);

/// Starts a kernel on a stream whose context is the current one. The last dimension is the
/// innermost, CUDA's x. `arguments` are pointers to the kernel's arguments, which are copied.
/// Throws device_error with the driver's reason.
void launch(CUfunction, CUstream, const std::array<std::size_t, 3>& blocks,
            const std::array<std::size_t, 3>& threads, std::size_t shared_nbytes, void** arguments);

/// The limits of a kernel on its device. The last dimension is the innermost.
struct kernel_limits {
  std::size_t threads;  // of a block
  std::array<std::size_t, 3> threads_along;
  std::array<std::size_t, 3> blocks_along;
  std::size_t shared_nbytes;  // that a launch may ask for
};

/// Lets the kernel have as much shared memory as the device has. Throws device_error with the
/// driver's reason.
kernel_limits limits_of(CUfunction, const sycl::device&);

/// 90 for 9.0. Throws device_error with the driver's reason.
int compute_capability(const sycl::device&);

/// 12 for a driver of CUDA 12. Throws device_error with the driver's reason.
int driver_major_version();

}  // namespace usmx::inline v1::detail::cuda
