// Waits at the end of the process. Private to the library.
#pragma once

namespace usmx::inline v1::detail {

/// Registers an exit handler that waits for all work: work that is unfinished when the runtime's
/// own exit handlers run aborts the process. To be called when a queue exists: exit handlers run in
/// reverse order, and this one has to run before those that the runtime registered while it made
/// its first queue.
void wait_at_exit();

/// Adds a wait of a layer above, of which there are at most 4. They are called in the order in
/// which they were added, before the queues are waited for.
void add_exit_wait(void (*wait)());

}  // namespace usmx::inline v1::detail
