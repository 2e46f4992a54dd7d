// Whether work has finished, asked without waiting, and turns at queues. Private to the library.
#pragma once

#include <mutex>
#include <optional>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

namespace usmx::detail {

/// Asked once at a time: polling an event's status slows the work down.
bool is_complete(const sycl::event&);

/// Whether nothing that was submitted is unfinished; false where that cannot be told: out-of-order
/// queues are not asked, which has crashed with threads. Cheaper than to wait for an idle queue (43
/// ns against 690). Asked once at a time: polling it has been seen to livelock.
bool is_known_empty(const sycl::queue&);

/// One thread's turn at a queue: held around each call that submits to it, and while
/// wait_for_queue() waits. Out-of-order queues need it (docs/decisions.md); for others the lock has
/// no mutex. Nobody takes two turns at once.
std::unique_lock<std::mutex> turn_at(const sycl::queue&);
/// Nothing when another thread has it.
std::optional<std::unique_lock<std::mutex>> try_turn_at(const sycl::queue&);

}  // namespace usmx::detail
