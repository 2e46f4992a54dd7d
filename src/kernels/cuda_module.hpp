// Kernels for CUDA devices: the package's PTX, which the device's driver builds and keeps on disk
// by itself. The SYCL runtime's own kernels cannot be used there: its compiler crashes on them, and
// what it has saved loads without names.
#pragma once

#include <cstddef>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/device.hpp>
#include <sycl/nd_range.hpp>

#include "kernels/groups.hpp"

typedef struct CUfunc_st* CUfunction;

namespace usmx::inline v1::detail::cuda {

/// The kernels of a group in the order of its names, built for that device in its primary context,
/// where the SYCL runtime works. They live for ever. Throws device_error with the driver's reason,
/// and value_error if the package has no PTX for them.
std::vector<CUfunction> load_kernels(const sycl::device&, kernel_group);

/// Starts a kernel on a stream whose context is the current one. `arguments` are pointers to the
/// kernel's arguments, which are copied. Throws device_error with the driver's reason.
void launch(CUfunction, CUstream, const sycl::nd_range<3>&, void** arguments);

}  // namespace usmx::inline v1::detail::cuda
