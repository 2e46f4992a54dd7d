// Waits that the calling thread may give up, because a helper thread does them. Private to the
// library.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <sycl/event.hpp>

#include "runtime/interruption_internal.hpp"

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
