// The leak report: what is alive when the process ends (observing/environment.hpp). Private to the
// library.
#pragma once

#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

/// If a report is wanted, a resource on top of `resource` that notes what is alive; else `resource`
/// itself.
any_resource reported(any_resource resource);

}  // namespace usmx::inline v1::detail
