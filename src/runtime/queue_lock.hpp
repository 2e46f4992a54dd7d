// Locks of queues. Private to the library.
#pragma once

#include <mutex>
#include <optional>

#include <sycl/queue.hpp>

namespace usmx::detail {

/// Held around each call that submits to the queue, and while wait_for_queue() waits. Out-of-order
/// queues need it (docs/decisions.md); for others the lock has no mutex. No thread holds two.
std::unique_lock<std::mutex> lock_queue(const sycl::queue&);
/// Nothing while another thread holds the lock.
std::optional<std::unique_lock<std::mutex>> try_lock_queue(const sycl::queue&);

}  // namespace usmx::detail
