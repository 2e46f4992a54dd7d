#include "usmx/runtime/queues.hpp"

#include <atomic>

#include "runtime/context_state.hpp"
#include "runtime/queue_lock.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/contexts.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues_internal.hpp"

namespace usmx::inline v1 {

namespace {

std::atomic<bool> exposed = false;

/// For somebody outside of usmx.
sycl::queue handed_out(sycl::queue cached) {
  internal::note_cached_queues_exposed();
  return cached;
}

}  // namespace

sycl::queue internal::cached_queue(const sycl::context& context, const sycl::device& device) {
  return detail::state_of(context)->queue_of(device);
}

sycl::queue internal::cached_queue(const sycl::device& device) {
  return cached_queue(default_context(device), device);
}

sycl::queue internal::default_queue() {
  require_usable_process();
  static const sycl::queue& queue = *new sycl::queue(cached_queue(default_device()));
  return queue;
}

void internal::note_cached_queues_exposed() noexcept {
  exposed.store(true, std::memory_order_relaxed);
}

bool internal::cached_queues_exposed() noexcept { return exposed.load(std::memory_order_relaxed); }

void internal::note_exposed(const sycl::queue& queue) {
  if (!cached_queues_exposed() && detail::state_of(queue).is_cached) {
    note_cached_queues_exposed();
  }
}

sycl::queue cached_queue(const sycl::context& context, const sycl::device& device) {
  return handed_out(internal::cached_queue(context, device));
}

sycl::queue cached_queue(const sycl::device& device) {
  return handed_out(internal::cached_queue(device));
}

sycl::queue default_queue() { return handed_out(internal::default_queue()); }

void wait_for_queue(const sycl::queue& queue) {
  const detail::runtime_call call;
  detail::lock_queue(queue).wait(queue);
}

}  // namespace usmx::inline v1
