// What happens when the process ends. Private to the library.
#pragma once

namespace usmx::inline v1::detail {

/// Has all work waited for when the process ends: work in flight when the runtime's own exit
/// handlers run aborts the process. To be called when a queue exists: exit handlers run in reverse
/// order, and this one has to come before those that the runtime registered while making its first
/// queue.
void wait_at_exit();

/// What the layers above have to wait for then, at most 4 of them; called in the order in which
/// they were added, before the queues are waited for.
void add_exit_wait(void (*wait)());

}  // namespace usmx::inline v1::detail
