// The device kernels inside the library: their SYCL sources, and each group as it was compiled when
// the package was built. No SYCL here.
#pragma once

#include <span>
#include <string_view>

#include "kernels/groups.hpp"

namespace usmx::inline v1::detail {

struct kernel_source {
  std::string_view name;  // as in #include
  std::string_view text;
};

/// Every file of src/kernels/device.
std::span<const kernel_source> kernel_sources();
/// The text of one of these files.
std::string_view kernel_source_text(std::string_view name);

/// The object SYCLBIN of a group; empty if none could be compiled when the package was built.
std::span<const char> kernel_object(kernel_group, kernel_shape);

/// The PTX of a group for CUDA devices, which ends with a null character. Empty if there was no
/// compiler for it when the package was built, and for groups that no such device needs.
std::span<const char> kernel_ptx(kernel_group);

}  // namespace usmx::inline v1::detail
