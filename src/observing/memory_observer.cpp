#include "usmx/memory/memory_observer.hpp"

#include "base/ranked_mutex.hpp"
#include "observing/environment.hpp"
#include "observing/memory_observer.hpp"

namespace usmx::inline v1 {

std::atomic<const memory_observer*> detail::current_memory_observer = detail::environment_log();

void detail::tell_memory_observer(const memory_event& event) noexcept {
  const memory_observer* observer = current_memory_observer.load(std::memory_order_acquire);
  if (observer != nullptr && observer->function != nullptr) {
    require_no_lock("the memory observer is called");
    observer->function(observer->context, event);
  }
}

const memory_observer* set_memory_observer(const memory_observer* observer) noexcept {
  return detail::current_memory_observer.exchange(observer, std::memory_order_acq_rel);
}

}  // namespace usmx::inline v1
