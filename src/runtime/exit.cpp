#include "runtime/exit.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "base/process.hpp"
#include "runtime/contexts.hpp"
#include "runtime/waits.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::detail {
namespace {

std::array<std::atomic<void (*)()>, 4> waits{};
std::atomic<std::size_t> wait_count = 0;

template <class Wait>
void try_to_wait(const Wait& wait) noexcept {
  try {
    wait();
  } catch (...) {
    // The work failed. There is nobody left to tell, and the rest still has to be waited for.
  }
}

void wait_for_each(const std::vector<sycl::queue>& queues) noexcept {
  for (const sycl::queue& queue : queues) {
    try_to_wait([&] { wait_for_queue(queue); });
  }
}

void finish_work_at_exit() noexcept {
  if (is_forked_child()) {
    return;
  }
  begin_exit();
  for (const std::atomic<void (*)()>& wait : waits) {
    if (const auto function = wait.load()) {
      try_to_wait(function);
    }
  }
  try_to_wait([] { wait_for_each(cached_queues()); });
  try_to_wait([] { wait_for_each(used_queues()); });
}

}  // namespace

void wait_at_exit() {
  [[maybe_unused]] static const int registered = std::atexit(finish_work_at_exit);
}

void add_exit_wait(void (*wait)()) { waits.at(wait_count++) = wait; }

}  // namespace usmx::inline v1::detail
