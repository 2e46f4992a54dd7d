// All waiting inside a driver, refusing it, and observing it. For the Python module, too: no thread
// may wait while it holds the interpreter lock. Not installed.
#pragma once

#include <mutex>
#include <vector>

#include <sycl/event.hpp>

#include "base/ranked_mutex.hpp"
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

namespace usmx::inline v1::detail {

/// To be called before every wait, and before taking a lock that is held during one. Throws
/// internal::would_wait if the thread must not wait.
void about_to_wait();
using driver_mutex = ranked_mutex<lock_rank::driver_wait>;

/// Held while a thread waits inside the driver. Where the driver hangs if several threads wait at
/// once (backend_traits; docs/decisions.md, 21), one thread waits at a time; elsewhere nothing is
/// locked. This is the last lock that a thread takes.
class driver_wait {
 public:
  explicit driver_wait(bool alone);

 private:
  std::unique_lock<driver_mutex> lock_;
};

/// All waits for events go through these two. The first one allocates nothing, so that it cannot
/// fail for lack of memory while a command is still running.
void wait_for(sycl::event);
void wait_for_all(const std::vector<sycl::event>&);

}  // namespace usmx::inline v1::detail
