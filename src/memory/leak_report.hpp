// What is alive when the process ends, told on request: USMX_LEAK_REPORT in the environment, to
// anything but nothing. Private to the library.
#pragma once

#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

/// Where a report is wanted, a resource that notes what of `resource` is alive; else `resource`.
any_resource reported(any_resource resource);
/// Whether a report is wanted.
bool leak_report_is_wanted();

}  // namespace usmx::inline v1::detail
