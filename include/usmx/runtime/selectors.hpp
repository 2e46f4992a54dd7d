// Filter selectors: strings that choose a device, with dpctl's grammar. Next: contexts.hpp.
#pragma once

#include <string>
#include <string_view>

#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The device that a filter selector names. A filter is `backend:device_type:index` in lower case,
/// in this order. Parts may be left out or empty, but not all of them. Several filters that are
/// separated by commas are tried from left to right. The index counts the devices that fit the
/// other parts, so a number alone counts all devices. Without an index, the result is the fitting
/// device to which the runtime's default selector gives the highest score. Throws value_error when
/// the string does not follow this grammar, and device_error, whose message lists the devices, when
/// none fits.
USMX_API sycl::device select_device(std::string_view filter);

/// The complete filter selector of a root device, such as "opencl:cpu:0". Throws value_error for a
/// sub-device, which no filter can name.
USMX_API std::string filter_string(const sycl::device&);

}  // namespace usmx::inline v1
