#include "runtime/queue_lock.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace usmx::detail {
namespace {

/// Of all out-of-order queues, by their identity: two may share one. Never destroyed: used at exit.
std::mutex& mutex_of(const sycl::queue& queue) {
  static auto& all = *new std::array<std::mutex, 64>;
  return all[std::hash<sycl::queue>()(queue) / alignof(std::max_align_t) % all.size()];
}

}  // namespace

std::unique_lock<std::mutex> lock_queue(const sycl::queue& queue) {
  return queue.is_in_order() ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_of(queue));
}

std::optional<std::unique_lock<std::mutex>> try_lock_queue(const sycl::queue& queue) {
  if (queue.is_in_order()) {
    return std::unique_lock<std::mutex>();
  }
  std::unique_lock lock(mutex_of(queue), std::try_to_lock);
  return lock.owns_lock() ? std::optional(std::move(lock)) : std::nullopt;
}

}  // namespace usmx::detail
