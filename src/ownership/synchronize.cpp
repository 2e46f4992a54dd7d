#include "usmx/memory/synchronize.hpp"

#include "base/process_state.hpp"
#include "ownership/deferred_release.hpp"
#include "runtime/context_state.hpp"
#include "runtime/interruption.hpp"
#include "tracking/pending_work.hpp"

namespace usmx::inline v1 {

void synchronize() {
  const detail::runtime_call call;
  detail::wait_for_cached_queues();
  detail::wait_for_all_pending_work();
  detail::release_all();
}

void wait_for_events(const std::vector<sycl::event>& events) {
  const detail::runtime_call call;
  detail::wait_interruptibly_for_all(events);
  detail::release_finished();
}

}  // namespace usmx::inline v1
