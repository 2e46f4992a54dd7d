// What the life of the process and its threads asks of every call: none works in a forked child,
// none begins once the process ends, and memory is not handed back on threads of the runtime's own.
// Private to the library; the part that others need is declared in usmx/base/process.hpp.
#pragma once

#include "usmx/base/process.hpp"

namespace usmx::inline v1::detail {

/// To be called before the runtime is used: children forked from then on are unusable. Throws
/// fork_error in such a child.
void note_runtime_in_use();
bool is_forked_child() noexcept;

/// Lets no other thread begin a runtime_call and waits, for a few seconds at most, until none is
/// under way.
void begin_exit() noexcept;

}  // namespace usmx::inline v1::detail
