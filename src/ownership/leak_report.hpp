// What is alive when the process ends, told on request (observing/environment.hpp). Private to the
// library.
#pragma once

#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

/// Where a report is wanted, a resource that notes what of `resource` is alive; else `resource`.
any_resource reported(any_resource resource);

}  // namespace usmx::inline v1::detail
