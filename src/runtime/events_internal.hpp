// What may be asked of every event. Not installed.
#pragma once

#include <optional>

#include <sycl/backend_types.hpp>
#include <sycl/event.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// None while no back end has the event: it is complete from the start, or of a command that waits
/// for a host task, or of a host task. `event.get_backend()` crashes for a host task's, whether it
/// runs or is complete (libsycl 2026.2).
USMX_API std::optional<sycl::backend> backend_of(const sycl::event&);

}  // namespace usmx::inline v1::internal
