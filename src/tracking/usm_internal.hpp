// For usmx's tests. Not installed.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// From now on every device counts as one whose memory is apart from the host's, so that tests can
/// run the code for such devices on a machine without one.
USMX_API void count_all_devices_as_remote(bool on) noexcept;

}  // namespace usmx::inline v1::internal
