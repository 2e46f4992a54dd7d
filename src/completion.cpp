#include "completion.hpp"

#include <mutex>

#include <sycl/exception.hpp>

#include "usmx/completion.hpp"

namespace usmx::detail {

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

}  // namespace usmx::detail

void usmx::wait_for_queue(const sycl::queue& queue) {
  static std::mutex& one_at_a_time = *new std::mutex;  // never destroyed: used at exit
  sycl::queue same = queue;
  if (same.is_in_order()) {
    same.wait();
    return;
  }
  const std::lock_guard lock(one_at_a_time);
  same.wait();
}
