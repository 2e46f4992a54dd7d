// All waiting inside a driver. Private to the library.
#pragma once

#include <mutex>
#include <vector>

#include <sycl/event.hpp>

#include "base/ranked_mutex.hpp"

namespace usmx::inline v1::detail {

/// To be called before every wait, and before taking a lock that is held during one. Throws
/// internal::would_wait where the thread must not wait.
void about_to_wait();
using driver_mutex = ranked_mutex<lock_rank::driver_wait>;

/// Held while a thread waits inside the driver, and alone where the driver hangs when several do
/// (backend_traits); elsewhere nothing is locked. The last lock that a thread takes.
class driver_wait {
 public:
  explicit driver_wait(bool alone);

 private:
  std::unique_lock<driver_mutex> lock_;
};

/// Every wait for events is one of these. The first allocates nothing: it cannot fail for want of
/// memory while a command still works.
void wait_for(sycl::event);
void wait_for_all(const std::vector<sycl::event>&);

}  // namespace usmx::inline v1::detail
