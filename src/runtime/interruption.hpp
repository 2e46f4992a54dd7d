// Waits that the calling thread may give up, because a helper thread does them: so the Python
// module lets Ctrl-C end them. Not installed.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Thrown by a wait that was given up. The work goes on, and its memory lives until it is done.
class USMX_API interrupted_wait : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Says whether to give up a wait. A waiting thread calls it every 50 ms, and holds no lock of
/// usmx's.
using interrupt_check = bool (*)();

/// From now on, waits of the calling thread for *earlier* work may be given up; with null, no wait
/// may. Returns what was set before. A wait for work that the waiting function itself has submitted
/// is never given up, since the function may own memory that the work uses.
USMX_API interrupt_check set_interrupt_check(interrupt_check) noexcept;

/// As wait_for_queue, for earlier work. Throws interrupted_wait if the wait was given up.
USMX_API void wait_interruptibly(const sycl::queue&);

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// Whether the calling thread may give up waits for earlier work.
bool may_be_interrupted() noexcept;

/// Whether the calling thread wants to give up what it waits for, to be asked every check_interval.
/// The caller holds no lock, since the check may run Python code.
bool should_give_up();
inline constexpr auto check_interval = std::chrono::milliseconds(50);

/// Runs `wait` on another thread, because a wait inside the driver cannot be interrupted. Throws
/// what `wait` throws, or interrupted_wait if the caller gave up. `wait` then goes on, so it must
/// own what it uses. The caller holds no lock, since the check may run Python code.
void wait_on_helper(std::function<void()> wait);

/// Waits for all these events, which are those of earlier work.
void wait_interruptibly_for_all(std::vector<sycl::event>);

}  // namespace usmx::inline v1::detail
