// Why there is no device.
#pragma once

#include <string>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Why no device is found, for people: what is set in the environment, and which driver is there.
USMX_API std::string diagnose_missing_device();

}  // namespace usmx::inline v1
