// The reason why no device is found.
#pragma once

#include <string>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Says why no device is found and what to do, as text for people. It has the variables of the
/// environment that matter, whether the CPU driver exists, and the runtime's own message.
USMX_API std::string diagnose_missing_device();

}  // namespace usmx::inline v1
