// Builds a module of SPIR-V for a device. The library does it after usmx-compile, which finds out
// whether it ends the process. Private to both.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel_bundle.hpp>

namespace usmx::inline v1::detail {

/// Throws sycl::exception if it cannot be built.
inline sycl::kernel_bundle<sycl::bundle_state::executable> build_spirv(std::string_view module,
                                                                       const sycl::context& context,
                                                                       const sycl::device& device) {
  namespace syclex = sycl::ext::oneapi::experimental;
  const auto* first = reinterpret_cast<const std::byte*>(module.data());
  const std::vector<std::byte> bytes(first, first + module.size());
  auto source =
      syclex::create_kernel_bundle_from_source(context, syclex::source_language::spirv, bytes);
  return syclex::build(source, {device});
}

}  // namespace usmx::inline v1::detail
