// Who may wait, and who is told of waits: for the Python module, whose interpreter lock nobody may
// hold while he waits. Not installed.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Thrown in the place of a wait that no_waiting refuses.
struct would_wait {};

/// While this lives, whatever would have to wait on this thread throws would_wait: before it
/// changes anything, where functions of arrays wait for earlier work. One at a time.
class USMX_API no_waiting {
 public:
  no_waiting() noexcept;
  no_waiting(const no_waiting&) = delete;
  no_waiting& operator=(const no_waiting&) = delete;
  ~no_waiting();
};

/// Calls `told` before every wait: in a driver, or for a lock that is held in a driver. For tests.
/// Null for nobody.
USMX_API void tell_of_waits(void (*told)() noexcept) noexcept;

}  // namespace usmx::inline v1::internal
