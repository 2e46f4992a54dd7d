#include "completion.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>

#include <sycl/exception.hpp>

#include "usmx/completion.hpp"

namespace usmx::detail {
namespace {

/// Of all out-of-order queues, by their identity: two may share one. Never destroyed: used at exit.
std::mutex& mutex_of(const sycl::queue& queue) {
  static auto& all = *new std::array<std::mutex, 64>;
  return all[std::hash<sycl::queue>()(queue) / alignof(std::max_align_t) % all.size()];
}

}  // namespace

bool is_complete(const sycl::event& event) {
  return event.get_info<sycl::info::event::command_execution_status>() ==
         sycl::info::event_command_status::complete;
}

bool is_known_empty(const sycl::queue& queue) {
  try {
    return queue.is_in_order() && queue.ext_oneapi_empty();
  } catch (const sycl::exception&) {
    return false;
  }
}

std::unique_lock<std::mutex> turn_at(const sycl::queue& queue) {
  return queue.is_in_order() ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_of(queue));
}

std::optional<std::unique_lock<std::mutex>> try_turn_at(const sycl::queue& queue) {
  if (queue.is_in_order()) {
    return std::unique_lock<std::mutex>();
  }
  std::unique_lock turn(mutex_of(queue), std::try_to_lock);
  return turn.owns_lock() ? std::optional(std::move(turn)) : std::nullopt;
}

}  // namespace usmx::detail

void usmx::wait_for_queue(const sycl::queue& queue) {
  const auto turn = detail::turn_at(queue);
  sycl::queue(queue).wait();
}
