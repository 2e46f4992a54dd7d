// For usmx's tests. Not installed.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// From now on every device counts as one with memory apart from the host's, so that what is done
/// for such devices is tested where there is none.
USMX_API void count_all_devices_as_remote(bool on) noexcept;

}  // namespace usmx::inline v1::internal
