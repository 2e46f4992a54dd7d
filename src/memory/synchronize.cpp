#include "usmx/memory/synchronize.hpp"

#include "base/process_state.hpp"
#include "memory/deferred_release.hpp"
#include "runtime/context_state.hpp"

void usmx::synchronize() {
  const detail::runtime_call call;
  detail::wait_for_cached_queues();
  detail::release_all();
}
