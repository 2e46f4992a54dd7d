#include "runtime/waiting.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/events_internal.hpp"
#include "runtime/waiting_internal.hpp"

namespace usmx::inline v1::detail {
namespace {

thread_local bool waiting_is_refused = false;
std::atomic<void (*)() noexcept> told_of_waits = nullptr;

/// Never destroyed: used at exit.
driver_mutex& opencl_mutex() {
  static driver_mutex& mutex = *new driver_mutex;
  return mutex;
}

/// What no back end has yet may become OpenCL's while it is waited for.
bool may_be_opencls(const sycl::event& event) {
  return internal::backend_of(event).value_or(sycl::backend::opencl) == sycl::backend::opencl;
}

}  // namespace

void about_to_wait() {
  if (waiting_is_refused) {
    throw internal::would_wait();
  }
  if (const auto told = told_of_waits.load(std::memory_order_relaxed)) {
    told();
  }
}

driver_wait::driver_wait(bool may_be_opencls) {
  about_to_wait();
  require_no_lock_but({lock_rank::queue}, "a thread waits in the driver");
  require_no_interpreter_lock("a thread waits in the driver");
  if (may_be_opencls) {
    lock_ = std::unique_lock(opencl_mutex());
  }
}

void wait_for(sycl::event event) {
  const driver_wait waiting(may_be_opencls(event));
  event.wait();
}

void wait_for_all(const std::vector<sycl::event>& events) {
  if (events.empty()) {
    return;
  }
  const driver_wait waiting(std::ranges::any_of(events, may_be_opencls));
  sycl::event::wait(events);
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {

internal::no_waiting::no_waiting() noexcept { detail::waiting_is_refused = true; }
internal::no_waiting::~no_waiting() { detail::waiting_is_refused = false; }

void internal::tell_of_waits(void (*told)() noexcept) noexcept {
  detail::told_of_waits.store(told, std::memory_order_relaxed);
}

}  // namespace usmx::inline v1
