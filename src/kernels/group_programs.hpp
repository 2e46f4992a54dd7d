// The groups of device kernels as programs, which are compiled, packaged and kept as users'
// programs are. No SYCL here.
#pragma once

#include "kernels/compile/program.hpp"
#include "kernels/groups.hpp"

namespace usmx::inline v1::detail {

/// The program of a group. Of the shape `tiled` it is one for NVIDIA's compiler. Its kernels are in
/// the order of the group's names.
program program_of(kernel_group, kernel_shape);

}  // namespace usmx::inline v1::detail
