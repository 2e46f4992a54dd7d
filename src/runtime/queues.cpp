#include "usmx/runtime/queues.hpp"

#include <atomic>

#include "runtime/context_state.hpp"
#include "runtime/queue_lock.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/contexts.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx {

namespace {

std::atomic<bool> exposed = false;

}  // namespace

sycl::queue cached_queue(const sycl::context& context, const sycl::device& device) {
  return detail::state_of(context)->queue_of(device);
}

sycl::queue cached_queue(const sycl::device& device) {
  return cached_queue(default_context(device), device);
}

sycl::queue default_queue() {
  require_usable_process();
  static const sycl::queue& queue = *new sycl::queue(cached_queue(default_device()));
  return queue;
}

void note_cached_queues_exposed() noexcept { exposed.store(true, std::memory_order_relaxed); }
bool cached_queues_exposed() noexcept { return exposed.load(std::memory_order_relaxed); }

void wait_for_queue(const sycl::queue& queue) {
  const detail::runtime_call call;
  detail::lock_queue(queue).wait(queue);
}

}  // namespace usmx
