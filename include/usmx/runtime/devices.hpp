// The devices there are, and how people name them. Choosing one by a filter: selectors.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sycl/backend_types.hpp>
#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// All root devices, platform by platform, in the order dpctl lists them. Empty when there is none.
USMX_API std::vector<sycl::device> get_devices();

/// The runtime's default device. Throws device_error, with a diagnosis, when there is none.
USMX_API sycl::device default_device();

/// "opencl", "level_zero", "cuda", "hip", "all", ...: a backend as filter selectors spell it.
USMX_API std::string_view backend_name(sycl::backend);
/// "cpu", "gpu", "accelerator", ...: a device's type as filter selectors spell it.
USMX_API std::string_view device_type_name(const sycl::device&);

/// "Intel(R) ... [opencl:cpu:0]": for messages.
USMX_API std::string describe(const sycl::device&);

}  // namespace usmx::inline v1
