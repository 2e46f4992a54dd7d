// A question that is safe for every event. Not installed.
#pragma once

#include <optional>

#include <sycl/backend_types.hpp>
#include <sycl/event.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// The back end that has the event, or none: the event is complete from the start, or it is that of
/// a host task or of a command that waits for one. `event.get_backend()` crashes for the event of a
/// host task, whether it runs or is complete (libsycl 2026.2; docs/decisions.md, 20).
USMX_API std::optional<sycl::backend> backend_of(const sycl::event&);

}  // namespace usmx::inline v1::internal
