#include "runtime/waiting.hpp"

namespace usmx::detail {
namespace {

/// Never destroyed: used at exit.
std::mutex& opencl_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

driver_wait::driver_wait(sycl::backend backend) {
  if (backend == sycl::backend::opencl) {
    lock_ = std::unique_lock(opencl_mutex());
  }
}

void wait_for(sycl::event event) {
  const driver_wait waiting(event.get_backend());
  event.wait();
}

void wait_for_all(const std::vector<sycl::event>& events) {
  if (!events.empty()) {
    const driver_wait waiting(events.front().get_backend());
    sycl::event::wait(events);
  }
}

}  // namespace usmx::detail
