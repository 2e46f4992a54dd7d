// Filter selectors, with dpctl's grammar. Next: contexts.hpp.
#pragma once

#include <string>
#include <string_view>

#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The device a filter selector names: `backend:device_type:index`, lower case, in this order, any
/// part left out or empty but not all of them; a comma means "else". The index counts the devices
/// that fit the other parts (a bare number: all devices); without one the device that the runtime
/// likes best among them is taken. Throws value_error when the string is not of that grammar,
/// device_error, saying which devices there are, when none matches.
USMX_API sycl::device select_device(std::string_view filter);

/// The fully qualified filter selector of a root device, "opencl:cpu:0". Throws value_error for a
/// sub-device, which no filter can name.
USMX_API std::string filter_string(const sycl::device&);

}  // namespace usmx::inline v1
