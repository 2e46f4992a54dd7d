#include "runtime/queues.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "runtime/contexts.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::internal {
namespace {

std::atomic<std::size_t> live = 0;

}  // namespace

counted_scope::counted_scope() noexcept { live.fetch_add(1, std::memory_order_relaxed); }

counted_scope::~counted_scope() { live.fetch_sub(1, std::memory_order_relaxed); }

// The order is relaxed: the thread that began a scope sees its own count, and a thread that runs in
// a copy of its context was told of that with an order.
bool scopes_live() noexcept { return live.load(std::memory_order_relaxed) != 0; }

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1 {

namespace {

std::atomic<bool> exposed = false;
std::atomic<bool> peers_known = false;

/// The default queue that a program has set. It is never destroyed: it is used until the process
/// ends.
struct chosen_default {
  detail::ranked_mutex<detail::lock_rank::default_queue> mutex;
  std::atomic<bool> any = false;
  std::optional<sycl::queue> queue;

  std::optional<sycl::queue> get() {
    if (!any.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    const std::lock_guard lock(mutex);
    return queue;
  }
  std::optional<sycl::queue> set(std::optional<sycl::queue> wanted) {
    const std::lock_guard lock(mutex);
    any.store(wanted.has_value(), std::memory_order_release);
    return std::exchange(queue, std::move(wanted));
  }
};

chosen_default& default_of_process() { return detail::immortal<chosen_default>(); }

// The pointer owns the queue, and has no destructor: it would run before those of the thread's
// other objects, which may still ask for the default queue.
thread_local const sycl::queue* default_of_thread = nullptr;

std::atomic<internal::scoped_queue_function> queue_in_scope = nullptr;

/// The queue of a Python scope inside the thread's using_queue.
std::optional<sycl::queue> scoped_queue() {
  if (!internal::scopes_live()) {
    return std::nullopt;
  }
  const auto ask = queue_in_scope.load(std::memory_order_acquire);
  return ask == nullptr ? std::nullopt : ask(default_of_thread);
}

}  // namespace

sycl::queue internal::cached_queue(const sycl::context& context, const sycl::device& device) {
  const kept_thread_state kept;
  return detail::state_of(context)->queue_of(device);
}

sycl::queue internal::cached_queue(const sycl::device& device) {
  const kept_thread_state kept;
  return cached_queue(default_context(device), device);
}

sycl::queue internal::default_queue() {
  require_usable_process();
  if (auto scoped = scoped_queue()) {
    return *std::move(scoped);
  }
  if (default_of_thread != nullptr) {
    return *default_of_thread;
  }
  if (auto chosen = default_of_process().get()) {
    return *std::move(chosen);
  }
  static const sycl::queue& queue = *new sycl::queue(cached_queue(default_device()));
  return queue;
}

std::vector<sycl::queue> internal::all_cached_queues() { return detail::cached_queues(); }

void internal::set_scoped_queue_function(scoped_queue_function function) noexcept {
  queue_in_scope.store(function, std::memory_order_release);
}

const sycl::queue* internal::queue_of_thread() noexcept { return default_of_thread; }

void internal::add_peers_queue(const sycl::queue& queue) {
  require_usable_process();
  detail::add_peers_queue(queue);
  peers_known.store(true, std::memory_order_release);
}

bool internal::peers_are_known() noexcept { return peers_known.load(std::memory_order_acquire); }

std::optional<sycl::queue> internal::peers_queue_beside(const sycl::queue& queue) {
  if (!peers_are_known()) {
    return std::nullopt;
  }
  const sycl::queue* known = detail::state_of(queue).of_context->peers_queue(queue.get_device());
  return known != nullptr ? std::optional(*known) : std::nullopt;
}

bool internal::is_cached_queue(const sycl::queue& queue) {
  return detail::state_of(queue).is_cached;
}

sycl::queue internal::own_queue(const sycl::queue& queue) {
  if (!peers_are_known()) {
    return queue;
  }
  const detail::queue_state state = detail::state_of(queue);
  return state.is_peers ? state.of_context->queue_of(queue.get_device()) : queue;
}

const sycl::queue& internal::presented_queue(const sycl::queue& queue) {
  if (!peers_are_known()) {
    return queue;
  }
  const detail::queue_state state = detail::state_of(queue);
  const sycl::queue* peers = state.is_cached ? state.of_context->peers_queue(queue) : nullptr;
  return peers != nullptr ? *peers : queue;
}

const sycl::queue& internal::handed_out(const sycl::queue& queue) {
  const sycl::queue& presented = presented_queue(queue);
  const bool is_itself = &presented == &queue;  // else it is the peers'
  if (is_itself && !cached_queues_exposed() && detail::state_of(queue).is_cached) {
    exposed.store(true, std::memory_order_relaxed);
  }
  return presented;
}

bool internal::cached_queues_exposed() noexcept { return exposed.load(std::memory_order_relaxed); }

namespace {

/// Does as handed_out(), for a queue that is known to be cached.
sycl::queue cached_and_handed_out(const sycl::queue& cached) {
  sycl::queue presented = internal::presented_queue(cached);
  if (presented == cached) {
    exposed.store(true, std::memory_order_relaxed);
  }
  return presented;
}

}  // namespace

sycl::queue cached_queue(const sycl::context& context, const sycl::device& device) {
  return cached_and_handed_out(internal::cached_queue(context, device));
}

sycl::queue cached_queue(const sycl::device& device) {
  return cached_and_handed_out(internal::cached_queue(device));
}

sycl::queue default_queue() { return internal::handed_out(internal::default_queue()); }

std::optional<sycl::queue> set_default_queue(std::optional<sycl::queue> queue) {
  require_usable_process();
  auto before =
      default_of_process().set(queue ? std::optional(internal::own_queue(*queue)) : std::nullopt);
  return before ? std::optional(internal::handed_out(*before)) : std::nullopt;
}

using_queue::using_queue(const sycl::queue& queue) {
  auto chosen = std::make_unique<const sycl::queue>(internal::own_queue(queue));
  before_.reset(std::exchange(default_of_thread, chosen.release()));
}

using_queue::~using_queue() { delete std::exchange(default_of_thread, before_.release()); }

void internal::wait_for_both(const sycl::queue& queue) {
  wait_interruptibly(queue);
  if (const sycl::queue& presented = presented_queue(queue); presented != queue) {
    wait_interruptibly(presented);
  }
}

void wait_for_queue(const sycl::queue& queue) {
  const detail::runtime_call call;
  detail::lock_queue(queue).wait(queue);
}

namespace {

std::atomic<const internal::partner_bridge*> bridge = nullptr;

}  // namespace

void internal::set_partner_bridge(const partner_bridge* functions) noexcept {
  bridge.store(functions, std::memory_order_release);
}

void internal::wait_for_submitted(const sycl::event& event) { detail::wait_for(event); }

std::optional<std::vector<sycl::event>> detail::unfinished_work_of_partner(
    const sycl::queue& queue) {
  const auto* there = bridge.load(std::memory_order_acquire);
  return there == nullptr ? std::nullopt : there->unfinished_work(queue);
}

void detail::tell_partner(const sycl::queue& queue, const sycl::event& event, bool is_own) {
  if (const auto* there = bridge.load(std::memory_order_acquire)) {
    there->tell(queue, event, is_own);
  }
}

void detail::wait_unlocked(const sycl::event& event) {
  const auto* there = bridge.load(std::memory_order_acquire);
  if (there == nullptr) {
    wait_for(event);
  } else {
    there->wait(event);
  }
}

}  // namespace usmx::inline v1
