// Compiles SYCL source to device code with the runtime's own compiler (libsycl-jit): for the
// package's build, and at run time if there is no other way.
#pragma once

#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel_bundle.hpp>

#include "kernels/groups.hpp"

namespace usmx::inline v1::detail {

/// The group as an object SYCLBIN of one image. Throws sycl::exception with the compiler's
/// messages, and value_error if it makes several images. A kernel that the context's devices cannot
/// run is left out silently.
std::vector<char> compile_kernels(const sycl::context&, kernel_group, kernel_shape);

/// The group for one device. Throws, and leaves out kernels, as compile_kernels() does.
sycl::kernel_bundle<sycl::bundle_state::executable> build_kernels(const sycl::context&,
                                                                  const sycl::device&, kernel_group,
                                                                  kernel_shape);

}  // namespace usmx::inline v1::detail
