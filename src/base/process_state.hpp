// The rules that hold for every call because of the life of the process and its threads: no call
// works in a forked child, none begins once the process ends, and memory is not freed on the SYCL
// runtime's own threads. Private to the library; the part that others need is declared in
// usmx/base/process.hpp.
#pragma once

#include "usmx/base/process.hpp"

namespace usmx::inline v1::detail {

/// To be called before the runtime is used: children forked from then on are unusable. Throws
/// fork_error in such a child.
void note_runtime_in_use();
bool is_forked_child() noexcept;

/// Keeps other threads from beginning a runtime_call, and waits for a few seconds at most until
/// none is under way.
void begin_exit() noexcept;

}  // namespace usmx::inline v1::detail
