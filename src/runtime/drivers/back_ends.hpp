// The back ends that usmx knows: the only table of them. Private to the library.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include <sycl/backend_types.hpp>
#include <sycl/context.hpp>

#include "runtime/drivers/usm_driver.hpp"

namespace usmx::inline v1::detail {

/// Each asks its driver, through functions looked up at run time; null where the driver does not
/// have them. The context has to be of that back end.
std::unique_ptr<usm_driver> make_opencl_driver(const sycl::context&);
std::unique_ptr<usm_driver> make_level_zero_driver(const sycl::context&);
std::unique_ptr<usm_driver> make_cuda_driver(const sycl::context&);

/// The traits of each back end. Each driver's source file defines its own; the first two are for
/// back ends that have no driver here.
inline constexpr backend_traits generic_traits;
inline constexpr backend_traits hip_traits{.has_peer_access = true};
extern const backend_traits opencl_traits;
extern const backend_traits level_zero_traits;
extern const backend_traits cuda_traits;

struct back_end {
  sycl::backend value;
  /// The name in filter selectors.
  std::string_view name;
  const backend_traits* traits = &generic_traits;
  std::unique_ptr<usm_driver> (*make_driver)(const sycl::context&) = make_generic_driver;
};

inline constexpr std::array back_ends{
    back_end{sycl::backend::opencl, "opencl", &opencl_traits, make_opencl_driver},
    back_end{sycl::backend::ext_oneapi_level_zero, "level_zero", &level_zero_traits,
             make_level_zero_driver},
    back_end{sycl::backend::ext_oneapi_cuda, "cuda", &cuda_traits, make_cuda_driver},
    back_end{sycl::backend::ext_oneapi_hip, "hip", &hip_traits},
    back_end{sycl::backend::ext_oneapi_native_cpu, "native_cpu"},
    back_end{sycl::backend::ext_oneapi_offload, "offload"}};

/// The traits of a back end, which a queue, a device or an event names.
inline const backend_traits& traits_of(sycl::backend backend) noexcept {
  const auto* const found = std::ranges::find(back_ends, backend, &back_end::value);
  return found == back_ends.end() ? generic_traits : *found->traits;
}

}  // namespace usmx::inline v1::detail
