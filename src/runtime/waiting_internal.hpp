// Refusing waits, and observing them. For the Python module: no thread may wait while it holds the
// interpreter lock. Not installed.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Thrown instead of a wait that no_waiting refuses.
struct would_wait {};

/// While this object lives, anything on this thread that would have to wait throws would_wait
/// instead. Functions of arrays that wait for earlier work throw before they change anything. A
/// thread has one such object at a time.
class USMX_API no_waiting {
 public:
  no_waiting() noexcept;
  no_waiting(const no_waiting&) = delete;
  no_waiting& operator=(const no_waiting&) = delete;
  ~no_waiting();
};

/// Has `told` called before every wait in a driver, or for a lock that is held in a driver. For
/// tests. Null turns it off.
USMX_API void tell_of_waits(void (*told)() noexcept) noexcept;

}  // namespace usmx::inline v1::internal
