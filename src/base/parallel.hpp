// A few threads that share the work of large copies. They are started when first needed, live until
// the process ends and know nothing of Python or SYCL.
#pragma once

#include <cstddef>
#include <type_traits>

namespace usmx::inline v1::detail {

/// Threads that can work at once, the caller's included: the processors that the process may use.
int thread_count() noexcept;

using task_function = void (*)(const void* body, std::ptrdiff_t task) noexcept;
void run_tasks(std::ptrdiff_t tasks, task_function function, const void* body) noexcept;

/// Calls `body(task)` for every task from 0 to tasks - 1 and returns when all are done. The caller
/// works, too. It works alone if there is one processor, or while another call uses the threads.
/// The body must not throw.
template <class Body>
void for_each_task(std::ptrdiff_t tasks, const Body& body) noexcept {
  run_tasks(
      tasks,
      [](const void* what, std::ptrdiff_t task) noexcept {
        (*static_cast<const Body*>(what))(task);
      },
      &body);
}

}  // namespace usmx::inline v1::detail
