#include "runtime/waiting.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <type_traits>

#include "runtime/completion.hpp"
#include "runtime/drivers/back_ends.hpp"

namespace usmx::inline v1::detail {
namespace {

thread_local bool waiting_is_refused = false;
std::atomic<void (*)() noexcept> told_of_waits = nullptr;

// Made without an allocation, so that no wait fails for lack of memory, and never destroyed, since
// it is used at exit.
constinit driver_mutex mutex_of_waits;
static_assert(std::is_trivially_destructible_v<driver_mutex>);

/// What no back end has yet may come to one of those while it is waited for.
bool is_waited_for_alone(const sycl::event& event) {
  const std::optional<sycl::backend> backend = internal::backend_of(event);
  return !backend || traits_of(*backend).waits_one_at_a_time;
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

driver_wait::driver_wait(bool alone) {
  about_to_wait();
  require_no_lock_but({lock_rank::queue}, "a thread waits in the driver");
  require_no_interpreter_lock("a thread waits in the driver");
  if (alone) {
    lock_ = std::unique_lock(mutex_of_waits);
  }
}

void wait_for(sycl::event event) {
  const driver_wait waiting(is_waited_for_alone(event));
  event.wait();
}

void wait_for_all(const std::vector<sycl::event>& events) {
  if (events.empty()) {
    return;
  }
  const driver_wait waiting(std::ranges::any_of(events, is_waited_for_alone));
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
